"""Gold sentences are aligned to their text, and boundaries counted."""

from pathlib import Path

import pytest

from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.errors import InputError
from citespan.pipelines.precision_recall import PrecisionRecall
from citespan.pipelines.text.splitter import splitters
from citespan.pipelines.training.splitter import align, read_gold_sentences, score_boundaries

TEXT = "Title\n\nCells grew\nwell. Mice\u00a0ate e.g. Corn. They slept."


def test_sentences_are_found_whatever_the_white_space() -> None:
    gold = align("a", TEXT, ["Title", "Cells grew well.", "Mice ate e.g. Corn.", "They slept."])
    assert [TEXT[s.start : s.end] for s in gold.sentences] == [
        "Title",
        "Cells grew\nwell.",
        "Mice\u00a0ate e.g. Corn.",
        "They slept.",
    ]
    assert (gold.skipped, gold.unaligned) == ((), 0)


def test_a_sentence_that_is_not_there_is_counted_and_its_place_skipped() -> None:
    gold = align("a", TEXT, ["Title", "Something else.", "They slept."])
    assert gold.unaligned == 1
    assert gold.sentences == (Sentence(0, 5), Sentence(len(TEXT) - 11, len(TEXT)))
    assert gold.skipped == ((5, len(TEXT) - 11),)
    inside, everywhere = score_boundaries(splitters["punkt-untrained"], [gold])
    assert inside == PrecisionRecall(1, 0, 0)
    assert everywhere == PrecisionRecall(2, 0, 0)


def test_the_rest_is_skipped_where_the_last_is_not_there() -> None:
    gold = align("a", TEXT, ["Title", "Something else."])
    assert (gold.skipped, gold.unaligned) == (((5, len(TEXT)),), 1)


def test_counts() -> None:
    gold = align("a", TEXT, ["Title", "Cells grew well.", "Mice ate e.g. Corn. They slept."])
    inside, everywhere = score_boundaries(splitters["punkt"], [gold])
    assert inside == PrecisionRecall(right=1, wrong=1, missed=0)
    assert everywhere == PrecisionRecall(right=3, wrong=1, missed=0)
    assert (inside.precision, inside.recall, inside.f1) == (0.5, 1.0, pytest.approx(2 / 3))


def test_no_boundaries_are_no_division_by_zero() -> None:
    nothing = PrecisionRecall()
    assert (nothing.precision, nothing.recall, nothing.f1) == (0.0, 0.0, 0.0)


def test_reading(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(
        "# sent_id = 1\n# text = Mice ate.\n1\tMice\n\n# text = They slept.\n", encoding="utf-8"
    )
    (tmp_path / "a.txt").write_text("Mice ate. They slept.", encoding="utf-8")
    (gold,) = read_gold_sentences(tmp_path, tmp_path)
    assert gold.name == "a"
    assert gold.sentences == (Sentence(0, 9), Sentence(10, 21))


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no \*\.conllu"):
        list(read_gold_sentences(tmp_path, tmp_path))
    (tmp_path / "a.conllu").write_text("1\tMice\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.conllu: no '# text ='"):
        list(read_gold_sentences(tmp_path, tmp_path))
    (tmp_path / "a.conllu").write_text("# text = Mice.\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.txt: can't be read"):
        list(read_gold_sentences(tmp_path, tmp_path))
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"a\.txt: not UTF-8 at byte 0"):
        list(read_gold_sentences(tmp_path, tmp_path))

"""CoNLL-U is read paragraph by paragraph, and refused with its place named."""

from pathlib import Path

import pytest

from citespan.pipelines.errors import InputError
from citespan.pipelines.training.gold_parses import find_conllu, map_coarse_tags, read_parses

MICE_ATE = """\
1\tMice\tmouse\tNOUN\tNNS\t_\t2\tnsubj\t_\t_
2\tate\teat\tVERB\tVBD\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_
"""
TITLE = "1\tDiet\tdiet\tNOUN\tNN\t_\t0\troot\t_\t_\n"


def written(folder: Path, text: str) -> Path:
    file = folder / "a.conllu"
    file.write_text(text, encoding="utf-8")
    return file


def test_paragraphs_with_their_sentences(tmp_path: Path) -> None:
    file = written(
        tmp_path, f"# newdoc\n# newpar\n{TITLE}\n# newpar\n{MICE_ATE}\n# text = x\n{MICE_ATE}"
    )
    title, paragraph = read_parses(file)
    assert title.text.strip() == "Diet"
    assert paragraph.text.strip() == "Mice ate. Mice ate."
    assert [sentence.text for sentence in paragraph.sents] == ["Mice ate.", "Mice ate."]
    assert [token.tag_ for token in paragraph][:3] == ["NNS", "VBD", "."]
    assert [token.dep_ for token in paragraph][:3] == ["nsubj", "ROOT", "punct"]
    assert paragraph[3].head.text == "ate"
    assert map_coarse_tags([title, paragraph]) == {
        ".": "PUNCT",
        "NN": "NOUN",
        "NNS": "NOUN",
        "VBD": "VERB",
    }


def test_without_paragraphs_the_file_is_one(tmp_path: Path) -> None:
    (only,) = read_parses(written(tmp_path, f"{MICE_ATE}\n{TITLE}\n"))
    assert only.text.strip() == "Mice ate. Diet"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", r"a\.conllu: no sentence"),
        ("# text = Mice\n\n", r"a\.conllu: no sentence"),
        ("Mice ate.\n", r"a\.conllu, line 1: 1 columns"),
        (MICE_ATE.replace("NNS", "_"), r"a\.conllu, line 1: no tag"),
        (MICE_ATE.replace("\t2\tnsubj", "\t_\tnsubj"), r"a\.conllu, line 1: no tag .* head"),
        (MICE_ATE.replace("\t2\tnsubj", "\t9\tnsubj"), r"a\.conllu, .* line 4: the heads"),
        (MICE_ATE.replace("\t0\troot", "\t1\tdep"), r"a\.conllu, .* line 4: the heads"),
    ],
)
def test_what_is_no_parse(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        list(read_parses(written(tmp_path, text)))


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no \\*.conllu files"):
        find_conllu([tmp_path])
    with pytest.raises(InputError, match="can't be read"):
        list(read_parses(tmp_path / "gone.conllu"))
    file = tmp_path / "b.conllu"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8 at byte 0"):
        list(read_parses(file))
    assert find_conllu([tmp_path]) == [file]

"""Counting a background corpus, its file, and the tables that are shipped."""

import gzip
import json
from math import log
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT

from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.background import (
    Background,
    count,
    from_bytes,
    read,
    read_shipped,
    terms_of,
)
from citespan.pipelines.reformulation.reformulation import reformulations
from citespan.pipelines.text.words import words

PIECES = ["TGF-β1", "tgf-beta1", "kinases", "kinase", "Crohn’s", "é", "12", "_", " ", "'s", "²"]
TEXTS = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES)).map("".join))


def counted(*documents: str, **options: int) -> Background:
    return count(documents, "made for a test", "none", **options)


def test_documents_and_occurrences() -> None:
    table = counted("The kinase binds. Kinases bind.", "A kinase of 12 mice", " \n", "12 of the")
    assert table.counts == {"kinase": (2, 3), "bind": (1, 2), "mice": (1, 1)}
    assert (table.documents, table.occurrences) == (2, 6)


def test_idf() -> None:
    table = counted("TGF-β1 and IL-2", "TGF-alpha in mice", "mice", "TGF")
    assert table.idf("mouse") == table.idf("beta1") == pytest.approx(log(4))
    assert table.idf("Mice") == pytest.approx(log(2))
    assert table.idf("TGF-beta1") == pytest.approx(log(4)), "as its rarest term"
    assert table.idf("TGF-12") == pytest.approx(log(4 / 3)), "a number is no term"
    assert table.idf("the") == table.idf("12") == table.idf("") == 0


def test_probability() -> None:
    table = counted("rats eat rats", "mice eat")
    assert table.probability("rat") == pytest.approx(2 / 5)
    assert table.probability("cat") == 0
    assert sum(map(table.probability, table.counts)) == pytest.approx(1)


def test_rare_terms_can_be_left_out() -> None:
    every, some = counted("rats eat", "mice eat"), counted("rats eat", "mice eat", min_documents=2)
    assert set(some.counts) == {"eat"}
    assert (some.documents, some.occurrences) == (every.documents, every.occurrences)
    assert all(every.idf(word) == some.idf(word) for word in ("rats", "mice", "eat", "cats"))


def test_nothing_to_count() -> None:
    with pytest.raises(InputError, match="made for a test: no document with a word in it"):
        counted("12", "of the", "")


@given(text=TEXTS)
def test_a_word_has_the_terms_that_it_has_in_a_text(text: str) -> None:
    assert terms_of(text) == [term for word in words(text) for term in terms_of(word)]


@given(documents=st.lists(TEXTS, max_size=5))
def test_the_file_holds_it_all_whatever_the_order(documents: list[str]) -> None:
    table = counted("a seed", *documents)
    data = table.to_bytes()
    assert from_bytes(data, "here") == table
    assert counted(*reversed(documents), "a seed").to_bytes() == data


def changed(**members: object) -> bytes:
    content = json.loads(gzip.decompress(counted("rats eat").to_bytes()))
    return gzip.compress(orjson.dumps(content | members))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"term\t1\n",
        gzip.compress(b"", mtime=0),
        gzip.compress(b"[1]", mtime=0),
        gzip.compress(b'{"terms": []}', mtime=0),
        counted("rats eat").to_bytes()[:-9],
        counted("rats eat").to_bytes()[:40],
    ],
    ids=["empty", "plain", "no-json", "a-list", "no-numbers", "no-end", "cut"],
)
def test_another_file_is_told(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "table.json.gz"
    path.write_bytes(data)
    with pytest.raises(InputError) as told:
        read(path)
    assert str(told.value) == (
        f"{path}: not a whole table of document frequencies; make one by `citespan background "
        "build`"
    )


def test_another_version_is_told() -> None:
    with pytest.raises(InputError, match=r"here: a table of version 9, .*; build it again"):
        from_bytes(changed(citespan_background=9), "here")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone: can't be read: No such file .* make one by"):
        read(tmp_path / "gone")


def test_what_is_shipped_is_small_and_says_what_it_is() -> None:
    folder = ROOT / "pipelines/text/models"
    biomedical, general = read_shipped("biomedical"), read_shipped("general")
    for name, table in (("biomedical", biomedical), ("general", general)):
        assert (folder / f"background-{name}.json.gz").stat().st_size < 2**20
        card = (folder / f"background-{name}.md").read_text(encoding="utf-8")
        for number in (table.documents, len(table.counts), table.occurrences):
            assert f"{number:,}" in card
        assert table.corpus in reformulations["domain-terms"].description
        assert max(documents for documents, _ in table.counts.values()) <= table.documents
        assert sum(times for _, times in table.counts.values()) == table.occurrences
    assert biomedical.corpus in reformulations["keywords"].description
    assert biomedical.idf("cells") < 2.5 < biomedical.idf("apoptosis")
    assert biomedical.probability("cell") > general.probability("cell")
    assert biomedical.probability("house") < general.probability("house")

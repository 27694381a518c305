"""Readers keep their contract on damaged files: bytes changed, cut, repeated, nested, spliced."""

import gzip
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from fuzz.targets import BETWEEN, TARGETS
from hypothesis import given, settings
from hypothesis import strategies as st

from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.reader import readers

EXAMPLES = {"umls": 40}
MOST = 200
"""Examples of a reader; those of UMLS are dearer, since each makes a table of all CUIs."""

TOKENS = (
    *(b"", b"<", b">", b"&", b"|", b"\n", b"\n\n", b"\r", b"\0", b"\x1b", b"\x1d", b"\xff", b"]]>"),
    *("\ufeff".encode(), "\u2028".encode(), "²".encode(), "\U0010ffff".encode(), b"\xed\xa0\x80"),
    *(b"-1", b"99999999999999999999", b"&#0;", b"&#xD800;", b"&b;", b"&nbsp;", b"PMID- ", BETWEEN),
    *(b'<?xml version="1.0" encoding="UTF-16"?>', b'<!DOCTYPE a [<!ENTITY b "c">]>', b"<![CDATA["),
)
ELEMENT = re.compile(rb"<([A-Za-z][\w.-]*)([^<>/]*)>(.*?)</\1>", re.DOTALL)
START_TAG = re.compile(rb"<([A-Za-z][\w.-]*)[^<>/]*>")


@st.composite
def damaged(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """One of the seeds after up to four changes."""
    data = draw(st.sampled_from(seeds))
    for change in draw(st.lists(st.sampled_from(CHANGES), min_size=1, max_size=4)):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 200)))
        data = change(draw, data, start, end, seeds)
    return data


Change = Callable[[st.DrawFn, bytes, int, int, list[bytes]], bytes]


def flip(draw: st.DrawFn, data: bytes, start: int, end: int, seeds: list[bytes]) -> bytes:
    if start == len(data):
        return data
    return data[:start] + bytes([data[start] ^ draw(st.integers(1, 255))]) + data[start + 1 :]


def cut(draw: st.DrawFn, data: bytes, start: int, end: int, seeds: list[bytes]) -> bytes:
    return data[:start] + data[end:]


def truncate(draw: st.DrawFn, data: bytes, start: int, end: int, seeds: list[bytes]) -> bytes:
    return data[:start]


def repeat(draw: st.DrawFn, data: bytes, start: int, end: int, seeds: list[bytes]) -> bytes:
    return data[:start] + data[start:end] * draw(st.sampled_from((2, 3, 300))) + data[end:]


def put_in(draw: st.DrawFn, data: bytes, start: int, end: int, seeds: list[bytes]) -> bytes:
    return data[:start] + draw(st.sampled_from(TOKENS)) + data[start:]


def replace(draw: st.DrawFn, data: bytes, start: int, end: int, seeds: list[bytes]) -> bytes:
    return data[:start] + draw(st.sampled_from(TOKENS)) + data[end:]


def splice(draw: st.DrawFn, data: bytes, start: int, end: int, seeds: list[bytes]) -> bytes:
    other = draw(st.sampled_from(seeds))
    return data[:start] + other[draw(st.integers(0, len(other))) :]


def nest(draw: st.DrawFn, data: bytes, start: int, end: int, seeds: list[bytes]) -> bytes:
    """An element of the file inside itself, some or too many times, closed or not."""
    found = START_TAG.search(data, start)
    if found is None:
        return data
    times = draw(st.sampled_from((2, 40, 260)))
    close = draw(st.sampled_from((b"", b"</" + found[1] + b">")))
    return data[: found.start()] + found[0] * times + close * times + data[found.start() :]


def move(draw: st.DrawFn, data: bytes, start: int, end: int, seeds: list[bytes]) -> bytes:
    """A whole element to behind another tag, which keeps most XML well-formed."""
    found = ELEMENT.search(data, start)
    if found is None:
        return data
    rest = data[: found.start()] + data[found.end() :]
    place = rest.find(b">", draw(st.integers(0, len(rest)))) + 1
    return rest[:place] + found[0] + rest[place:]


def rename(draw: st.DrawFn, data: bytes, start: int, end: int, seeds: list[bytes]) -> bytes:
    """An element to the name of another."""
    found = ELEMENT.search(data, start)
    if found is None:
        return data
    name = draw(st.sampled_from([tag[1] for tag in START_TAG.finditer(data)]))
    renamed = b"<%b%b>%b</%b>" % (name, found[2], found[3], name)
    return data[: found.start()] + renamed + data[found.end() :]


CHANGES: tuple[Change, ...] = (
    *(flip, cut, truncate, repeat, put_in, replace, splice, nest, move, rename),
)


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_files(name: str) -> None:
    target = TARGETS[name]

    @settings(max_examples=EXAMPLES.get(name, MOST), deadline=None)
    @given(damaged(target.seed_inputs()))
    def holds(data: bytes) -> None:
        target.run(data, Path(folder))

    with tempfile.TemporaryDirectory() as folder:
        holds()


@pytest.mark.parametrize("name", TARGETS)
def test_the_seeds_are_read(name: str, tmp_path: Path) -> None:
    for data in TARGETS[name].seed_inputs():
        TARGETS[name].run(data, tmp_path)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        # each found by fuzzing, and made as small as it could be
        ("medline", gzip.compress(b"", mtime=0)[:10] + b"\xff" * 8),
        ("pubmed", b"PMID- 1\nSTAT\x1d- MEDLINE\n"),
        ("pubmed", b"PMID- 1\n      a\nAB  - Pain is not gone by the use of the drug.\n"),
        ("pubmed", b"PMID- 1\nOAB - Publisher: Texte\nOABL- fre\r" + b"e" * 2000 + b"\n"),
        ("scisumm", b"<S>One sentence.</S>"),
        ("scisumm", b"<P>" + b"<S>" * 100 + b"words " * 20 + b"</S>" * 100 + b"</P>" + BETWEEN),
        ("medline", b"<PubmedArticleSet " + b"a" * 5000 + b">"),
        ("jats", b"<article>&" + b"a" * 5000 + b";</article>"),
        ("jats", b"<!DOCTYPE article [<!ENTITY " + b"a" * 5000 + b" 'b'>]><article/>"),
        # as these were by reading
        ("text", b"A b.\n\nReferences\n\n1. Ito A" + b" & Ito A" * 22 + b" & ito 2010\n"),
        ("markdown", b"A b [@smith2000; @smith2001" + b"; @smith2002" * 8 + b".\n"),
        ("bibtex", b"@string{a=b}" + b"@string{a=a#a}" * 60),
    ],
)
def test_what_broke_the_contract(name: str, data: bytes, tmp_path: Path) -> None:
    TARGETS[name].run(data, tmp_path)


@pytest.mark.parametrize("month", ["123", "²", "-1", "Jan"])
def test_a_day_that_is_none(month: str, tmp_path: Path) -> None:
    record = (
        "<MedlineCitation><PMID>1</PMID><DateRevised><Year>2020</Year><Month>"
        f"{month}</Month><Day>5</Day></DateRevised><Article><Abstract><AbstractText>We looked at "
        "the use of it in the old.</AbstractText></Abstract></Article></MedlineCitation>"
    )
    file = tmp_path / "citations.xml"
    file.write_text(record, encoding="utf-8")
    [abstract] = readers["medline"].read(file)
    assert isinstance(abstract, Abstract)
    assert abstract.revised == "2020-01-05"

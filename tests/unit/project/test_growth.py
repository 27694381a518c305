"""Nothing takes time or memory out of proportion to its input: patterns, readers, what is done with
texts. See `growth/clock.py` for what is measured: no speed, but how it changes with the size."""

import re
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from growth.attacks import Attack, find_attacks
from growth.clock import find_growth
from growth.patterns import Found, find_all
from growth.texts import BIBLIOGRAPHIES, READERS, TEXTS, repeat

from citespan.pipelines.citations.entry_faults import find_entry_faults
from citespan.pipelines.citations.known_identifiers import read_known
from citespan.pipelines.citing.citations import find_citations, make_query
from citespan.pipelines.citing.marker_patterns import remove_markers
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.bibliographies.bibliography import (
    count_entries,
    is_bibliography,
    read_bibliography,
)
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.reader import AbstractReader, readers
from citespan.pipelines.corpus.reference_identifiers import find_malformed
from citespan.pipelines.corpus.references import Reference, ReferenceList, name_uniquely
from citespan.pipelines.corpus.retraction_list import read_retraction_list
from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.features.wording import _join_by_letter
from citespan.pipelines.text.abbreviations import find_abbreviations
from citespan.pipelines.text.punkt import _punkt
from citespan.pipelines.text.splitter import splitters
from citespan.pipelines.vocabulary.spelling import Spelling

PATTERN_SIZE, PATTERN_CAP = 16_000, 1.0
SIZE, CAP = 24_000, 3.0
# Patterns that are made when they are used, by module; that of a table's own topics is its maker's.
BUILT: dict[str, list[re.Pattern[Any]]] = {
    "pipelines.answers.zones.words": [
        re.compile(r"(?<!\w)(?:magnetic resonance|mice)(?!\w)", re.IGNORECASE)
    ],
    "pipelines.corpus.readers.latex": [re.compile(r"\\end\{figure\*?\}")],
    "pipelines.corpus.readers.markdown": [
        re.compile(r"^title:[^\S\n]*(.*)((?:\n\s*-\s[^\n]*)*)", re.MULTILINE)
    ],
    "pipelines.evaluation.published": [],
    "pipelines.ranking.features.wording": [_join_by_letter()[0]],
    "pipelines.text.abbreviations": [re.compile(r"(?<!\w)AB(?!\w)", re.IGNORECASE)],
    "pipelines.text.punkt": [_punkt(True)._ends],
    "pipelines.vocabulary.matching": [re.compile(r"(?<![^\W_])(MSC|AB)s?(?![^\W_])")],
    "pipelines.vocabulary.readers.umls": [re.compile(r"MRCONSO\.RRF\.[a-z]{2}(\.gz)?")],
    "pipelines.vocabulary.spelling": [
        pattern
        for spelling in (Spelling("alpha beta\tgamma\t\tA"),)
        for pattern in (spelling._before, spelling._after)
        if pattern is not None
    ],
}
# Longest text that a pattern is given, in characters, where that is less; a manifest or a name is
# no stranger's.
BOUNDED = {
    "cli.": 4_000,
    "deploy.": 4_000,
    "pipelines.corpus.reference_text.": 4_000,
    "pipelines.text.lucene._LETTER_IN_NAME": 200,
    "pipelines.citing.markers._NAMES": 80,
}
# Those that are only matched from the start, by another name.
MATCHED = ("pipelines.text.lucene._COVERED", "pipelines.text.lucene._ASCII_COVERED")

# What people have found, beside what is derived from the pattern.
WORST = {
    "pipelines.corpus.readers.latex._ITEM": [Attack("\\bibitem[", "{a}", "")],
    "pipelines.corpus.reference_text._AUTHORS": [
        Attack("Ito A", " & Ito A", " & ito 2010"),
        Attack("Ito A", ", and A-1 Aa-", "\x00"),
    ],
}

FOUND, UNKNOWN = find_all()
PATTERNS = [
    *FOUND,
    *(
        Found(f"{module} {pattern.pattern[:40]}", pattern, frozenset(("finditer",)))
        for module, built in BUILT.items()
        for pattern in built
    ),
]


def test_every_pattern_is_known() -> None:
    """A pattern that is made when it is used has an example in `BUILT`."""
    assert {unknown.where.partition(":")[0] for unknown in UNKNOWN} == BUILT.keys()
    assert len(FOUND) > 250


@pytest.mark.parametrize("found", PATTERNS, ids=lambda found: found.where)
def test_patterns(found: Found) -> None:
    pattern, methods = found.compiled, found.methods
    if found.where in MATCHED:
        methods = frozenset(("match",))

    def run(text: Any) -> None:
        if methods - {"match", "fullmatch", "compile"}:
            for _ in pattern.finditer(text):
                pass
        if "match" in methods:
            pattern.match(text)
        if "fullmatch" in methods:
            pattern.fullmatch(text)

    bounds = (most for module, most in BOUNDED.items() if found.where.startswith(module))
    size = next(bounds, PATTERN_SIZE)
    for attack in (*WORST.get(found.where, ()), *find_attacks(pattern)):
        make: Any = attack.make
        if isinstance(pattern.pattern, bytes):
            make = lambda size, attack=attack: attack.make(size).encode("latin-1", "replace")  # noqa: E731
        problem = find_growth(run, make, size, PATTERN_CAP)
        assert not problem, f"{found.where} on {tuple(attack)}: {problem}"


def read_all(name: str, file: Path) -> None:
    """Read a file as a load does, to the end."""
    reader = readers[name]
    reader.recognises(file.parent)
    read = reader.abstracts if isinstance(reader, AbstractReader) else reader.read
    for unit in reader.find(file.parent):
        reader.count(unit)
        for _ in read(unit):
            pass


def test_every_reader_is_known() -> None:
    assert set(readers.names()) == READERS.keys()


@pytest.mark.parametrize("name", [name for name in READERS if READERS[name][1]])
def test_readers(name: str, tmp_path: Path) -> None:
    place, makes = READERS[name]
    file = tmp_path / place
    file.parent.mkdir(parents=True, exist_ok=True)
    for number, make in enumerate(makes):
        problem = find_growth(
            lambda data: (file.write_bytes(data), read_all(name, file)), make, SIZE, CAP
        )
        assert not problem, f"{name}, input {number}, {make(200)[:120]!r}: {problem}"


def test_docx(tmp_path: Path) -> None:
    file = tmp_path / "a.docx"
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"

    def pack(xml: bytes) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("word/document.xml", xml)
        read_all("docx", file)

    start, end = f'<w:document xmlns:w="{space}"><w:body>', "</w:body></w:document>"
    entry = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
    record = '{"citationItems":[{"itemData":{"title":"a a a"}}]}'
    field = f"<w:fldSimple w:instr='CSL_CITATION {record}'/>"
    listed = start + entry.format("References")
    for before, piece in (
        *((start, piece) for piece in ("<w:p/>", entry.format("a b."), "<w:sdt/>", " ", field)),
        (start, "<w:instrText>EN.CITE </w:instrText>"),
        *((listed, piece) for piece in (entry.format("a a a"), field + entry.format("a a a a"))),
        (listed + f"{field}<w:p><w:r><w:t>", "a a a "),
    ):
        after = "</w:t></w:r></w:p>" + end if before.endswith("<w:t>") else end
        assert not find_growth(pack, repeat(piece, before, after), SIZE, CAP), piece


@pytest.mark.parametrize("number", range(len(BIBLIOGRAPHIES)))
def test_bibliographies(number: int, tmp_path: Path) -> None:
    name, make = BIBLIOGRAPHIES[number]
    file = tmp_path / name

    def read(data: bytes) -> None:
        file.write_bytes(data)
        is_bibliography(file)
        count_entries(file)
        with suppress(InputError):
            read_bibliography(file, name)

    problem = find_growth(read, make, SIZE, CAP)
    assert not problem, f"{name}, {make(100)!r}: {problem}"


def make_article(text: str) -> Article:
    """Return an article whose references are all of one first author and year."""
    publications = (
        Publication(authors=(f"Smith, J{number}",), year=2010) for number in range(len(text) // 60)
    )
    references = name_uniquely(
        Reference("", publication=publication, text="a") for publication in publications
    )
    return Article("a", "", text, "a", reference_list=ReferenceList(tuple(references)))


def cite(data: bytes) -> None:
    """Find the citations of a text, and what each is searched for by."""
    article = make_article(data.decode())
    for citation in find_citations(article, splitters["punkt"]).citations:
        make_query(article.text, citation)


@pytest.mark.parametrize("piece", TEXTS)
def test_texts(piece: str) -> None:
    for run in (
        cite,
        lambda data: find_abbreviations(data.decode()),
        lambda data: remove_markers(data.decode()),
        lambda data: find_malformed(data.decode()),
    ):
        # what is done for each marker of a sentence shows only where there are many
        size, cap = (6 * SIZE, 3 * CAP) if piece == "[1] " else (SIZE, CAP)
        problem = find_growth(run, repeat(piece), size, cap)
        assert not problem, problem


_NOTICES = "RetractionNature,OriginalPaperDOI,OriginalPaperPubMedID\n"


@pytest.mark.parametrize("piece", ["Retraction,10.1000/a,1\n", '"', '"a""', ",", "\n", "\r", "1\n"])
def test_lists_of_identifiers(piece: str, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    for before in (_NOTICES, "pmid,doi\n", ""):

        def read(data: bytes) -> None:
            file.write_bytes(data)
            for open_list in (read_retraction_list, lambda path: read_known(path, ())):
                with suppress(InputError):
                    open_list(file)

        problem = find_growth(read, repeat(piece, before), SIZE, CAP)
        assert not problem, f"{before}{piece}: {problem}"


def test_entries_of_titles_that_begin_alike() -> None:
    def compare(data: bytes) -> None:
        publications = (
            Publication(
                ("Ito, K.",), f"{'The growth of yeast in made rooms ' * 3}{at * 7919}", 2001
            )
            for at in range(len(data) // 100)
        )
        find_entry_faults(
            [Reference(f"{at}", publication=p) for at, p in enumerate(publications)], {}
        )

    problem = find_growth(compare, repeat("a"), SIZE, CAP)
    assert not problem, problem


@pytest.mark.parametrize("name", [name for name in READERS if READERS[name][1]])
def test_memory(name: str, tmp_path: Path) -> None:
    """What a reader holds of an input that is four times as large is not much more than four times
    as much."""
    place, makes = READERS[name]
    file = tmp_path / place
    file.parent.mkdir(parents=True, exist_ok=True)
    for number, make in enumerate(makes):
        small, large = (measure_memory(name, file, make(size)) for size in (2_000, 8_000))
        assert large < max(6 * small, 4_000_000), f"{name}, input {number}: {small:,}, {large:,}"


def measure_memory(name: str, file: Path, data: bytes) -> int:
    """Return the most bytes that Python holds while a file is read."""
    file.write_bytes(data)
    tracemalloc.start()
    try:
        read_all(name, file)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

"""PubMed's text export: fields, labels within the abstract, and bad records."""

import gzip
from pathlib import Path

import pytest
from places import TEST_DATA

from citespan.pipelines.corpus.abstract import Abstract, AbstractReading
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.reader import recognise
from citespan.pipelines.corpus.readers.pubmed import PubmedReader, split_sections

FIXTURE = TEST_DATA / "readers/pubmed/export.txt"
RECORD = "PMID- {}\nTI  - Sleep of mice.\nAB  - Mice sleep.\n\n"


def read(data: bytes, tmp_path: Path) -> list[AbstractReading]:
    file = tmp_path / "export.txt"
    file.write_bytes(data)
    return list(PubmedReader().abstracts(file))


def test_a_structured_abstract() -> None:
    abstract = next(iter(PubmedReader().abstracts(FIXTURE)))
    assert isinstance(abstract, Abstract)
    assert abstract.title == "Does a walk before breakfast lower blood pressure in older adults?"
    assert [s.title for s in abstract.sections] == [
        "",
        "BACKGROUND",
        "METHODS",
        "RESULTS",
        "CONCLUSIONS",
        "TRIAL REGISTRATION",
    ]
    results = abstract.sections[3]
    shown = abstract.text[results.start : results.end]
    assert shown == "Systolic pressure fell by 6.1 mmHg with the walk (P<0.01)."
    assert (abstract.year, abstract.revised) == (2019, "2021-03-09")
    assert abstract.mesh == ("Walking", "Blood Pressure")
    assert abstract.also_known_as == ("PMC9900001", "10.9999/walk.2019")
    assert abstract.publication_types == ("Journal Article", "Randomized Controlled Trial")


def test_an_unstructured_abstract() -> None:
    abstract = list(PubmedReader().abstracts(FIXTURE))[1]
    assert isinstance(abstract, Abstract)
    assert abstract.title == "The tide tables of a small harbour and the sleep of its fishermen."
    assert not abstract.structured
    assert abstract.text.endswith("DNA: none was taken.")
    assert abstract.other_abstracts == (
        ("fre", "Le sommeil de 31 pêcheurs a été enregistré pendant deux grandes marées."),
    )


@pytest.mark.parametrize(
    ("lines", "authors"),
    [
        ("FAU - Made-Up, Ann B\nAU  - Made-Up AB\nCN  - Group", ("Made-Up, Ann B",)),
        ("AU  - Made-Up AB\nAU  - Ito K", ("Made-Up AB", "Ito K")),
        ("CN  - Walking Group", ("Walking Group",)),
        ("JT  - Sleep", ()),
    ],
)
def test_what_references_to_it_are_resolved_by(
    tmp_path: Path, lines: str, authors: tuple[str, ...]
) -> None:
    (found,) = read(RECORD.format("012").encode().rstrip() + f"\n{lines}\n".encode(), tmp_path)
    assert isinstance(found, Abstract)
    assert (found.publication.authors, found.publication.pmid) == (authors, "12")
    assert found.publication.journal == ("Sleep" if "JT" in lines else "")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("We saw it. RESULTS: It was there.", [""]),
        ("AIM: To see. METHODS AND RESULTS: We saw.", ["AIM", "METHODS AND RESULTS"]),
        ("AIM: To see. NOTE: We saw.", ["AIM"]),
        ("AIM: To see (RESULTS: below).", ["AIM"]),
        ("RNA: the messenger.", [""]),
        ("AIM: METHODS: We saw.", ["AIM"]),
        ("AIM: To see. DESIGN, SETTING: All.", ["AIM", "DESIGN, SETTING"]),
    ],
)
def test_an_abstract_is_cut_at_known_labels(text: str, labels: list[str]) -> None:
    assert [part.label for part in split_sections(text)] == labels


def test_a_bad_record_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    good = RECORD.format
    data = (
        b"\xef\xbb\xbf" + good(1).encode()
        + b"PMID- x\nTI  - No number.\n\n"
        + b"PMID- 3\nTI  - Caf\xe9.\n\n"
        + b"PMID- 4\nno field at all\n\n"
        + b"PMID- 5\r\nTI  - No abstract.\r\n\r\n"
        + good(6).encode()
    )  # fmt: skip
    found = read(data, tmp_path)
    assert [a.id for a in found if isinstance(a, Abstract)] == ["1", "6"]
    told = {r.source.rpartition(" ")[2]: r for r in found if isinstance(r, Rejected)}
    assert {pmid: (r.outcome, r.reason.partition(";")[0][:24]) for pmid, r in told.items()} == {
        "x": ("quarantined", "the PMID is not a number"),
        "3": ("quarantined", "not UTF-8"),
        "4": ("quarantined", "a line that is no field:"),
        "5": ("skipped", "no abstract"),
    }
    assert PubmedReader().count(tmp_path / "export.txt") == len(found)


def test_a_text_file_of_the_export_is_recognised_as_such(tmp_path: Path) -> None:
    for start in (b"", b"\n\n", b"\xef\xbb\xbf"):
        (tmp_path / "export.txt").write_bytes(start + RECORD.format(1).encode())
        assert recognise(tmp_path / "export.txt").name == "pubmed"
        assert recognise(tmp_path).name == "pubmed"
    (tmp_path / "export.txt").write_text("PMIDs are numbers.")
    assert recognise(tmp_path / "export.txt").name == "text"


def test_a_truncated_gzip_keeps_what_came_before(tmp_path: Path) -> None:
    packed = gzip.compress("".join(RECORD.format(n * 7919 % 99991) for n in range(9000)).encode())
    (tmp_path / "export.nbib.gz").write_bytes(packed[: len(packed) // 2])
    *abstracts, last = PubmedReader().abstracts(tmp_path / "export.nbib.gz")
    assert len(abstracts) > 3000
    assert isinstance(last, Rejected)
    assert f"the {len(abstracts):,} records before that are read" in last.reason


def test_the_publisher_s_abstract_in_english_stands_in(tmp_path: Path) -> None:
    data = (
        "PMID- 1\nTI  - [Not Available].\nTT  - Schlaf.\nOAB - Publisher: Mäuse.\nOABL- ger\n"
        "OAB - Publisher: Mice sleep.\nOABL- eng\n"
    )
    (abstract,) = read(data.encode(), tmp_path)
    assert isinstance(abstract, Abstract)
    assert abstract.text == "Schlaf.\n\nMice sleep."
    assert abstract.other_abstracts == (("ger", "Mäuse."),)
    (told,) = read(b"PMID- 1\nOAB - Publisher: Abstract available from the publisher.\n", tmp_path)
    assert isinstance(told, Rejected)
    assert told.reason == "no abstract"

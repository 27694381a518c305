"""What is wrong with entries of a reference list: found where it is, and nowhere else."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from citespan.pipelines.citations.entry_faults import (
    EntryFault,
    KnownIdentifiers,
    compare_entry,
    find_entry_faults,
)
from citespan.pipelines.citations.known_identifiers import read_known
from citespan.pipelines.citations.resolution import IndexedArticle, make_look_up, resolve
from citespan.pipelines.corpus.notices import Notice
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.errors import InputError

YEAST = Publication(
    ("García-Ito, Kim", "Ry, B."),
    "Growth of made yeast on sugar in dark rooms: a trial",
    2001,
    "J Yeast",
    "101",
    "PMC7",
    "10.1000/yeast",
)
BREAD = Publication(
    ("Od, A.",), "Rising of made bread in cold ovens of old houses", 2008, "Bread", "102"
)
INDEXED = [IndexedArticle("yeast", YEAST), IndexedArticle("bread", BREAD)]


def check(
    *entries: Publication | Reference,
    notices: Sequence[Sequence[Notice]] = (),
    known: KnownIdentifiers | None = None,
) -> list[EntryFault]:
    references = [
        entry
        if isinstance(entry, Reference)
        else Reference(f"B{at}", label=f"{at}", publication=entry)
        for at, entry in enumerate(entries, 1)
    ]
    keys = {key for reference in references for key in reference.publication.keys}
    faults = find_entry_faults(references, make_look_up(INDEXED)(keys), notices, known)
    return [fault for some in faults.values() for fault in some]


@pytest.mark.parametrize(
    "entry",
    [
        YEAST,
        replace(YEAST, title="Growth of made yeast on sugar in dark rooms"),
        replace(YEAST, title="[Wachstum von Hefe auf Zucker]"),
        replace(YEAST, title="Le pain et la levure dans le noir: une étude"),
        replace(YEAST, title="RETRACTED: Growth of made yeast on sugar in dark rooms: a trial"),
        replace(YEAST, title="Growth of made yeasts on suger in the dark room"),
        replace(YEAST, title=""),
        replace(YEAST, title="Yeast"),
        replace(YEAST, year=2002),
        replace(YEAST, year=None),
        replace(YEAST, authors=("Garcia Ito, K",)),
        replace(YEAST, authors=("Ito, K",)),
        replace(YEAST, authors=("Garcìa-Itoh, K",)),
        replace(YEAST, authors=()),
        replace(YEAST, authors=("The Yeast Study Group",)),
        replace(YEAST, authors=("Investigators, TY",)),
    ],
)
def test_what_lists_write_in_another_way_is_no_fault(entry: Publication) -> None:
    assert check(entry) == []


@pytest.mark.parametrize(
    ("plain", "other"), [("Møller", "Moller"), ("Jørgensen", "Joergensen"), ("Öz", "Oez")]
)
def test_names_are_the_same_with_and_without_accents(plain: str, other: str) -> None:
    named = (replace(YEAST, authors=(f"{name}, K.",)) for name in (plain, other))
    assert compare_entry(*named) == []


@pytest.mark.parametrize(
    ("changed", "field", "written", "found"),
    [
        ({"title": "Moss on very old stones in gardens"}, "title", "Moss on", "Growth of made"),
        ({"authors": ("Wu, B.",)}, "first author", "Wu, B.", "García-Ito, Kim"),
        ({"year": 1999}, "year", "1999", "2001"),
    ],
)
def test_title_author_or_year_of_another_work_differ_and_both_are_shown(
    changed: dict[str, object], field: str, written: str, found: str
) -> None:
    [fault] = check(replace(YEAST, **changed))  # type: ignore[arg-type]
    assert (fault.kind, fault.field, fault.article) == ("differs", field, "yeast")
    assert fault.written.startswith(written)
    assert fault.found.startswith(found)
    assert written in str(fault)
    assert found in str(fault)


def test_an_identifier_of_another_work_names_the_indexed_one_that_fits() -> None:
    [fault] = check(replace(BREAD, pmid="101"))
    assert (fault.kind, fault.field, fault.article, fault.meant) == (
        "other work", "pmid:101", "yeast", "bread",
    )  # fmt: skip
    assert str(fault).endswith("did you mean bread?")
    assert fault.to_json()["says"] == str(fault)


def test_an_identifier_that_is_not_indexed_is_compared_with_the_article_that_fits() -> None:
    [fault] = check(replace(BREAD, pmid="999"))
    assert (fault.kind, fault.written, fault.found) == ("differs", "pmid:999", "pmid:102")
    assert fault.meant == "bread"
    assert check(replace(YEAST, pmid="", pmcid="", doi="10.1101/2000.01.01.1")) == []


def test_a_wrong_author_is_found_by_the_title_alone() -> None:
    title = "Rising of made bread in cold ovens of old houses that stand by the northern sea"
    bread = replace(BREAD, title=title, pmid="103")
    written = replace(bread, authors=("Ry, B.",), pmid="")
    indexed = make_look_up([IndexedArticle("bread", bread)])
    faults = find_entry_faults([Reference("B1", publication=written)], indexed(written.keys))
    [fault] = faults["B1"]
    assert str(fault) == "the first author differs: “Ry, B.” in the list, “Od, A.” in bread"
    assert resolve([written], indexed)[0].article == "bread"
    other = replace(written, year=2006)
    assert not find_entry_faults([Reference("B1", publication=other)], indexed(other.keys))


def test_identifiers_of_two_works_are_each_compared() -> None:
    [fault] = check(replace(YEAST, pmid="102"))
    assert (fault.kind, fault.article) == ("other work", "bread")


def test_an_entry_without_anything_to_compare_is_no_fault() -> None:
    assert check(Publication(), Publication(pmid="101"), Publication(title="Yeast")) == []


@pytest.mark.parametrize(
    "again",
    [
        Publication(pmid="101"),
        replace(YEAST, pmid="", pmcid="", doi=""),
        replace(YEAST, pmid="", pmcid="", doi="", year=2002, authors=("Garcia-Ito, K",)),
    ],
)
def test_the_same_work_is_listed_twice(again: Publication) -> None:
    [fault] = check(YEAST, BREAD, again)
    assert (fault.kind, fault.found) == ("twice", "1")


def test_a_reply_and_chapters_of_a_book_are_not_listed_twice() -> None:
    letter = Publication(("Parry, C.",), "Typhoid fever", 2002)
    chapter = Publication(("Od, A.",), "Ovens of cold houses in the north", 2004, doi="10.1000/b")
    other = replace(chapter, title="Yeasts that people know since long ago", authors=("Wu, B.",))
    assert check(letter, replace(letter, year=2003), chapter, other) == []


@pytest.mark.parametrize(
    ("text", "kind", "written"),
    [
        ("Ito K. Yeast. 2001. PMID: 12345l78", "PMID", "12345l78"),
        ("Ito K. Yeast. 2001. PMID 123456789012", "PMID", "123456789012"),
        ("Ito K. Yeast. 2001. PMID: 0", "PMID", "0"),
        ("Ito K. Yeast. 2001. PMCID: PMCx12", "PMCID", "PMCx12"),
        ("Ito K. Yeast. 2001. doi:1O.1000/yeast.", "DOI", "1O.1000/yeast"),
        ("Ito K. Yeast. 2001. doi: 10.1000yeast1", "DOI", "10.1000yeast1"),
        ("Ito K. Yeast. 2001. https://doi.org/1000/yeast.1", "DOI", "1000/yeast.1"),
        ("Ito K. Yeast. arXiv:2113.01234", "arXiv", "2113.01234"),
        ("Ito K. Yeast. arXiv: 12.345", "arXiv", "12.345"),
    ],
)
def test_an_identifier_of_a_wrong_form_is_malformed(text: str, kind: str, written: str) -> None:
    [fault] = check(Reference("B1", text=text))
    assert (fault.kind, fault.written, fault.field) == ("malformed", kind, written)
    assert str(fault) == f"{written} is no {kind}"


@pytest.mark.parametrize(
    "text",
    [
        "PMID: 0012345678; PMCID: PMC7654321; doi:10.1016/S0140-6736(02)11472-3.",
        "https://doi.org/10.1002/(SICI)1097-0258(19980815)17:15<1661::AID>3.0.CO;2-2",
        "doi: 10.1016/ j.cell.2001.01.001",
        "doi: 10.1016 /j.cell.2001.01.001",
        "doi: S1389-9457(05)00316-3 [pii] doi: 10.1016/j.sleep.2005.12.006",
        "PMID not known. doi pending",
        "http://www.ncbi.nlm.nih.gov/pmc/articles/PMC3200207/pdf/PRT2012-981565.pdf",
        "http://www.annals.org/cgi/pmidlookup?view=reprint&pmid=10610626",
        "arXiv:1706.03762v5 [cs.CL]",
        "arXiv:hep-th/9901001; arXiv:math.GT/0309136",
    ],
)
def test_what_real_lists_write_is_not_malformed(text: str) -> None:
    assert check(Reference("B1", text=text)) == []


def test_notices_are_faults_of_their_kinds() -> None:
    told = [
        (Notice("retracted", "pmid:9", "2019", "Data"), Notice("corrected")),
        (Notice("expression of concern"),),
        (Notice("retracted"), Notice("reinstated")),
    ]
    entries = [Publication(title=f"Title number {at} of some length") for at in range(3)]
    found = check(*entries, notices=told)
    assert [fault.kind for fault in found] == [
        "retracted", "corrected", "expression of concern", "corrected", "corrected",
    ]  # fmt: skip
    assert str(found[0]) == "retracted by pmid:9 (2019; Data)"


@pytest.mark.parametrize(
    ("name", "content", "unknown"),
    [
        ("known.txt", "101\nPMC7\n\n# a comment\n10.1000/YEAST\n", []),
        ("known.txt", "PMID: 5\n", ["pmid:101"]),
        ("known.csv", 'Journal Title,DOI,PMCID,PMID\n"A, b",10.1000/other,PMC7,101\n',
         ["doi:10.1000/yeast"]),
        ("known.tsv", "pmid\ttitle\n101\tYeast\n", []),
    ],
)  # fmt: skip
def test_identifiers_that_a_list_has_not_got_are_unknown(
    name: str, content: str, unknown: list[str], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    known = read_known(tmp_path / name, YEAST.identifiers)
    found = check(YEAST, known=known)
    assert [fault.field for fault in found] == unknown
    assert all(fault.kind == "unknown" and name in str(fault) for fault in found)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no identifier in it"),
        (b"a text\nof two lines\n", "no identifier in it"),
        (b"pmid\n" + b"1" * 200_000, ":2: a line longer"),
        (b"\xff\xfe\x00", "no identifier in it"),
    ],
)
def test_a_list_that_is_none_is_refused_in_a_line(
    content: bytes, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "known").write_bytes(content)
    with pytest.raises(InputError) as refused:
        read_known(tmp_path / "known", ())
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)
    with pytest.raises(InputError, match="no such file|No such file"):
        read_known(tmp_path / "missing", ())

"""What is to be fetched, by the files that name it."""

from pathlib import Path

import pytest

from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.errors import InputError
from citespan.pipelines.fetching.wanted import Wanted, read_wanted

LISTED = """# a remark
12
PMID: 013

PMC0034
https://doi.org/10.1000/A.b
no identifier
"""


def test_a_file_of_identifiers(tmp_path: Path) -> None:
    file = tmp_path / "wanted.txt"
    file.write_text(LISTED)
    assert read_wanted(str(file)) == [
        Wanted(f"{file}:2", Publication(pmid="12")),
        Wanted(f"{file}:3", Publication(pmid="13")),
        Wanted(f"{file}:5", Publication(pmcid="PMC0034")),
        Wanted(f"{file}:6", Publication(doi="10.1000/a.b")),
        Wanted(f"{file}:7", Publication(), "'no identifier' is no PMID, PMCID or DOI"),
    ]


def test_the_list_that_check_writes(tmp_path: Path) -> None:
    file = tmp_path / "missing.csv"
    file.write_text(
        "key,authors,title,year,journal,pmid,pmcid,doi,reference,citations\n"
        '1,"Ito, Kim; Ry, Bo","Sugar feeds yeast",2001,,12,,10.1000/a,"a,\nb",2\n'
        '2,"Ito, Kim",Bread,1999,,,,,,1\n'
        "3,,,,,x1,,,,1\n"
        "4,,Title alone,,,,,,,1\n"
    )
    first, second, third, fourth = read_wanted(str(file))
    said = Publication(("Ito, Kim", "Ry, Bo"), "Sugar feeds yeast", 2001, "", "12", "", "10.1000/a")
    assert first.publication == said
    assert (first.key, first.problem) == ("pmid:12", "")
    assert second.key == "title:bread|ito|1999"
    assert third.problem == "'x1' is no PMID"
    assert fourth.problem == "neither an identifier nor a title with its first author"


def test_the_references_of_a_manuscript_and_of_a_library(tmp_path: Path) -> None:
    library = tmp_path / "made.bib"
    library.write_text(
        "@a{ito, title={Sugar}, author={Ito, K}, doi={10.1000/a}}\n@a{, title={x}}\n"
    )
    manuscript = tmp_path / "made.md"
    manuscript.write_text("---\nbibliography: made.bib\n---\n\nYeast grows [@ito].\n")
    for file in (library, manuscript):
        found, broken = read_wanted(str(file))
        assert found.publication.doi == "10.1000/a"
        assert broken.problem == "@a has no key; it is left out"


def test_the_folder_of_a_library(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "made.ris").write_text("TY  - JOUR\nTI  - A\nDO  - 10.1000/a\nER  -\n")
    (found,) = read_wanted(str(tmp_path))
    assert found.key == "doi:10.1000/a"


@pytest.mark.parametrize(
    ("name", "written", "problem"),
    [
        ("a.csv", "a,b\n1,2\n", "no column is called pmid, pmcid, doi or title"),
        ("a.csv", "", "no column is called"),
        ("a.csv", "pmid\n" + "1" * 200_000, "field larger than field limit"),
        ("a.csv", "pmid\n", "nothing in it names an article"),
        ("a.txt", "12\n\0", "not plain text"),
        ("a.xyz", "12\n", "of no known format"),
    ],
)
def test_a_file_that_names_nothing_is_an_input_error(
    name: str, written: str, problem: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(written)
    with pytest.raises(InputError, match=problem) as told:
        read_wanted(str(tmp_path / name))
    assert str(told.value).startswith(str(tmp_path / name))


def test_a_file_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_wanted(str(tmp_path / "a.csv"))

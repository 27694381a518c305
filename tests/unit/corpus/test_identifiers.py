"""Identifiers as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.corpus.identifiers import find_spellings

NUMBERS = st.integers(1, 10**9).map(str)
DOIS = st.builds(
    "10.{}/{}".format,
    st.integers(1000, 99999),
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._()-]{0,20}[A-Za-z0-9]", fullmatch=True),
)
SPACE = st.sampled_from(("", " ", "\n", "\t ", "\u00a0"))
CASES = st.sampled_from((str, str.lower, str.upper))


@given(NUMBERS, SPACE, CASES)
@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "PMID:{}",
        "PMID: {}",
        "pmid {}",
        "PMID{}",
        "PubMed ID: {}",
        "https://pubmed.ncbi.nlm.nih.gov/{}/",
        "https://pubmed.ncbi.nlm.nih.gov/{}?dopt=Abstract",
        "https://www.ncbi.nlm.nih.gov/pubmed/{}",
        "pubmed.ncbi.nlm.nih.gov/{}",
        "https://europepmc.org/article/MED/{}",
        "{}.xml",
        "articles/{}.txt",
    ],
)
def test_a_pmid(form: str, number: str, space: str, case: object) -> None:
    assert callable(case)
    assert number in find_spellings(space + case(form.format(number)) + space)


@given(NUMBERS, SPACE, CASES)
@pytest.mark.parametrize(
    "form",
    [
        "PMC{}",
        "PMC {}",
        "PMC{}.1",
        "PMCID: PMC{}",
        "https://pmc.ncbi.nlm.nih.gov/articles/PMC{}/",
        "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC{}/#Sec2",
        "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC{}/pdf/a.pdf",
        "https://europepmc.org/article/PMC/PMC{}",
        "PMC{}.nxml",
        "PMC{}.nxml.gz",
        "pmc/PMC{}.xml",
        "C:\\pmc\\PMC{}.xml.gz",
    ],
)
def test_a_pmc_id(form: str, number: str, space: str, case: object) -> None:
    assert callable(case)
    assert f"PMC{number}" in find_spellings(space + case(form.format(number)) + space)


@given(DOIS, SPACE)
@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "doi:{}",
        "DOI: {}",
        "doi {}",
        "https://doi.org/{}",
        "http://dx.doi.org/{}",
        "doi.org/{}",
    ],
)
def test_a_doi(form: str, doi: str, space: str) -> None:
    found = find_spellings(space + form.format(doi) + space)
    assert doi in found
    assert doi.lower() in found


@given(st.text(max_size=60))
def test_any_text_comes_first_as_it_is_and_nothing_is_raised(text: str) -> None:
    found = find_spellings(text)
    assert found[:1] == ((text.strip(),) if text.strip() else ())
    assert len(set(found)) == len(found)
    assert all(form and form == form.strip() for form in found)


def test_a_topic_in_another_case() -> None:
    assert "D1401_TRAIN" in find_spellings(" d1401_train ")
    assert find_spellings("D1401_TRAIN")[0] == "D1401_TRAIN"


def test_numbers_of_one_kind_are_not_those_of_another() -> None:
    assert "123" not in find_spellings("PMC123")
    assert "PMC123" not in find_spellings("PMID:123")

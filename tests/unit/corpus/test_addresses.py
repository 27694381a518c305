"""Addresses are made of valid identifiers alone."""

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.corpus.identifiers import find_addresses
from citespan.pipelines.corpus.publication import Publication


def test_each_identifier_has_its_page() -> None:
    found = find_addresses(Publication(pmid="12", pmcid="PMC34", doi="10.1000/a"))
    assert found == [
        ("PubMed 12", "https://pubmed.ncbi.nlm.nih.gov/12/"),
        ("PMC34", "https://pmc.ncbi.nlm.nih.gov/articles/PMC34/"),
        ("doi:10.1000/a", "https://doi.org/10.1000/a"),
    ]


def test_old_identifiers_with_brackets_are_encoded() -> None:
    doi = "10.1002/(sici)1097-0258(19980815)17:15<1661::aid-sim968>3.0.co;2-2"
    [(_, address)] = find_addresses(Publication(doi=doi))
    assert "<" not in address
    assert unquote(address) == f"https://doi.org/{doi}"


@pytest.mark.parametrize(
    "publication",
    [
        Publication(pmid="12 onclick="),
        Publication(pmid="١٢"),
        Publication(pmcid="PMC12/../../x"),
        Publication(doi="javascript:alert(1)"),
        Publication(doi="10.1000/a b\u202ec"),
        Publication(doi="https://evil.example/10.1000/a"),
    ],
    ids=repr,
)
def test_there_is_no_address_for_what_is_no_identifier(publication: Publication) -> None:
    assert find_addresses(publication) == []


@given(st.text(), st.text(), st.text().map("10.1000/{}".format))
def test_addresses_are_of_three_hosts_and_plain_ascii(pmid: str, pmcid: str, doi: str) -> None:
    for _, address in find_addresses(Publication(pmid=pmid, pmcid=pmcid, doi=doi)):
        split = urlsplit(address)
        assert split.scheme == "https"
        assert split.netloc in ("pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov", "doi.org")
        assert address.isascii()
        assert not set(address) & set("\"'<> \n#?\\")

"""The pages of publications in PubMed, PubMed Central and at their publishers."""

import re
from urllib.parse import quote

from citespan.pipelines.corpus.identifiers import find_doi, find_pmcid, find_pmid
from citespan.pipelines.corpus.publication import Publication

_PMID = re.compile(r"[0-9]{1,12}")
_PMCID = re.compile(r"PMC[0-9]{1,12}")
_DOI = re.compile(r"10\.[0-9]{2,9}/[^\s\"\\^`{|}]{1,500}")


def find_addresses(publication: Publication) -> list[tuple[str, str]]:
    """Return what each page of a publication is called, such as "PubMed 12", and its address.

    There is none for an identifier that is not written as it has to be.
    """
    pmid, pmcid = find_pmid(publication.pmid), find_pmcid(publication.pmcid)
    doi = find_doi(publication.doi)
    found = []
    if _PMID.fullmatch(pmid):
        found.append((f"PubMed {pmid}", f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/"))
    if _PMCID.fullmatch(pmcid):
        found.append((pmcid, f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/"))
    if _DOI.fullmatch(doi) and doi.isprintable():
        found.append((f"doi:{doi}", f"https://doi.org/{quote(doi, safe='/:;()')}"))
    return found

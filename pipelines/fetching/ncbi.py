"""NCBI's services: the converter of identifiers of articles in PubMed Central, and PubMed's records
by the E-utilities (https://pmc.ncbi.nlm.nih.gov/tools/id-converter-api/, NBK25497)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final

from lxml import etree

from citespan.pipelines.batches import batched
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.bibliographies.fields import find_text
from citespan.pipelines.corpus.identifiers import FINDERS, is_pmid, read_identifiers
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.readers.medline import find_notices, parse_citation, read_elements
from citespan.pipelines.corpus.xml import BadXmlError
from citespan.pipelines.fetching.service import BadAnswerError, Service, ServiceError, read_object

UTILITIES: Final = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
CONVERTER: Final = "https://pmc.ncbi.nlm.nih.gov/tools/idconv/api/v1/articles/"
PER_SECOND: Final = 3
PER_SECOND_WITH_KEY: Final = 10
AT_ONCE: Final = 200
"""Identifiers in one request, for either service."""
_MOST_JSON, _MOST_XML = 10 * 2**20, 100 * 2**20


@dataclass(frozen=True, slots=True)
class PubmedRecord:
    """A record of PubMed.

    Attributes:
        xml: a `<PubmedArticleSet>` with it alone.
        has_abstract: whether it has one in English.
        notices: what later publications say of the article, such as "retracted".
    """

    xml: bytes
    has_abstract: bool
    notices: tuple[str, ...]


class Ncbi:
    """Completes identifiers, and fetches records of PubMed."""

    def __init__(self, utilities: Service, converter: Service) -> None:
        self._utilities = utilities
        self._converter = converter

    def convert(self, publications: Sequence[Publication]) -> Mapping[str, Publication]:
        """Return the identifiers of those articles that are in PubMed Central, by each identifier
        that they were asked for by, such as "doi:10.1/x".

        Raises:
            ServiceError, ServiceAwayError: if it is not answered.
        """
        found: dict[str, Publication] = {}
        for kind in FINDERS:  # those of one request are of one kind
            wanted = [value for asked in publications if (value := getattr(asked, kind))]
            wanted = [value for value in dict.fromkeys(wanted) if "," not in value]
            for some in batched(wanted, AT_ONCE):
                parameters = {"ids": ",".join(some), "idtype": kind}
                parameters |= {"format": "json", "versions": "no"}
                answer = self._converter.ask("", parameters, _read_converted, _MOST_JSON)
                for publication in answer or ():
                    for identifier in publication.identifiers:
                        found.setdefault(identifier, publication)
        return found

    def fetch_records(self, pmids: Sequence[str]) -> dict[str, PubmedRecord]:
        """Return the records that exist, by their PMIDs.

        Args:
            pmids: at most `AT_ONCE`.

        Raises:
            ServiceError, ServiceAwayError: if it is not answered.
        """
        parameters = {"db": "pubmed", "retmode": "xml", "id": ",".join(pmids)}
        try:
            found = self._utilities.ask("efetch.fcgi", parameters, read_records, _MOST_XML, True)
        except ServiceError as error:
            if not error.is_about_the_request:
                raise
            if len(pmids) == 1:  # it is refused for a PMID that does not exist
                return {}
            middle = len(pmids) // 2
            return self.fetch_records(pmids[:middle]) | self.fetch_records(pmids[middle:])
        return {pmid: record for pmid, record in (found or {}).items() if pmid in pmids}


def _read_converted(body: bytes) -> list[Publication]:
    records = read_object(body).get("records")
    if not isinstance(records, list):
        raise BadAnswerError("JSON of another form")
    found = []
    for record in records:
        if isinstance(record, dict) and record.get("status") != "error":
            written = {kind: find_text(record, kind) for kind in FINDERS}
            found.append(Publication(**read_identifiers(written)))
    return found


def read_records(body: bytes) -> dict[str, PubmedRecord]:
    """Return the records in an answer of efetch, by their PMIDs.

    Raises:
        BadAnswerError: if it is damaged, or something else.
    """
    try:
        return dict(_find_records(body))
    except BadXmlError as error:
        raise BadAnswerError(str(error)) from error


def _find_records(body: bytes) -> Iterator[tuple[str, PubmedRecord]]:
    if b"<PubmedArticleSet" not in body[:2000]:
        said = collapse_space(body[:200].decode("utf-8", "replace"))
        raise BadAnswerError(f"no records of PubMed: {said}")
    for element in read_elements(BytesIO(body)):
        pmid = collapse_space(element.findtext("MedlineCitation/PMID") or "")
        if element.tag != "PubmedArticle" or not is_pmid(pmid):
            continue
        reading = parse_citation(element, "PubMed", 0)
        citation = element.find("MedlineCitation")
        assert citation is not None
        kinds = tuple(notice.kind for notice in find_notices(citation)["notices"])
        xml = etree.tostring(element, encoding="utf-8", with_tail=False)
        whole = b"<PubmedArticleSet>" + xml + b"</PubmedArticleSet>\n"
        yield pmid, PubmedRecord(whole, isinstance(reading, Abstract), kinds)

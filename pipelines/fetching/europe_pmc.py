"""Europe PMC's REST service: what it knows of articles, and the full text of those in PubMed
Central's open-access subset (https://europepmc.org/RestfulWebService)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from lxml import etree

from citespan.pipelines.citations.resolution import IndexedArticle, make_look_up, resolve
from citespan.pipelines.corpus.bibliographies.fields import find_text
from citespan.pipelines.corpus.identifiers import FINDERS, find_pmcid, read_identifiers
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.publication import Publication, join_name
from citespan.pipelines.corpus.xml import BadXmlError, find_child, local_name, parse
from citespan.pipelines.fetching.service import BadAnswerError, Service, ServiceError, read_object

ADDRESS: Final = "https://www.ebi.ac.uk/europepmc/webservices/rest"
PER_SECOND: Final = 5
AT_ONCE: Final = 25
"""Articles in one request: the query is part of an address, which must not get too long."""
_PAGE = 100
_MOST_JSON, _MOST_XML = 50 * 2**20, 100 * 2**20
_LONGEST_TITLE = 300
_CREATIVE_COMMONS = re.compile(
    r"creativecommons\.org/(?:licenses/([a-z-]{2,20})|publicdomain/(zero|mark))/?(\d\.\d)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Known:
    """An article that a service knows.

    Attributes:
        is_open: whether its full text is in the open-access subset; None if that is not known.
        licence: such as "cc by 4.0"; "" if none is stated.
    """

    publication: Publication = field(default_factory=Publication)
    is_open: bool | None = None
    licence: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as the journal stores it."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Known":
        """Return what `to_json` has stored."""
        written = stored["publication"]
        publication = Publication(**{**written, "authors": tuple(written["authors"])})
        return cls(publication, stored["is_open"], stored["licence"])


def describe_licence(written: str) -> str:
    """Return a licence in few words: that of a Creative Commons address, or the text itself."""
    found = _CREATIVE_COMMONS.search(written[:2000])
    if found is None:
        return " ".join(written.split())[:60].lower()
    kind = {"zero": "cc0", "mark": "public domain"}.get((found[2] or "").lower())
    return " ".join(filter(None, (kind or f"cc {found[1].lower()}", found[3])))


class EuropePmc:
    """Finds articles by their identifiers, title or a query, and fetches full texts."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def look_up(self, publications: Sequence[Publication]) -> list[Known | None]:
        """Return what is known of each publication that has an identifier, in their order.

        Args:
            publications: at most `AT_ONCE`.

        Raises:
            ServiceError, ServiceAwayError: if it is not answered.
        """
        query = " OR ".join(clause for publication in publications for clause in _name(publication))
        by_identifier: dict[str, Known] = {}
        for known in self._search(query, _PAGE)[0]:
            for identifier in known.publication.identifiers:
                by_identifier.setdefault(identifier, known)
        return [
            next((by_identifier[i] for i in wanted.identifiers if i in by_identifier), None)
            for wanted in publications
        ]

    def look_up_title(self, publication: Publication) -> Known | None:
        """Return the article that a reference means by its title, first author and year, by the
        rules by which references are resolved; None if none or several fit.

        Raises:
            ServiceError, ServiceAwayError: if it is not answered.
        """
        query = f"TITLE:{_quote(publication.title[:_LONGEST_TITLE])}"
        found = self._search(query, AT_ONCE)[0]
        candidates = [
            IndexedArticle(str(number), known.publication) for number, known in enumerate(found)
        ]
        bare = replace(publication, pmid="", pmcid="", doi="")  # an identifier would decide
        [resolution] = resolve([bare], make_look_up(candidates))
        return found[int(resolution.article)] if resolution.article is not None else None

    def search(self, query: str, limit: int) -> Iterator[Known]:
        """Yield the articles that a query in Europe PMC's syntax finds, the most relevant first.

        Raises:
            ServiceError, ServiceAwayError: if it is not answered, or refused.
        """
        cursor, left = "*", limit
        while left > 0:
            found, following = self._search(query, min(_PAGE, left), cursor)
            yield from found[:left]
            left -= len(found)
            if not found or not following or following == cursor:
                return
            cursor = following

    def fetch_full_text(self, pmcid: str) -> tuple[bytes, str] | None:
        """Return the JATS XML of an article, and its licence; None if it is not open.

        Raises:
            ServiceError, ServiceAwayError: if it is not answered.
        """
        return self._service.ask(
            f"{pmcid}/fullTextXML", {}, lambda body: _check_jats(body, pmcid), _MOST_XML
        )

    def _search(self, query: str, size: int, cursor: str = "*") -> tuple[list[Known], str]:
        parameters = {
            "query": query,
            "format": "json",
            "resultType": "core",
            "pageSize": str(size),
            "cursorMark": cursor,
        }
        return self._service.ask("search", parameters, _read_page, _MOST_JSON) or ([], "")


def _read_page(body: bytes) -> tuple[list[Known], str]:
    page = read_object(body)
    if "hitCount" not in page:
        said = find_text(page, "errMsg", "errorMessage", "message")
        if said:
            raise ServiceError(f"Europe PMC refuses the query: {collapse_space(said)[:200]}")
        raise BadAnswerError("JSON of another form")
    listed = page.get("resultList")
    results = listed.get("result") if isinstance(listed, dict) else None
    found = results if isinstance(results, list) else []
    known = [_read_result(result) for result in found if isinstance(result, dict)]
    return known, find_text(page, "nextCursorMark")


def _read_result(result: dict[str, Any]) -> Known:
    year = find_text(result, "pubYear")
    publication = Publication(
        authors=tuple(_read_authors(result.get("authorList"))),
        title=collapse_space(find_text(result, "title")).rstrip("."),
        year=int(year) if year.isascii() and year.isdigit() and len(year) == 4 else None,
        **read_identifiers({kind: find_text(result, kind) for kind in FINDERS}),
    )
    is_open = find_text(result, "isOpenAccess").upper() == "Y"
    return Known(publication, is_open, describe_licence(find_text(result, "license")))


def _read_authors(listed: Any) -> Iterable[str]:
    authors = listed.get("author") if isinstance(listed, dict) else None
    for author in authors if isinstance(authors, list) else ():
        if isinstance(author, dict):
            name = join_name(find_text(author, "lastName"), find_text(author, "firstName"))
            if shown := name or find_text(author, "collectiveName", "fullName"):
                yield collapse_space(shown)


def _name(publication: Publication) -> Iterator[str]:
    if publication.pmid:
        yield f"(EXT_ID:{publication.pmid} AND SRC:MED)"
    if publication.pmcid:
        yield f"PMCID:{publication.pmcid}"
    if publication.doi:
        yield f"DOI:{_quote(publication.doi)}"


def _quote(text: str) -> str:
    """Return a text as one phrase of the query, in which nothing is an operator."""
    return f'"{collapse_space(text.replace(chr(34), " ").replace(chr(92), " "))}"'


def _check_jats(body: bytes, pmcid: str) -> tuple[bytes, str] | None:
    """Return an article that is whole, is the one asked for and has a body, with its licence."""
    try:
        root = parse(body)
    except BadXmlError as error:
        raise BadAnswerError(str(error)) from error
    if local_name(root.tag) != "article":
        raise BadAnswerError(f"an element <{local_name(root.tag)[:40]}> in place of an article")
    meta = find_child(root, "front", "article-meta")
    names = {
        find_pmcid(node.text or "")
        for node in (meta.iterchildren("{*}article-id") if meta is not None else ())
        if node.get("pub-id-type") in ("pmc", "pmcid")
    }
    if names and pmcid not in names:
        raise BadAnswerError(f"another article than {pmcid}")
    if find_child(root, "body") is None:
        return None
    return body, _read_licence(meta)


def _read_licence(meta: etree._Element | None) -> str:
    if meta is None:
        return ""
    written = []
    for licence in meta.iterfind("{*}permissions/{*}license"):
        named = licence.attrib.items()
        written += [str(value) for name, value in named if local_name(str(name)) == "href"]
        for element in licence.iter("{*}license_ref", "{*}ext-link"):
            written += [element.text or "", *map(str, element.attrib.values())]
    return next((describe_licence(text) for text in written if "creativecommons" in text), "")

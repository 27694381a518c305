"""Searching for many citances that come as lines of a file."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.citance_lines import CitanceLine
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.catalogue import Catalogue
from citespan.pipelines.ranking.evidence import Evidence
from citespan.pipelines.retrieval.layouts.layout import SearchRequest
from citespan.searching import SearchSettings

_TOGETHER = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for a line."""

    line: CitanceLine
    request: SearchRequest
    found: Evidence

    def to_json(self, settings: SearchSettings) -> dict[str, Any]:
        """Return it as `citespan search --from` prints it."""
        line = self.line
        about = {"id": line.id, "line": line.number, "citance": line.citance}
        found = settings.to_json(self.request, self.found)
        return {**about, "settings": settings.describe(), **found}


class BatchSearch:
    """Searches for the citances of lines, many at a time.

    Args:
        source: the file's name, for messages.
    """

    def __init__(self, client: Elasticsearch, settings: SearchSettings, source: str) -> None:
        self._client = client
        self._settings = settings
        self._source = source
        self._entries: dict[str, ArticleEntry] = {}

    def search(self, lines: Iterable[CitanceLine | Rejected]) -> Iterator[Answer | Rejected]:
        """Yield what is found for each line, in order; what can't be searched for is rejected with
        the reason.

        Raises:
            UnknownNameError: for an unknown ranker, reformulation or model.
            ElasticsearchUnreachableError: if there is no server.
        """
        rest = iter(lines)
        while some := list(islice(rest, _TOGETHER)):
            self._look_up([one.article for one in some if isinstance(one, CitanceLine)])
            asked = [self._ask(one) if isinstance(one, CitanceLine) else one for one in some]
            wanted = [one for one in asked if not isinstance(one, Rejected)]
            answers = iter(self._find(wanted))
            yield from (one if isinstance(one, Rejected) else next(answers) for one in asked)

    def _look_up(self, articles: Iterable[str]) -> None:
        """Read the entries of articles that are named by their ids, all at once."""
        wanted = [one for one in articles if one not in self._entries]
        self._entries |= Catalogue(self._client).look_up_loaded(wanted)

    def _ask(self, line: CitanceLine) -> tuple[CitanceLine, SearchRequest] | Rejected:
        try:
            if line.article not in self._entries:
                self._entries[line.article] = Catalogue(self._client).find(line.article)
            entry = self._entries[line.article]
            request = self._settings.make_request(self._client, line.citance, entry)
            request.require_terms()
        except CitespanError as error:
            return self._reject(line, error)
        return line, request

    def _find(
        self, wanted: Sequence[tuple[CitanceLine, SearchRequest]]
    ) -> list[Answer | Rejected]:
        citances = [line.citance for line, _ in wanted]
        requests = [request for _, request in wanted]
        try:
            found = list(self._settings.find(self._client, citances, requests))
        except CitespanError as error:
            if len(wanted) == 1:
                return [self._reject(wanted[0][0], error)]
            # One of them is the reason, and costs no other.
            return [answer for one in wanted for answer in self._find([one])]
        return [
            Answer(line, request, one)
            for (line, request), one in zip(wanted, found, strict=True)
        ]

    def _reject(self, line: CitanceLine, error: CitespanError) -> Rejected:
        if error.exit_status != CitespanError.exit_status:
            raise error
        return Rejected(f"{self._source}:{line.number}", str(error))

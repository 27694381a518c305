"""Writes articles of the layout `spans`: makes the index of each, and fills it.

Making an index costs the server more than filling it, and it makes many at once nearly as fast
as one; so those of a group of articles are made at once.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from elasticsearch import ApiError, BadRequestError, Elasticsearch, NotFoundError

from citespan.es_mappings import spans as span_index
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import spans_index
from citespan.es_mappings.similarity import Similarity
from citespan.pipelines.indexing import capacity
from citespan.pipelines.indexing.documents.prepared import Prepared
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.writing.bulk_sender import BulkSender
from citespan.pipelines.indexing.writing.operation import documents
from citespan.pipelines.indexing.writing.patience import Patience, UnsettledError
from citespan.pipelines.server_reason import server_reason

_MADE_AT_ONCE = 32
_LONGEST_LIST = 3000  # a request's first line has at most 4 KB


class SpanWriter:
    """Writes span indices that all have the same fields."""

    def __init__(
        self,
        client: Elasticsearch,
        patience: Patience,
        sender: BulkSender,
        similarities: tuple[Similarity, ...],
        lengths: SpanLengths,
    ) -> None:
        self._client = client
        self._patience = patience
        self._sender = sender
        self._similarities = similarities
        self._lengths = lengths

    def ensure(self) -> None:
        """Nothing is shared by all."""

    def index_of(self, prepared: Prepared, old: ArticleEntry | None) -> str:  # noqa: ARG002
        """The article's own index, another one for other content."""
        return spans_index(prepared.id, self._body(prepared)["mappings"]["_meta"]["made_for"])

    def write(self, articles: Sequence[tuple[Prepared, str]]) -> dict[str, str]:
        """Make all indices and fill them.

        Args:
            articles: each with its index.

        Returns:
            Why the server refuses an article, by its id.
        """
        with ThreadPoolExecutor(_MADE_AT_ONCE) as makers:
            problems = list(makers.map(lambda one: self._make(*one), articles))
        refused = {
            article.id: problem
            for (article, _), problem in zip(articles, problems, strict=True)
            if problem is not None
        }
        made = [(article, index) for article, index in articles if article.id not in refused]
        sent = self._sender.send(
            one
            for article, index in made
            for one in documents(index, article.id, article.documents)
        )
        for names in listed(index for _, index in made):
            self._patience.call(partial(self._client.indices.refresh, index=names))
        return refused | {
            key: f"Elasticsearch refused a span of it: {reason}" for key, reason in sent.items()
        }

    def lengths(self, articles: Sequence[tuple[Prepared, str]]) -> dict[str, list[int]]:
        """Nothing: the server knows them."""
        return {article.id: [] for article, _ in articles}

    def _make(self, article: Prepared, index: str) -> str | None:
        """Make an empty index, unless there is one made for the same: another load may be at it.
        One of that name that an earlier citespan or somebody else has made is deleted.

        Returns:
            Why the server refuses it, in one line, if it does.
        """
        body = self._body(article)

        def create() -> str | None:
            try:
                self._client.indices.create(
                    index=index,
                    wait_for_active_shards=0,  # the first bulk request waits for it anyway
                    **body,
                )
            except BadRequestError as error:
                if error.error != "resource_already_exists_exception":
                    return _refused(error)
                if self._made_for(index) != body["mappings"]["_meta"]["made_for"]:
                    self._client.indices.delete(index=index, ignore_unavailable=True)
                    raise UnsettledError(f"{index} was made for something else") from error
            return None

        return self._patience.call(create)

    def _body(self, article: Prepared) -> dict[str, Any]:
        """Mappings and settings of its index; the former say what it is made for."""
        synonyms = article.synonyms
        mappings = span_index.mapping(self._similarities, synonyms is not None)
        settings = span_index.settings(self._similarities, synonyms)
        made_for = f"{article.content} {self._lengths!r} {mappings!r} {settings!r}"
        mappings["_meta"]["made_for"] = hashlib.sha256(made_for.encode()).hexdigest()
        return {"mappings": mappings, "settings": settings}

    def _made_for(self, index: str) -> str:
        try:
            found = self._client.indices.get_mapping(index=index)
        except NotFoundError as error:  # just made, or just deleted
            raise UnsettledError(f"there is and there isn't an index {index}") from error
        return str(found[index]["mappings"].get("_meta", {}).get("made_for", ""))


def listed(names: Iterable[str]) -> Iterator[str]:
    """Names of indices in lists that are short enough for a request's first line."""
    waiting = ""
    for name in names:
        if waiting and len(waiting) + len(name) > _LONGEST_LIST:
            yield waiting
            waiting = ""
        waiting += f",{name}" if waiting else name
    if waiting:
        yield waiting


def _refused(error: ApiError) -> str:
    reason = server_reason(error)
    remedy = f"; {capacity.REMEDY}" if "maximum normal shards open" in reason else ""
    return f"Elasticsearch refused an index for it: {reason}{remedy}"

"""What is indexed: listing and showing articles from Python."""

from dataclasses import asdict, dataclass
from typing import Any

from elasticsearch import Elasticsearch
from elasticsearch.dsl.query import Bool, Match, MatchAll, Prefix, Query, Term

from citespan.connecting import use_client
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import CITESPAN, IndexNames
from citespan.pipelines.corpus.identifiers import find_spellings
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.catalogue import Catalogue
from citespan.pipelines.indexing.layouts.layout import layout_of

MOST_LISTED = 10_000  # Elasticsearch's index.max_result_window


@dataclass(frozen=True, slots=True)
class ShownSentence:
    """A sentence of an indexed article.

    Attributes:
        number: from 0.
        start, end: character offsets into the article's text.
        section: the title of its section.
    """

    number: int
    start: int
    end: int
    section: str
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return it as `citespan show --json` prints it."""
        return asdict(self)


def articles(
    text: str | None = None,
    *,
    top: int = MOST_LISTED,
    first: int = 0,
    names: IndexNames = CITESPAN,
    client: Elasticsearch | None = None,
) -> list[ArticleEntry]:
    """List the indexed articles, by id, or find some of them, best first.

    Args:
        text: words of the title, an identifier or the beginning of one; None for all.
        top: how many at most, up to 10,000 together with `first`.
        first: how many to leave out before these.
        names: of the indices; those of experiments are `es_mappings.index_name.EXPERIMENTS`.

    Returns:
        Entries with `article` (the id), `title`, `layout`, `sentences`, `source` and more.
    """
    catalogue = Catalogue(use_client(client), names)
    if text is None:
        return catalogue.search(MatchAll(), top, ["article"], first)
    return catalogue.search(make_query(text), top, ["_score", "article"], first)


def count_articles(
    text: str | None = None,
    *,
    names: IndexNames = CITESPAN,
    client: Elasticsearch | None = None,
) -> int:
    """Return how many articles `articles` finds, however many they are."""
    catalogue = Catalogue(use_client(client), names)
    return catalogue.count(MatchAll() if text is None else make_query(text))


def describe_article(entry: ArticleEntry) -> dict[str, Any]:
    """Return an article as `citespan articles --json` and the API of `citespan serve` do."""
    return {
        "article": entry.article,
        "title": entry.title or "",
        "also_known_as": [*(entry.also_known_as or ())],
        "authors": [*(entry.authors or ())],
        "year": entry.year,
        "journal": entry.journal or "",
        "pmid": entry.pmid or "",
        "pmcid": entry.pmcid or "",
        "doi": entry.doi or "",
        "layout": entry.layout,
        "models": [*(entry.models or ())],
        "sentences": entry.sentences,
        "spans": entry.spans,
        "characters": entry.characters,
    }


def make_query(text: str) -> Query:
    """Return the query for entries whose title has the words of a text, or which it identifies."""
    spellings = list(find_spellings(text))
    return Bool(
        should=[
            Match("title", {"query": text, "operator": "and"}),
            *(Term("article", {"value": one, "boost": 10}) for one in spellings),
            *(Term("also_known_as", {"value": one, "boost": 10}) for one in spellings),
            Prefix("article", {"value": text.strip(), "case_insensitive": True}),
        ],
        minimum_should_match=1,
    )


def show(
    article: str,
    first: int | None = None,
    last: int | None = None,
    *,
    client: Elasticsearch | None = None,
) -> list[ShownSentence]:
    """Return the sentences of an indexed article, in order.

    Args:
        article: any of its identifiers.
        first, last: numbers of sentences, from 0, both included; None for the first and the last.

    Raises:
        UnknownNameError: if no such article is indexed.
        InputError: if the article has no sentences of these numbers.
        CitespanError: if its documents are gone, or its sentences are not stored singly.
    """
    client = use_client(client)
    entry = Catalogue(client).find(article)
    start = first if first is not None else 0
    end = min(last, entry.sentences - 1) if last is not None else entry.sentences - 1
    if not 0 <= start <= end:
        raise InputError(
            f"article '{entry.article}' has sentences 0-{entry.sentences - 1}; "
            f"{first}-{last} are none of them"
        )
    [found] = layout_of(entry).read_sentences(client, [(entry, range(start, end + 1))])
    return [
        ShownSentence(number, one["start"], one["end"], one["section"], str(one["text"]).rstrip())
        for number, one in found.items()
    ]

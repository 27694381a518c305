"""Linking the citations of indexed articles, and what an article is cited for, from Python."""

from collections.abc import Callable

from elasticsearch import Elasticsearch

from citespan.connecting import use_client
from citespan.pipelines.citations.cited import CitedArticle, find_cited
from citespan.pipelines.citations.link_report import LinkReport
from citespan.pipelines.citations.linking import link_citations
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.reading.sources import Shard
from citespan.pipelines.ranking.ranker import DEFAULT, NONE, find_ranker


def link(
    *,
    ranker: str = DEFAULT,
    shard: Shard | None = None,
    client: Elasticsearch | None = None,
    on_start: Callable[[int], Callable[[int], None]] = lambda _: lambda _: None,
) -> LinkReport:
    """Find the evidence for every citation of an indexed article by another, and store it.

    What is linked already stays, unless one of the two articles has changed or another ranker is
    named; so linking again after a load concerns only what the load has changed.

    Args:
        ranker: the name of what judges the cited articles.
        shard: the part of the citing articles to link; None for all.
        on_start: called with the number of citations; what it returns is called with the number
            of those that have just been dealt with.

    Returns:
        What became of each citation.

    Raises:
        InputError: if no ranker judges.
        UnknownNameError: for an unknown ranker.
        ElasticsearchUnreachableError: if the server goes away; linking again resumes.
    """
    judge = find_ranker(ranker)
    if judge is None:
        raise InputError(f"--ranker {NONE} has no probabilities; name a ranker to link with")
    return link_citations(use_client(client), judge, shard, on_start)


def cited(article: str, *, client: Elasticsearch | None = None) -> CitedArticle:
    """Return who cites an indexed article, and for which of its sentences.

    Args:
        article: any of its identifiers.

    Returns:
        The article with its links, as far as `link` has linked citations, and all its sentences
        with the number of citations of each.

    Raises:
        UnknownNameError, InputError: if no such article is indexed.
        CitespanError: if its documents are gone.
    """
    return find_cited(use_client(client), article)

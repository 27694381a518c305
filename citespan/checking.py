"""Checking the citations of a manuscript from Python."""

from collections.abc import Callable
from pathlib import Path

from elasticsearch import Elasticsearch

from citespan.connecting import use_client
from citespan.pipelines.citations.checked import CheckedManuscript
from citespan.pipelines.citations.checking import check_citations
from citespan.pipelines.citations.manuscript import read_citations
from citespan.pipelines.citing.citations import ArticleCitations
from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.ranker import DEFAULT, NONE, find_ranker
from citespan.pipelines.retrieval.layouts.layout import TOP


def check(
    manuscript: str | Path | ArticleCitations,
    *,
    format: str = "auto",  # noqa: A002  as in the command line
    ranker: str = DEFAULT,
    top: int = TOP,
    client: Elasticsearch | None = None,
    on_checked: Callable[[int], None] = lambda _: None,
) -> CheckedManuscript:
    """Check the citations of a manuscript: does each cited article support what is said of it?

    References are looked up among the indexed articles, by their identifiers or else by title,
    first author and year. The manuscript need not be indexed, and nothing of it is stored.

    Args:
        manuscript: a file, "-" for standard input, or what `read_citations` has found in one.
        format: name of a reader, or "auto".
        ranker: the name of what judges the cited articles.
        top: number of passages of each at most.
        on_checked: called with the number of citations that have just been checked.

    Returns:
        The manuscript with the status of each citation; those that were searched for have their
        evidence.

    Raises:
        InputError: if the manuscript can't be read, or `top` is less than 1.
        UnknownNameError: for an unknown format or ranker.
        ElasticsearchUnreachableError: if there is no server.
    """
    judge = find_ranker(ranker)
    if judge is None:
        raise InputError(f"--ranker {NONE} has no probabilities; name a ranker to check with")
    found = (
        manuscript
        if isinstance(manuscript, ArticleCitations)
        else read_citations(manuscript, format)
    )
    return check_citations(use_client(client), found, judge, top, on_checked)

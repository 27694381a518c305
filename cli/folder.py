"""`--articles FOLDER`: a folder of articles in place of a server."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from elasticsearch import Elasticsearch

from citespan.cli.output import progress, warn
from citespan.cli.readings import warn_rejected
from citespan.deploy.client import connect
from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.counts import format_count

if TYPE_CHECKING:
    from citespan.pipelines.fetching.fetching import FetchReport
    from citespan.pipelines.indexing.report import LoadReport

Articles = Annotated[
    Path | None,
    typer.Option(
        "--articles",
        metavar="FOLDER",
        help="Read the articles of this folder, in place of a server with those that are indexed. "
        "What was read is kept beside it.",
    ),
]


def open_articles(
    articles: Path | None, *, may_be_empty: bool = False
) -> tuple[Elasticsearch, bool]:
    """Return what answers from a folder of articles, or from the server in use if none is named;
    and whether any file of the folder is quarantined.

    What was read, skipped and quarantined is said on stderr, unless there is nothing to say.

    Args:
        may_be_empty: whether the folder may have no article yet, or not exist.
    """
    if articles is None:
        return connect(), False
    from citespan.library import open_folder

    with ExitStack() as shown:

        def start(files: int) -> Callable[[int], None]:
            return shown.enter_context(progress("Reading", files))

        client, report = open_folder(articles, start, may_be_empty=may_be_empty)
    is_new = report.articles or report.missing
    warn_rejected([*(report.skipped if is_new else ()), *report.quarantined])
    if is_new or report.quarantined:
        warn(f"{source_of(articles)}: {_describe(report)}; {client.kept.description}")
    return client, bool(report.quarantined)


def read_fetched(articles: Path, _fetched: "FetchReport") -> "LoadReport":
    """Read what was fetched into a folder of articles."""
    from citespan.library import open_folder

    return open_folder(articles, may_be_empty=True)[1]


def _describe(report: "LoadReport") -> str:
    counts = {
        "new": report.indexed,
        "changed": report.replaced,
        "unchanged": report.unchanged,
        "skipped": len(report.skipped),
        "quarantined": len(report.quarantined),
    }
    parts = ", ".join(f"{number:,} {name}" for name, number in counts.items() if number)
    gone = f"; {format_count(report.missing, 'article')} gone" if report.missing else ""
    return f"{format_count(report.inputs, 'input')}: {parts}{gone}"

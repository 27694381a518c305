"""`citespan articles`: what is indexed."""

from typing import Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.deploy.client import connect
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import CITESPAN, EXPERIMENTS
from citespan.library import articles as list_articles
from citespan.library import count_articles, describe_article
from citespan.pipelines.counts import format_count

EPILOG = 'Example: citespan articles "DNA damage"'


def articles(
    text: Annotated[
        str | None,
        typer.Argument(
            help="Words of the title, an identifier, or the beginning of one; without it, all "
            "articles are listed by their ids."
        ),
    ] = None,
    count: Annotated[bool, typer.Option("--count", help="Only print how many there are.")] = False,
    top: Annotated[
        int, typer.Option(min=1, max=10_000, help="Number of articles to list at most.")
    ] = 100,
    experiments: Annotated[
        bool,
        typer.Option("--experiments", help="Those that experiments have indexed, instead."),
    ] = False,
    json: Json = False,
) -> None:
    """List, find or count the articles that are indexed.

    Abstracts are not among them: they have an index of their own (`citespan answers`).
    """
    names = EXPERIMENTS if experiments else CITESPAN
    client = connect()
    total = count_articles(text, names=names, client=client)
    found = [] if count else list_articles(text, top=top, names=names, client=client)
    if json:
        listed = [
            describe_article(one) | {"source": [place.to_dict() for place in one.source or ()]}
            for one in found
        ]
        print_json({"count": total, "articles": listed})
        return
    if not count and found:
        _show(found)
    shown = "" if count or len(found) == total else f", of which {len(found):,} are listed"
    out.print(f"{format_count(total, 'article')}{shown}")


def _show(found: list[ArticleEntry]) -> None:
    from rich.text import Text

    from citespan.cli.tables import listing

    table = listing("article", "title", "sentences", "layout")
    for entry in found:
        table.add_row(
            Text(entry.article), Text(entry.title or ""), f"{entry.sentences:,}", entry.layout
        )
    out.print(table)

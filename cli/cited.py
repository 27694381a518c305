"""`citespan cited`: what an indexed article is cited for."""

from typing import TYPE_CHECKING, Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import out, print_json, warn
from citespan.deploy.client import connect
from citespan.pipelines.counts import format_count

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from citespan.pipelines.citations.cited import CitedArticle

EPILOG = "Example: citespan cited p53-dna-damage"
_SHOWN = 20


def cited(
    article: Annotated[str, typer.Argument(help="The article, by any of its identifiers.")],
    uncited: Annotated[
        bool, typer.Option("--uncited", help="List the sentences that nobody cites instead.")
    ] = False,
    json: Json = False,
) -> None:
    """Show what an indexed article is cited for: by whom, and for which sentences.

    A sentence is cited if it is in a passage that supports a citation. `citespan link` finds these
    passages; run it after loading articles.
    """
    from citespan.citing import cited as find_cited

    found = find_cited(article, client=connect())
    if json:
        print_json(found.to_json())
    elif uncited:
        _print_uncited(found)
    else:
        _print(found)
    if found.outdated:
        what = format_count(found.outdated, "further link")
        warn(f"{what} of articles that have changed: run `citespan link`")


def _print(found: "CitedArticle") -> None:
    _print_head(found)
    if not found.links:
        return
    sections = _make_table("section", "sentences", "citations")
    for section, citations in found.sections.items():
        number = sum(one.section == section for one in found.sentences)
        sections.add_row(_text(section or "(no section)"), f"{number:,}", f"{citations:,}")
    out.print(sections)
    sentences = _make_table("sentence", "citations", "text")
    for one in found.cited[:_SHOWN]:
        sentences.add_row(f"{one.number}", f"{one.citations:,}", _text(one.text))
    out.print(sentences)
    _print_rest(len(found.cited))
    links = _make_table("citing article", "support", "what it says")
    for link in found.links[:_SHOWN]:
        links.add_row(_text(link.citing), f"{link.support:.2f}", _text(link.query))
    out.print(links)
    _print_rest(len(found.links))


def _print_uncited(found: "CitedArticle") -> None:
    _print_head(found)
    width = len(f"{len(found.sentences)}")
    for one in found.uncited:
        out.print(_text(f"{one.number:>{width}}  {one.text}"))


def _print_head(found: "CitedArticle") -> None:
    from rich.text import Text

    out.print(Text.assemble((found.article, "bold"), f"  {found.title}" if found.title else ""))
    if not found.links:
        out.print("no citation of it is linked; see `citespan link --help`")
        return
    verdicts = ", ".join(f"{number:,} {verdict}" for verdict, number in found.verdicts.items())
    citing = format_count(len(found.citing), "article")
    out.print(f"{format_count(len(found.links), 'citation')} in {citing}: {verdicts}")
    out.print(
        f"{len(found.cited):,} of {format_count(len(found.sentences), 'sentence')} cited; "
        "--uncited lists the others"
    )


def _make_table(*headings: str) -> "Table":
    from rich.table import Table

    table = Table()
    for heading in headings:
        is_figure = heading in ("sentences", "citations", "support", "sentence")
        table.add_column(
            heading, justify="right" if is_figure else "left", no_wrap=is_figure, overflow="fold"
        )
    return table


def _print_rest(number: int) -> None:
    if number > _SHOWN:
        out.print(f"{number - _SHOWN:,} more; --json has them all")


def _text(written: str) -> "Text":
    """Return a text of an article, of which nothing is mark-up."""
    from rich.text import Text

    return Text(" ".join(written.split()))

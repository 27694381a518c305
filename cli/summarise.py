"""`citespan summarise`: an article summarised by what it is cited for."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citespan.cli.options import Json, ranker_help
from citespan.cli.output import out, print_json, progress, warn
from citespan.deploy.client import connect
from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.citance_lines import read_citance_lines
from citespan.pipelines.corpus.identifiers import find_spellings
from citespan.pipelines.counts import format_count
from citespan.pipelines.indexing.catalogue import Catalogue
from citespan.pipelines.ranking.ranker import DEFAULT

if TYPE_CHECKING:
    from citespan.pipelines.citations.summaries.summary import Summary

EPILOG = "Example: citespan summarise p53-dna-damage --citances citances.tsv"


def summarise(
    article: Annotated[str, typer.Argument(help="The article, by any of its identifiers.")],
    words: Annotated[int, typer.Option(help="Words of the summary at most.")] = 250,
    citances: Annotated[
        Path | None,
        typer.Option(
            help="A file of citances, as `citespan search --from` reads it, or - for stdin; those "
            "of this article count.",
            show_default="those that `citespan link` has linked",
        ),
    ] = None,
    ranker: Annotated[str, typer.Option(help=ranker_help())] = DEFAULT,
    json: Json = False,
) -> None:
    """Summarise an indexed article by what it is cited for.

    Citances that are about the same sentences are one cluster. Sentences are chosen that are
    evidence for many citances of many clusters, so that each discourse facet has the share that it
    has of all that is cited, and none that repeats another.
    """
    from citespan.citing import summarise as make_summary

    client = connect()
    entry = Catalogue(client).find(article)
    own, rejected = _read_citances(citances, entry) if citances is not None else (None, 0)
    with progress("Ranking", len(own) if own is not None else None) as advance:
        found = make_summary(
            entry.article, own, words=words, ranker=ranker, client=client, on_ranked=advance
        )
    if json:
        print_json(found.to_json())
    else:
        _print(found)
    raise typer.Exit(1 if rejected else 0)


def _read_citances(path: Path, entry: ArticleEntry) -> tuple[dict[str, str], int]:
    """Return the citances of an article by their ids, and how many lines can't be used."""
    known = {entry.article, *entry.also_known_as}
    found: dict[str, str] = {}
    rejected = others = 0
    for line in read_citance_lines(path):
        if isinstance(line, Rejected):
            warn(f"{line.source}: {line.reason}")
            rejected += 1
        elif known.isdisjoint(find_spellings(line.article)):
            others += 1
        else:
            found[line.id if line.id not in found else f"{line.id}:{line.number}"] = line.citance
    if others:
        warn(f"{format_count(others, 'citance')} of other articles left out")
    return found, rejected


def _print(found: "Summary") -> None:
    from rich.text import Text

    from citespan.cli.tables import listing

    out.print(Text.assemble((found.article, "bold"), f"  {found.title}" if found.title else ""))
    # the same for all, they tell nothing: the model's most frequent facet is as often right
    facets = ["facet"] if len({one.facet for one in found}) > 1 else []
    table = listing("sentence", *facets, "citances", "text")
    for one in found:
        facet = [one.facet] if facets else []
        table.add_row(*map(Text, (str(one.number), *facet, str(len(one.citances)), one.text)))
    out.print(table)
    shares = ", ".join(
        f"{share:.0%} {facet}"
        for facet, share in sorted(found.facets.items(), key=lambda item: -item[1])
        if share >= 0.005
    )
    cited = f"; of what is cited, {shares}" if facets else ""
    out.print(
        f"{format_count(found.words, 'word')}, from {format_count(found.citances, 'citance')} in "
        f"{format_count(found.clusters, 'cluster')}{cited}"
    )

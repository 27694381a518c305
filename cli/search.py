"""`citespan search`: from a citing sentence to the passages it is about."""

import json as json_module
import sys
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from citespan.cli.options import (
    Json,
    model_help,
    reformulation_help,
)
from citespan.cli.output import out, print_json
from citespan.cli.reformulation_options import with_reformulation_options
from citespan.deploy.node.client import connect
from citespan.pipelines.indexing import catalogue
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.reformulation.composition import parse
from citespan.pipelines.reformulation.context import Options
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.article_context import article_context
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.passage import Passage
from citespan.pipelines.retrieval.passages import passages
from citespan.pipelines.retrieval.request import TOP, SearchRequest
from citespan.pipelines.retrieval.search import console_request
from citespan.pipelines.retrieval.search import search as search_article

_AS_INDEXED = "as indexed"
EPILOG = (
    'Example: citespan search "p53 stops the cell cycle after DNA damage (Smith, 2010)" '
    "--article p53-dna-damage"
)


@with_reformulation_options
def search(
    citance: Annotated[str, typer.Argument(help="The citing sentence; - reads it from stdin.")],
    article: Annotated[str, typer.Option(help="The cited article, by any identifier of it.")],
    reformulation: Annotated[str, typer.Option(help=reformulation_help())] = "baseline",
    model: Annotated[str, typer.Option(help=model_help())] = "vsm",
    top: Annotated[int, typer.Option(help="How many spans to show.")] = TOP,
    depth: Annotated[
        int | None,
        typer.Option(
            help="How many spans to merge.", show_default="as few as leave three, or --top"
        ),
    ] = None,
    merge: Annotated[
        bool, typer.Option(help="Merge spans into the retrieved spans that contain them.")
    ] = True,
    shortest: Annotated[
        int | None, typer.Option(help="Sentences of the shortest span.", show_default=_AS_INDEXED)
    ] = None,
    longest: Annotated[
        int | None, typer.Option(help="Sentences of the longest span.", show_default=_AS_INDEXED)
    ] = None,
    explain: Annotated[bool, typer.Option(help="Show which terms scored what.")] = False,
    dsl: Annotated[
        bool, typer.Option("--dsl", help="Only print the request, for Kibana's console.")
    ] = False,
    json: Json = False,
    *,
    options: Options,
) -> None:
    """Find the spans of an article that a citing sentence is about.

    In which layout the article is indexed makes no difference, but that only the layout sentences
    has spans of any length.
    """
    text = sys.stdin.read() if citance == "-" else citance
    composition = parse(reformulation)
    client = connect()
    entry = catalogue.find(client, article)
    terms = composition.terms(text, article_context(client, entry, options, models[model]))
    spans = SpanLengths(shortest or entry.shortest, longest or entry.longest)
    request = SearchRequest(entry, terms, models[model], top, depth, merge, spans)
    if dsl:
        body = console_request(client, request)
        typer.echo(f"GET {entry.index}/_search")
        typer.echo(json_module.dumps(dict(body), indent=2, ensure_ascii=False))
        return
    found = passages(client, request, search_article(client, request))
    if json:
        results = [p.to_json() | ({"terms": dict(p.term_scores)} if explain else {}) for p in found]
        print_json(
            {
                "article": entry.article,
                "model": model,
                "reformulation": reformulation,
                "query": [{"text": t.text, "weight": t.weight, "kind": t.kind} for t in terms],
                "results": results,
            }
        )
        return
    _show(entry.article, entry.title, terms, found, explain)


def _show(
    article: str, title: str, terms: tuple[Term, ...], found: list[Passage], explain: bool
) -> None:
    out.print(Text.assemble((article, "bold"), f"  {title}" if title else ""))
    weighted = (t.text if t.weight == 1 else f"{t.text}^{t.weight:g}" for t in terms)
    out.print(Text("query: " + " ".join(weighted), style="dim"))
    if not found:
        out.print("No span has any of these terms.")
    for passage in found:
        where = f"sentences {passage.first_sentence}-{passage.last_sentence}"
        out.print()
        out.print(
            Text.assemble(
                (f"{passage.rank}. ", "bold"),
                (f"score {passage.score:.3f}", "bold green"),
                f"  {where}, characters {passage.start}-{passage.end}",
                f", {passage.section}" if passage.section else "",
            )
        )
        out.print(_in_its_place(passage))
        if explain:
            out.print(_explained(passage))


def _in_its_place(passage: Passage) -> Text:
    span = Text(passage.text, style="bold")
    for start, end in passage.matches:
        span.stylize("reverse", start, end)
    parts = [Text(passage.before, style="dim"), span, Text(passage.after, style="dim")]
    return Text(" ").join(part for part in parts if part.plain)


def _explained(passage: Passage) -> Table:
    own = sum(passage.term_scores.values())
    table = Table("which term scored what")
    table.add_column("score", justify="right")
    for term, score in passage.term_scores.items():
        table.add_row(Text(term), f"{score:.3f}")
    table.add_section()
    table.add_row("the span itself", f"{own:.3f}")
    table.add_row("spans merged into it", f"{max(0.0, passage.score - own):.3f}")
    return table

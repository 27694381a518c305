"""`citespan reformulate`: the terms and the query that each reformulation makes of a citance."""

import json as json_module
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from citespan.cli.options import Csv, Json, setting_help, split_names
from citespan.cli.output import out, print_csv, print_json, warn
from citespan.cli.setting_options import with_reformulation_options
from citespan.cli.tables import print_rows
from citespan.deploy.client import connect
from citespan.es_mappings.similarity import Similarity
from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.reformulation.reformulation import PUBLISHED, Context, parse, reformulations
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.query_dsl import spans_query
from citespan.pipelines.retrieval.search import article_context
from citespan.pipelines.shown import Row
from citespan.pipelines.store.catalogue import Catalogue

_COLUMNS = ("reformulation", "text", "kind", "weight")
_HEADINGS = {
    "name": "reformulation",
    "role": "role",
    "needs": "needs",
    "description": "what is searched for",
}


@with_reformulation_options
def reformulate(
    citance: Annotated[
        str | None, typer.Argument(help="The citing sentence; - reads it from stdin.")
    ] = None,
    reformulation: Annotated[
        str | None,
        typer.Option(
            help="Names of reformulations, separated by commas; combinations as in np+umls-expand.",
            show_default="all, and the combinations of the paper",
        ),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the reformulations.")] = False,
    article: Annotated[
        str | None,
        typer.Option(help="The cited article, if it is indexed: for prf and abbreviations."),
    ] = None,
    model: Annotated[str, typer.Option(help=setting_help("model"))] = "vsm",
    dsl: Annotated[bool, typer.Option("--dsl", help="Show the query DSL too.")] = False,
    json: Json = False,
    csv: Csv = False,
    *,
    options: Options,
) -> None:
    """Show what each reformulation makes of a citing sentence: its terms, weights and query.

    Example: citespan reformulate "p53 stops the cell cycle [12]" --reformulation np,keywords
    """
    if list_:
        _list(json, csv)
        return
    if citance is None:
        raise InputError("no citing sentence; give one, or - to read it from stdin")
    context = Context(options)
    if article is not None:
        client = connect()
        context = article_context(client, Catalogue(client).find(article), options, models[model])
    field = Similarity(models[model].name, {}).field
    text = sys.stdin.read() if citance == "-" else citance
    made = dict(_reformulate(text, reformulation, context, field))
    if json:
        print_json(made)
        return
    for name, query in made.items():
        if "unavailable" in query:
            warn(f"{name}: not shown: {query['unavailable']}")
    shown = {name: query for name, query in made.items() if "terms" in query}
    if csv:
        named = ((name, term) for name, query in shown.items() for term in query["terms"])
        print_csv(({"reformulation": name, **asdict(term)} for name, term in named), _COLUMNS)
    else:
        _show(shown, dsl)


def _reformulate(
    text: str, names: str | None, context: Context, field: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name of each reformulation with what it makes, or why it is unavailable."""
    for name in split_names(names) or (*reformulations.names(), *PUBLISHED):
        composition = parse(name)
        if names is None:
            try:
                composition.check(context)
            except InputError as error:
                yield composition.name, {"unavailable": str(error)}
                continue
        terms = composition.terms(text, context)
        query = spans_query(terms, field).to_dict() if terms else None
        yield composition.name, {"terms": terms, "dsl": query}


def _show(made: dict[str, dict[str, Any]], dsl: bool) -> None:
    for name, query in made.items():
        out.print(Text(name, style="bold"))
        terms = query["terms"]
        out.print(_make_table(terms) if terms else "  nothing is left to search for")
        if dsl and query["dsl"]:
            body = json_module.dumps(query["dsl"], indent=2, ensure_ascii=False)
            out.print(Syntax(body, "json", background_color="default"))


def _make_table(terms: tuple[Term, ...]) -> Table:
    table = Table("term", "kind", box=None, padding=(0, 2))
    table.add_column("weight", justify="right")
    for term in terms:
        table.add_row(Text(term.text), term.kind, f"{term.weight:.3g}")
    return table


def _list(json: bool, csv: bool) -> None:
    rows: list[Row] = [
        {"name": r.name, "role": r.role, "needs": r.needs, "description": r.description}
        for r in reformulations
    ]
    if json:
        print_json({"reformulations": rows, "published_combinations": PUBLISHED})
        return
    print_rows([row | {"needs": ", ".join(row["needs"])} for row in rows], _HEADINGS, csv=csv)
    if not csv:
        out.print(
            "Combine them with +, reductions first, expansions last; the combinations of Cohan et "
            "al. 2015 are " + " and ".join(PUBLISHED)
        )

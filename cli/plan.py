"""`citespan plan`: what a number of articles needs."""

import textwrap
from typing import Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.tables import listing
from citespan.deploy.plan import make_plan

_WIDTH = 80


def plan(
    articles: Annotated[
        int, typer.Option(min=1, max=10**9, help="How many full texts are to be loaded.")
    ],
    copies: Annotated[
        int,
        typer.Option(
            min=1,
            max=2,
            help="Copies of each shard: 2, as where there is a second node, or 1 without replicas.",
        ),
    ] = 2,
    json: Json = False,
) -> None:
    """Estimate disk, nodes, hours, query times and memory for a number of articles.

    The estimates follow from power laws that are fitted to measurements with fewer articles, each
    with the 95 % interval of a further measurement. No server is asked.

    Example: citespan plan --articles 5000000
    """
    found = make_plan(articles, copies)
    if json:
        print_json(found.to_json())
        return
    table = listing(f"{articles:,} articles", "estimate", "95 % interval")
    for cost in found.costs:
        table.add_row(cost.name, *cost.show())
    out.print(table)
    about = found.describe_measured()
    if found.extrapolated:
        about += f" All figures for {articles:,} articles are extrapolations."
    out.print(textwrap.fill(about, _WIDTH))

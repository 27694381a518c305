"""`citespan delete`: articles taken out of the index."""

from typing import Annotated

import typer

from citespan.browsing import delete_versions
from citespan.cli.options import Json
from citespan.cli.output import out, print_json, warn
from citespan.deploy.client import connect
from citespan.es_mappings.index_name import CITESPAN, EXPERIMENTS
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.catalogue import Catalogue

EPILOG = "Example: citespan delete p53-dna-damage"
_AT_ONCE = 200


def delete(
    articles: Annotated[
        list[str] | None,
        typer.Argument(help="The articles, by any of their identifiers.", metavar="ARTICLE..."),
    ] = None,
    experiments: Annotated[
        bool,
        typer.Option("--experiments", help="Delete from the indices of experiments instead."),
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Delete all articles; only with --experiments.")
    ] = False,
    json: Json = False,
) -> None:
    """Delete indexed articles with all their documents.

    If one of them is not indexed, nothing is deleted. Their files stay where they are: loading
    them again indexes them again.
    """
    if every and not experiments:
        raise InputError("--all deletes what experiments have indexed: add --experiments")
    if bool(articles) == every:
        raise InputError("name the articles to delete, or --experiments --all")
    client = connect()
    catalogue = Catalogue(client, EXPERIMENTS if experiments else CITESPAN)
    ids = (
        [version.entry.article for version in catalogue.scan(["article"])]
        if every
        else list(dict.fromkeys(catalogue.find(one).article for one in articles or ()))
    )
    deleted: list[str] = []
    for at in range(0, len(ids), _AT_ONCE):
        versions = catalogue.look_up(ids[at : at + _AT_ONCE], ["lengths"])
        deleted += delete_versions(client, catalogue, list(versions.values()))
    for kept in ids:
        if kept not in deleted:
            warn(f"not deleted: {kept}: another command has just written it; repeat the command")
    if json:
        print_json({"deleted": deleted})
    else:
        out.print(f"{format_count(len(deleted), 'article')} deleted")
    raise typer.Exit(0 if len(deleted) == len(ids) else 1)

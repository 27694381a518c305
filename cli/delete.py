"""`citespan delete`: articles and abstracts taken out of the index."""

import sys
from typing import Annotated, Literal

import typer

from citespan.cli.options import Json
from citespan.cli.output import out, print_json, warn
from citespan.deploy.client import connect
from citespan.es_mappings.index_name import CITESPAN, EXPERIMENTS
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.catalogue import Catalogue
from citespan.pipelines.indexing.deletable import Deletable, delete_found, find_deletable

EPILOG = "Example: citespan delete p53-dna-damage --yes"
_AT_ONCE = 200
_SHOWN = 100
_NEEDED = ("article", "title", "layout", "index", "edition", "sentences", "spans", "citations")


def delete(
    articles: Annotated[
        list[str] | None,
        typer.Argument(
            help="Ids of articles, as `citespan articles` lists them, and PMIDs of abstracts.",
            metavar="ARTICLE...",
        ),
    ] = None,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes", "-y", help="Delete without asking; needed where nobody can be asked."
        ),
    ] = False,
    kind: Annotated[
        Literal["article", "abstract"] | None,
        typer.Option(help="What the identifiers are of; needed where one is of both."),
    ] = None,
    collection: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Delete abstracts of this collection.", show_default=False
        ),
    ] = "",
    experiments: Annotated[
        bool,
        typer.Option("--experiments", help="Delete from the indices of experiments instead."),
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Delete all articles; only with --experiments.")
    ] = False,
    json: Json = False,
) -> None:
    """Delete indexed articles and abstracts with all their documents.

    What is to be deleted is shown with its title, and asked for on a terminal; a script says
    --yes. Nothing is deleted if one of them is not indexed, or is only another name of an article.
    Their files stay where they are: loading them again indexes them again.
    """
    if every and not experiments:
        raise InputError("--all deletes what experiments have indexed: add --experiments")
    if bool(articles) == every:
        raise InputError("name the articles to delete, or --experiments --all")
    client = connect()
    names = EXPERIMENTS if experiments else CITESPAN
    if every:
        found = [
            Deletable("article", version.entry.article, version.entry.title or "", version=version)
            for version in Catalogue(client, names).scan(_NEEDED)
        ]
    else:
        found = find_deletable(client, articles or (), kind, collection, names)
    if not yes:
        _confirm(found)
    deleted: list[str] = []
    for at in range(0, len(found), _AT_ONCE):
        deleted += delete_found(client, found[at : at + _AT_ONCE], names)
    gone = set(deleted)
    for one in found:
        if one.id not in gone:
            warn(f"not deleted: {one.id}: another command has just written it; repeat the command")
    if json:
        print_json({"deleted": deleted})
    else:
        out.print(f"{_count([one for one in found if one.id in gone])} deleted")
    raise typer.Exit(0 if len(deleted) == len(found) else 1)


def _confirm(found: list[Deletable]) -> None:
    """Show what is to be deleted, and ask.

    Raises:
        InputError: if nobody can be asked.
        Exit: with 1, if the answer is no.
    """
    if not sys.stdin.isatty():
        named = ", ".join(one.id for one in found[:3]) + (", …" if len(found) > 3 else "")
        raise InputError(f"nobody is asked here whether to delete {named}: add --yes")
    for one in found[:_SHOWN]:
        warn(f"{one.kind} {one.id}: {one.title}")
    if len(found) > _SHOWN:
        warn(f"and {len(found) - _SHOWN:,} more")
    if not typer.confirm(f"Delete {_count(found)}?", err=True):
        warn("nothing was deleted")
        raise typer.Exit(1)


def _count(found: list[Deletable]) -> str:
    abstracts = sum(one.kind == "abstract" for one in found)
    articles = len(found) - abstracts
    parts = [format_count(articles, "article")] if articles or not abstracts else []
    parts += [format_count(abstracts, "abstract")] if abstracts else []
    return " and ".join(parts)

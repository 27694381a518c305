"""Options that several commands share."""

from typing import TYPE_CHECKING, Annotated

import typer

from citespan.pipelines.errors import InputError
from citespan.pipelines.settings import describe_names

if TYPE_CHECKING:
    from citespan.pipelines.indexing.reading.sources import Shard


def require_one(*formats: str) -> None:
    """Raise an InputError if more than one of the ways to print is asked for."""
    if len(formats) > 1:
        raise InputError(f"{' and '.join(formats)} can't be combined")


def _check_format(context: typer.Context, option: typer.CallbackParam, wanted: bool) -> bool:
    if wanted:
        others = {"csv", "json", "markdown"} - {option.name}
        given = (name for name in context.params if name in others and context.params[name])
        require_one(*(f"--{name}" for name in (*given, option.name)))
    return wanted


Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON object on stdout.", callback=_check_format),
]
Csv = Annotated[
    bool,
    typer.Option("--csv", help="Print CSV on stdout, a line for each.", callback=_check_format),
]
Markdown = Annotated[
    bool, typer.Option("--markdown", help="Print Markdown.", callback=_check_format)
]
UnitSeconds = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        help="How long reading one input may take. One that takes longer is left out: an article, "
        "a line of a list, a file of an archive.",
    ),
]
UnitMemory = Annotated[
    int,
    typer.Option(
        metavar="MB",
        help="Memory that a process may need while it reads one input. One that takes more is left "
        "out.",
    ),
]


def split_names(names: str | None) -> tuple[str, ...] | None:
    """Return the names in a list like "MSH, GO"; None if there is no list."""
    if names is None:
        return None
    return tuple(name.strip() for name in names.split(",") if name.strip())


def format_help() -> str:
    """Return the help of `--format`."""
    from citespan.pipelines.corpus.reader import readers

    return "auto, or one of: " + describe_names(readers)


def manuscript_format_help() -> str:
    """Return the help of `--format` of a command for one article with its references."""
    from citespan.pipelines.corpus.reader import (
        AbstractReader,
        CollectionReader,
        LibraryReader,
        readers,
    )

    others = (AbstractReader, CollectionReader, LibraryReader)
    return "auto, or one of: " + describe_names(
        [one for one in readers if not isinstance(one, others)]
    )


def layout_help() -> str:
    """Return the help of `--layout`."""
    from citespan.pipelines.store.layout import layouts

    return "How articles are stored; searches find the same in each. " + describe_names(layouts)


def setting_help(name: str) -> str:
    """Return the help of an option of searches, such as "ranker"."""
    from citespan.cli.output import spell_flags
    from citespan.pipelines.requests import Search
    from citespan.pipelines.settings import describe_settings

    return spell_flags(describe_settings(Search)[name].about.whole_help)


def parse_shard(written: str | None) -> "Shard | None":
    """Return the part that `--shard` names as "2/3", the second of three.

    Raises:
        InputError: if it is written otherwise, or there is no such part.
    """
    from citespan.pipelines.indexing.reading.sources import Shard

    if written is None:
        return None
    number, _, of = written.partition("/")
    try:
        return Shard(int(number), int(of))
    except ValueError as error:
        raise InputError(
            f"--shard {written}: write it as 2/3, the second of three parts"
        ) from error

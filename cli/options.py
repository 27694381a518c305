"""Options that several commands share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from citespan.pipelines.errors import InputError
from citespan.pipelines.settings import describe_names, describe_settings

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


BatchFormat = Literal["jsonl", "csv", "markdown"]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on stdout.", callback=_check_format)
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


def _check_folder(to: Path) -> Path:
    """Refuse a folder that can't be written, before any work is done."""
    if (to.exists() and not to.is_dir()) or not to.parent.is_dir():
        raise InputError(f"{to}: can't be written; name a folder in one that exists")
    return to


def folder_option(description: str) -> Any:
    """Return the option `--out` of a folder, which is in one that exists."""
    return typer.Option("--out", help=description, callback=_check_folder)


About = Annotated[
    str, typer.Option(help="A description of the data with its licence, for the model's card.")
]
Fold = Annotated[
    list[int] | None,
    typer.Option(help="Report only the topics of this fold, from 1; may be repeated."),
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
        [reader for reader in readers if not isinstance(reader, others)]
    )


def layout_help() -> str:
    """Return the help of `--layout`."""
    from citespan.pipelines.store.layout import layouts

    return "How articles are stored; searches find the same in each. " + describe_names(layouts)


def setting_help(name: str) -> str:
    """Return the help of an option of searches, such as "ranker"."""
    from citespan.cli.output import spell_flags
    from citespan.pipelines.requests import Search

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

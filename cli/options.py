"""Options that several commands share."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from citespan.pipelines.errors import InputError

if TYPE_CHECKING:
    from citespan.pipelines.indexing.reading.sources import Shard

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
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


class Described(Protocol):
    """Something that is registered under a name, with a description for people."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...


def split_names(names: str | None) -> tuple[str, ...] | None:
    """Return the names in a list like "MSH, GO"; None if there is no list."""
    if names is None:
        return None
    return tuple(name.strip() for name in names.split(",") if name.strip())


def describe(things: Iterable[Described]) -> str:
    """Return the names and descriptions of a registry's things, for `--help`."""
    return "; ".join(f"{one.name}: {one.description}" for one in things)


def format_help() -> str:
    """Return the help of `--format`."""
    from citespan.pipelines.corpus.reader import readers

    return "auto, or one of: " + describe(readers)


def manuscript_format_help() -> str:
    """Return the help of `--format` of a command for one article with its references."""
    from citespan.pipelines.corpus.reader import AbstractReader, CollectionReader, readers

    others = (AbstractReader, CollectionReader)
    return "auto, or one of: " + describe([one for one in readers if not isinstance(one, others)])


def layout_help() -> str:
    """Return the help of `--layout`."""
    from citespan.pipelines.indexing.layouts.layout import layouts

    return "How articles are stored; searches find the same in each. " + describe(layouts)


def model_help() -> str:
    """Return the help of `--model`."""
    from citespan.pipelines.retrieval.model import models

    return "Retrieval model. " + describe(models)


def ranker_help() -> str:
    """Return the help of `--ranker`."""
    from citespan.pipelines.ranking.ranker import NONE, rankers

    return (
        f"What finds the evidence among the candidates. {describe(rankers)}; the folder of a model "
        f"that `citespan ranker train` has written; {NONE}: the method of Cohan et al. (2015)"
    )


def reformulation_help() -> str:
    """Return the help of `--reformulation`."""
    from citespan.pipelines.reformulation.reformulation import reformulations

    return "How the citance becomes a query; combine by +, expansions last. " + describe(
        reformulations
    )


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

"""Options that several commands share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.reformulation.reformulation import reformulations
from citespan.pipelines.retrieval.model import models

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


class Layout(StrEnum):
    """How articles are laid out in Elasticsearch."""

    SPANS = "spans"
    SENTENCES = "sentences"


Vocabulary = Annotated[
    Path | None,
    typer.Option(
        envvar="CITESPAN_VOCABULARY",
        help="Concept store for the umls- reformulations, made by `citespan vocabulary build`.",
    ),
]
Sources = Annotated[
    str | None,
    typer.Option(
        help="The vocabulary's sources that count, as in SNOMEDCT_US,MSH.",
        show_default="SNOMEDCT_US where the vocabulary has it, else all",
    ),
]
SemanticTypes = Annotated[
    str | None,
    typer.Option(
        "--types",
        help="Semantic types of the concepts that count, as in T047,T191.",
        show_default="all",
    ),
]


def listed(names: str | None) -> tuple[str, ...] | None:
    """The names in a list like "MSH, GO"; None where none is given."""
    if names is None:
        return None
    return tuple(name.strip() for name in names.split(",") if name.strip())


def described(things: object) -> str:
    """The names and descriptions of a registry's things, for `--help`."""
    return "; ".join(f"{t.name}: {t.description}" for t in things)  # type: ignore[attr-defined]


def format_help() -> str:
    """What `--format` takes."""
    return "auto, or one of: " + described(readers)


def model_help() -> str:
    """What `--model` takes."""
    return "Retrieval model. " + described(models)


def reformulation_help() -> str:
    """What `--reformulation` takes."""
    return "How the citance becomes a query; combine by +, expansions last. " + described(
        reformulations
    )

"""Options that several commands share."""

from enum import StrEnum
from typing import Annotated

import typer

from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.reformulation.reformulation import reformulations
from citespan.pipelines.retrieval.model import models

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


class Layout(StrEnum):
    """How articles are laid out in Elasticsearch."""

    SPANS = "spans"


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
    return "How the citance becomes a query. " + described(reformulations)

"""Options that several commands of `citespan answers` share."""

from pathlib import Path
from typing import Annotated

import typer

ABSTRACT_FORMATS = "auto, medline, pubmed, pubmedqa or text (one abstract a file)."

AbstractFormat = Annotated[str, typer.Option("--format", help=ABSTRACT_FORMATS)]
ZoneModelFolder = Annotated[
    Path | None,
    typer.Option(
        "--model",
        help="Folder of a zone model, made by `citespan answers train zones`.",
        show_default="the shipped model",
    ),
]

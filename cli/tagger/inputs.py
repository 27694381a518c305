"""Arguments that the commands of `citespan tagger` share."""

from pathlib import Path
from typing import Annotated

import typer

Conllu = Annotated[
    list[Path],
    typer.Argument(help="CoNLL-U files, or folders of them.", metavar="CONLLU..."),
]

"""`citespan ranker show`: the card of a ranker."""

from typing import Annotated

import typer
from rich.markdown import Markdown

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.ranker.inputs import open_ranker
from citespan.pipelines.errors import InputError
from citespan.pipelines.model_folder import CARD

EPILOG = "Example: citespan ranker show citance"


def show(
    name: Annotated[str, typer.Argument(help="Name of a ranker, or the folder of a model.")],
    json: Json = False,
) -> None:
    """Show a ranker's card: on what data it was trained, by which features, and its figures."""
    ranker = open_ranker(name)
    folder = getattr(ranker, "folder", None)
    if folder is None:
        raise InputError(f"ranker '{name}' has no card here: it is another distribution's")
    try:
        card = (folder / CARD).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder / CARD}: can't be read: {error.strerror}") from error
    if json:
        print_json(
            {
                "name": ranker.name,
                "version": ranker.version,
                "threshold": ranker.threshold,
                "folder": str(folder),
                "card": card,
            }
        )
    else:
        out.print(Markdown(card))

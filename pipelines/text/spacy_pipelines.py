"""spaCy pipelines by name: the shipped one, or one that the user has."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citespan.pipelines.errors import InputError

if TYPE_CHECKING:
    from spacy.language import Language

SHIPPED: Final = "citespan"
"""The name of the pipeline that comes with citespan; `models/tagger-craft.md` describes it."""

SHIPPED_FOLDER: Final = Path(__file__).parent / "models" / "tagger-craft"


@cache
def load_pipeline(name: str = SHIPPED) -> "Language":
    """A pipeline, loaded once: "citespan", an installed spaCy package, or a folder.

    Raises:
        InputError: if there is none of that name, or it can't be loaded.
    """
    import spacy

    try:
        return spacy.load(SHIPPED_FOLDER if name == SHIPPED else name)
    except OSError as error:
        raise InputError(
            f"{name}: no spaCy pipeline of that name is installed, and no folder holds one; use "
            f"'{SHIPPED}', or install it: python -m spacy download NAME, or pip install URL for "
            "those of scispaCy (https://allenai.github.io/scispacy)"
        ) from error
    except (ValueError, KeyError, ImportError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(f"{name}: this spaCy pipeline can't be loaded: {reason}") from error

"""spaCy pipelines by name: a shipped one, or one that the user has."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from citespan.pipelines.errors import InputError
from citespan.pipelines.text.blas_ops import multiply_by_numpy, numpy_is_fast

if TYPE_CHECKING:
    from spacy.language import Language

SHIPPED: Final = "citespan"
"""The name of the pipeline that comes with citespan; `models/tagger-craft.md` describes it."""

SMALL: Final = "citespan-small"
"""A faster and less exact one; `models/tagger-craft-small.md` describes it."""

_MODELS: Final = Path(__file__).parent / "models"
SHIPPED_FOLDER: Final = _MODELS / "tagger-craft"
_FOLDERS: Final = {SHIPPED: SHIPPED_FOLDER, SMALL: _MODELS / "tagger-craft-small"}

# A pipeline keeps every word that it meets, and knows its tokens again, which makes tokenising
# several times as fast. It starts anew after so many, or a million abstracts would fill the memory.
_MOST_WORDS: Final = 100_000
_loaded: "dict[str, tuple[Language, int]]" = {}


def load_pipeline(name: str = SHIPPED) -> "Language":
    """A pipeline: "citespan", "citespan-small", an installed spaCy package, or a folder.

    It is loaded once, and again when it has met so many words that they would fill the memory.

    Raises:
        InputError: if there is none of that name, or it can't be loaded.
    """
    if name in _loaded:
        nlp, words = _loaded[name]
        if len(nlp.vocab.strings) <= words + _MOST_WORDS:
            return nlp
    nlp = _load(name)
    _loaded[name] = nlp, len(nlp.vocab.strings)
    return nlp


def _load(name: str) -> "Language":
    import spacy

    try:
        nlp = spacy.load(_FOLDERS.get(name, name))
        return multiply_by_numpy(nlp) if numpy_is_fast() else nlp
    except OSError as error:
        raise InputError(
            f"{name}: no spaCy pipeline of that name is installed, and no folder holds one; use "
            f"'{SHIPPED}', or install it: python -m spacy download NAME, or pip install URL for "
            "those of scispaCy (https://allenai.github.io/scispacy)"
        ) from error
    except (ValueError, KeyError, ImportError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(f"{name}: this spaCy pipeline can't be loaded: {reason}") from error

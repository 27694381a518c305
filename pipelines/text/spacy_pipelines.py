"""spaCy pipelines by name: a shipped one, or one that the user has.

Their networks are multiplied by NumPy, where that is faster than what spaCy brings. thinc
multiplies matrices by BLIS; NumPy's wheels bring OpenBLAS (on macOS, Accelerate), which on
processors that it knows takes down to a third of the time. One that it does not know, as one newer
than itself, it treats as a very old one, and then it takes several times as long as BLIS. Sums are
rounded in another order, so that a score may differ in its last digits.
"""

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from citespan.pipelines.errors import InputError
from citespan.pipelines.text.shipped_models import FOLDER, check_shipped

if TYPE_CHECKING:
    from spacy.language import Language

SHIPPED: Final = "citespan"
"""The name of the pipeline that comes with citespan; `models/tagger-craft.md` describes it."""

SMALL: Final = "citespan-small"
"""A faster and less exact one; `models/tagger-craft-small.md` describes it."""

_NAMES: Final = {SHIPPED: "tagger-craft", SMALL: "tagger-craft-small"}
SHIPPED_FOLDER: Final = FOLDER / _NAMES[SHIPPED]

# OpenBLAS's names of processors; the first two are also what it takes an unknown one for.
_WITHOUT_AVX = frozenset(
    ("Prescott", "Generic", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Barcelona")
)

# A pipeline keeps every word that it meets, and knows its tokens again, which makes tokenising
# several times as fast. It starts anew after so many, or a million abstracts would fill the memory.
_MOST_WORDS: Final = 100_000
_loaded: "dict[str, tuple[Language, int]]" = {}


def load_pipeline(name: str = SHIPPED) -> "Language":
    """Return a pipeline: "citespan", "citespan-small", an installed spaCy package, or a folder.

    It is loaded once, and again when it has met so many words that they would fill the memory.

    Raises:
        InputError: if there is none of that name, or it can't be loaded.
        MachineError: if it is a shipped one, and damaged.
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
        nlp = spacy.load(check_shipped(_NAMES[name]) if name in _NAMES else name)
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


def multiply_by_numpy(nlp: "Language") -> "Language":
    """Have every network of a pipeline use NumPy's matrix product; on a GPU, leave it as it is."""
    for _, pipe in nlp.pipeline:
        network: Any = getattr(pipe, "model", None)
        for layer in network.walk() if hasattr(network, "walk") else ():
            if layer.ops.name == "numpy":
                layer.ops = _blas_ops()
    return nlp


@cache
def numpy_is_fast() -> bool:
    """Whether NumPy's OpenBLAS, if it has one, knows the processor's wide instructions."""
    import numpy as np  # noqa: F401  so that its library is there to be looked at
    from threadpoolctl import threadpool_info

    return not any(
        library.get("architecture") in _WITHOUT_AVX and "numpy" in library["filepath"]
        for library in threadpool_info()
    )


@cache
def _blas_ops() -> Any:
    import numpy as np
    from thinc.api import NumpyOps

    class BlasOps(NumpyOps):  # type: ignore[misc]  # thinc's class is untyped to mypy
        """thinc's operations, but for the product of two matrices."""

        def gemm(
            self, x: Any, y: Any, *, out: Any = None, trans1: bool = False, trans2: bool = False
        ) -> Any:
            return np.matmul(x.T if trans1 else x, y.T if trans2 else y, out=out)

    return BlasOps()

"""spaCy's networks multiplied by NumPy, where that is faster than what they bring.

thinc multiplies matrices by BLIS; NumPy's wheels bring OpenBLAS (on macOS, Accelerate), which on
processors that it knows takes down to a third of the time. One that it does not know, as one newer
than itself, it treats as a very old one, and then it takes several times as long as BLIS. Sums are
rounded in another order, so that a score may differ in its last digits.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language

# OpenBLAS's names of processors; the first two are also what it takes an unknown one for.
_WITHOUT_AVX = frozenset(
    ("Prescott", "Generic", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Barcelona")
)


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
        one.get("architecture") in _WITHOUT_AVX and "numpy" in one["filepath"]
        for one in threadpool_info()
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

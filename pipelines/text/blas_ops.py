"""spaCy's networks multiplied by NumPy, which takes a third of the time that they take.

thinc multiplies matrices by BLIS in one thread, by instructions that every processor has; NumPy's
wheels bring OpenBLAS (on macOS, Accelerate), which knows the processor. Sums are rounded in another
order, so that a score may differ in its last digits.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language


def multiply_by_numpy(nlp: "Language") -> "Language":
    """Have every network of a pipeline use NumPy's matrix product; on a GPU, leave it as it is."""
    for _, pipe in nlp.pipeline:
        network: Any = getattr(pipe, "model", None)
        for layer in network.walk() if hasattr(network, "walk") else ():
            if layer.ops.name == "numpy":
                layer.ops = _blas_ops()
    return nlp


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

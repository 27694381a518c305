"""How processes of citespan start, before they import anything else."""

import gc
import os

from citespan.pipelines.late_imports import delay_imports

_COLLECTED_AFTER = 100_000  # objects, more than a search makes


def start_quickly() -> None:
    """Do without what most processes don't need."""
    # Imports make objects that stay, which the garbage collector need not look through each time.
    gc.set_threshold(_COLLECTED_AFTER)
    # Matrices here are small: more threads would wait for work in a loop, at the server's cost.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    delay_imports()

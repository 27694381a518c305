"""The entry point of the `citespan` command. All else is imported with Ctrl-C taken care of."""

import gc
import os

from citespan.cli import interrupts

_COLLECTED_AFTER = 50_000  # objects


def main() -> None:
    """Run the command line; never returns."""
    interrupts.exit_on_interrupt()
    # Imports make objects that stay, which the garbage collector need not look through each time.
    gc.set_threshold(_COLLECTED_AFTER)
    # Matrices here are small: more threads would wait for work in a loop, at the server's cost.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from citespan.cli.late_imports import delay_imports

    delay_imports()
    from citespan.cli.app import run

    run()


if __name__ == "__main__":
    main()

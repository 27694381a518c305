"""Runs of experiments as one Markdown table, for the docs.

`python -m studies.results_table RUN...` prints, for each system of the run folders that
`citespan evaluate run` has written, sentence F1 over all citances with its 95% interval, how often
the first passage has a marked sentence, and the mean reciprocal rank.
"""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_MEASURES = ("success_1", "mrr_10")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser("studies.results_table", description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, help="run folders", metavar="RUN")
    runs = [json.loads((run / "results.json").read_text()) for run in parser.parse_args().runs]
    systems = [{system["system"]: system for system in run["systems"]} for run in runs]
    print(
        "| " + " | ".join(["", *(f"{run['collection']}: F1 | first | MRR" for run in runs)]) + " |"
    )
    print("| --- " * (1 + 3 * len(runs)) + "|")
    for name in dict.fromkeys(name for run in systems for name in run):
        cells = [cell for run in systems for cell in _describe(run.get(name))]
        print("| " + " | ".join([f"`{name}`", *cells]) + " |")


def _describe(system: Mapping[str, Any] | None) -> list[str]:
    if system is None:
        return ["", "", ""]
    low, high = (_shorten(bound) for bound in system["intervals"]["sentence_f1_micro"])
    f1, *others = (_shorten(system["measures"][name]) for name in ("sentence_f1_micro", *_MEASURES))
    return [f"{f1} ({low}-{high})", *others]


def _shorten(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


if __name__ == "__main__":
    main()

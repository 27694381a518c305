"""`make bench`: all benchmarks of loading and searching on a node of their own.

Run one alone with `python -m benchmarks loading`, and on other articles with
`python -m benchmarks --articles FOLDER` (JATS files). Only `startup` and `reading` use
`--against`.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import (
    abstracts,
    all_articles,
    checking,
    layouts,
    loading,
    memory,
    ranking,
    reading,
    searching,
    serving,
    startup,
    synonyms,
    vocabulary,
)
from benchmarks.corpus import articles_folder
from benchmarks.node import own_node
from benchmarks.row import Row

Benchmark = Callable[[Path, Path], list[Row]]
BENCHMARKS: dict[str, Benchmark] = {
    "loading": loading.run,
    "searching": searching.run,
    "ranking": ranking.run,
    "startup": startup.run,
    "reading": reading.run,
    "memory": memory.run,
    "abstracts": abstracts.run,
    "layouts": layouts.run,
    "all_articles": all_articles.run,
    "checking": checking.run,
    "serving": serving.run,
    "synonyms": synonyms.run,
    "vocabulary": vocabulary.run,
}


def main() -> None:
    """Run what was asked for and print one table."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*BENCHMARKS, []], metavar="NAME")
    parser.add_argument("--articles", type=Path, help="a folder of JATS files")
    parser.add_argument("--against", type=Path, help="another version's `citespan` executable")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    benchmarks: dict[str, Benchmark] = {
        **BENCHMARKS,
        "startup": partial(startup.run, against=arguments.against),
        "reading": partial(reading.run, against=arguments.against),
    }
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="citespan-bench-") as scratch, own_node():
        folder = articles_folder(arguments.articles, Path(scratch))
        for name in arguments.names or benchmarks:
            rows += benchmarks[name](folder, Path(scratch))
    if arguments.json:
        print(json.dumps([row.__dict__ for row in rows], indent=2))
        return
    table = Table("what", "figure", "against", "ratio", "wanted")
    for row in rows:
        table.add_row(row.what, row.figure, row.against, row.ratio, row.wanted)
    Console(width=None if sys.stdout.isatty() else 160).print(table)


main()

"""`make bench`: all benchmarks of loading and searching on a node of their own.

Run one alone with `python -m benchmarks loading`, and on other articles with
`python -m benchmarks --articles FOLDER` (JATS files). Only `startup` and `reading` use
`--against`. Rows are printed as they come, and the commands that are run on standard error. However
the benchmarks are ended, the node ends with them.
"""

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

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

Benchmark = Callable[[Path, Path], Iterator[Row]]
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
    """Run what was asked for and print each row as it comes."""
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
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="citespan-bench-") as scratch, own_node():
        folder = articles_folder(arguments.articles, Path(scratch))
        for name in arguments.names or benchmarks:
            print(f"{name} ...", file=sys.stderr, flush=True)
            for row in benchmarks[name](folder, Path(scratch)):
                rows.append(row)
                if not arguments.json:
                    print(row, flush=True)
    if arguments.json:
        print(json.dumps([row.__dict__ for row in rows], indent=2))


main()

"""Lucene by Pyserini over spans, as a program of its own: it needs packages that citespan doesn't.

Run by `benchmarks/search_peers.py` with a Python that has pyserini and pyjnius, and JAVA_HOME a
JDK of version 21 or newer. Arguments: a folder of JSONL files of spans, and an empty folder for
the index. A JSON list of queries on stdin; on stdout a JSON object with the seconds that indexing
took, the bytes of the index, and the seconds of each query.

All spans of all articles are one index, as one has them with Pyserini: what a term is worth is not
the article's own, and spans of every article are found. An index for each article, which would be
the same task as citespan's, is what nobody would make.
"""

import contextlib
import json
import sys
import time
from pathlib import Path

import pyserini
from pyserini.setup import configure_classpath

_HITS = 50


def main() -> None:
    """Index, search, print."""
    spans, index = sys.argv[1:]
    queries = json.load(sys.stdin)
    configure_classpath(str(Path(pyserini.__file__).parent / "resources/jars"))
    from jnius import autoclass

    arguments = [
        *("-collection", "JsonCollection", "-input", spans, "-index", index),
        *("-generator", "DefaultLuceneDocumentGenerator", "-threads", "2", "-storePositions"),
    ]
    with contextlib.redirect_stdout(sys.stderr):
        started = time.perf_counter()
        autoclass("io.anserini.index.IndexCollection").main(arguments)
        indexing = time.perf_counter() - started
    searcher = autoclass("io.anserini.search.SimpleSearcher")(index)
    for query in queries[:100]:
        searcher.search(query, _HITS)
    seconds = []
    for query in queries:
        started = time.perf_counter()
        searcher.search(query, _HITS)
        seconds.append(time.perf_counter() - started)
    size = sum(file.stat().st_size for file in Path(index).rglob("*") if file.is_file())
    print()
    print(json.dumps({"indexing": indexing, "bytes": size, "seconds": seconds}))


main()

"""Searches in articles, beside what one would pick in citespan's place, in the same run.

Run from anywhere: `python benchmarks/search_peers.py [--articles N] [--pyserini-python PYTHON]`,
PYTHON being one that has Pyserini (`pip install --no-deps pyserini pyjnius numpy tqdm` in a virtual
environment of its own does, for what is used here), and JAVA_HOME a JDK of version 21 or newer.

All get the same articles and the same citances, sentences of the articles that stand for ones. What
is compared differs, as the systems do:

- citespan, layout `sentences`: from JATS files, as a process, to an index on disk.
- bm25s: an index in memory for each article, of all its spans as ready-made texts; with bm25s's own
  tokenizer and stop words. Gone when the process ends; the size is what it saves.
- Pyserini: one Lucene index of all spans as ready-made texts (see `pyserini_peer.py`).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import bm25s  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from benchmarks.citances import jats_articles, latencies, percentiles, requests_on  # noqa: E402
from benchmarks.corpus import articles_folder, repeated  # noqa: E402
from benchmarks.layouts import index_bytes  # noqa: E402
from benchmarks.node import own_node  # noqa: E402
from benchmarks.watched import watched_citespan  # noqa: E402
from citespan.deploy.client import connect  # noqa: E402
from citespan.pipelines.corpus.article import Article  # noqa: E402
from citespan.pipelines.indexing.documents.windows import SpanLengths, windows  # noqa: E402
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters  # noqa: E402

_HITS = 50


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=300, help="how many")
    parser.add_argument("--pyserini-python", help="a Python that has Pyserini")
    arguments = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 120)
    table = Table("system", "articles/s", "p50 ms", "p99 ms", "index, bytes per byte of text")
    with tempfile.TemporaryDirectory(prefix="citespan-bench-") as made, own_node():
        scratch = Path(made)
        folder = repeated(articles_folder(None, scratch), arguments.articles, scratch / "articles")
        articles = list(jats_articles(folder))
        text = sum(len(article.text.encode()) for article in articles)

        def add(name: str, indexing: float, seconds: list[float], size: int) -> None:
            p50, p99 = percentiles(seconds)
            rate = f"{len(articles) / indexing:.1f}"
            table.add_row(name, rate, f"{p50:.2f}", f"{p99:.2f}", f"{size / text:.2f}")

        indexing = watched_citespan("index", str(folder), "--layout", "sentences").seconds
        client = connect()
        requests = requests_on(client, articles, 500)
        add("citespan, sentences", indexing, latencies(client, requests), index_bytes())
        texts = {article.id: _spans(article) for article in articles}
        queries = [
            (request.article.article, " ".join(term.text for term in request.terms))
            for request in requests
        ]
        add("bm25s, an index per article", *_bm25s(texts, queries, scratch / "bm25s"))
        if arguments.pyserini_python:
            made_by = _pyserini(arguments.pyserini_python, texts, queries, scratch)
            add("Pyserini, one index", *made_by)
        else:
            print("Pyserini is left out: no --pyserini-python", file=sys.stderr)
    console.print(table)


def _spans(article: Article) -> list[str]:
    found = split_article(article, splitters[DEFAULT])
    return [
        article.text[found[first].start : found[last].end]
        for first, last in windows(len(found), SpanLengths())
    ]


def _bm25s(
    texts: dict[str, list[str]], queries: list[tuple[str, str]], folder: Path
) -> tuple[float, list[float], int]:
    started = time.perf_counter()
    indices = {}
    for article, spans in texts.items():
        indices[article] = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        tokens = bm25s.tokenize(spans, stopwords="en", show_progress=False)
        indices[article].index(tokens, show_progress=False)
    indexing = time.perf_counter() - started
    seconds = []
    for article, query in queries:
        started = time.perf_counter()
        tokens = bm25s.tokenize([query], stopwords="en", show_progress=False)
        index = indices[article]
        index.retrieve(tokens, k=min(_HITS, len(texts[article])), show_progress=False)
        seconds.append(time.perf_counter() - started)
    for article, index in indices.items():
        index.save(folder / article)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return indexing, seconds, size


def _pyserini(
    python: str, texts: dict[str, list[str]], queries: list[tuple[str, str]], scratch: Path
) -> tuple[float, list[float], int]:
    spans = scratch / "pyserini-spans"
    spans.mkdir()
    with (spans / "spans.jsonl").open("w", encoding="utf-8") as lines:
        for article, theirs in texts.items():
            for number, text in enumerate(theirs):
                lines.write(json.dumps({"id": f"{article}-{number}", "contents": text}) + "\n")
    done = subprocess.run(
        [python, str(ROOT / "benchmarks/pyserini_peer.py"), spans, scratch / "pyserini-index"],
        input=json.dumps([query for _, query in queries]),
        capture_output=True,
        text=True,
        env=dict(os.environ),
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    measured = json.loads(done.stdout.splitlines()[-1])
    return measured["indexing"], measured["seconds"], measured["bytes"]


main()

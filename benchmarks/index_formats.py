"""Ways to store the same articles, by the bytes that they take and the time that they cost.

    python -m benchmarks.index_formats ARCHIVE... [--only 'sentences: sorted']

Each way is loaded into an empty node as `citespan index --layout sentences --finish` does, and a
row of the table is printed then. A table of all ways is written into deploy/sizing.md. The node
ends with this program.

Bytes are those of primary shards for a byte of the articles' texts. Times are processor time of the
server, so that other programs on this machine matter little: of loading and merging, for an
article; of reading all sentences of an article; of the first stage of a search (`--ranker none`),
in one article and in all.
"""

import argparse
import random
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, Final
from unittest.mock import patch

from elasticsearch import Elasticsearch

import citespan
from benchmarks.all_articles import draw_citances
from benchmarks.node import own_node, server_process, wipe
from benchmarks.page import write_table
from benchmarks.watched import processor_seconds
from citespan.deploy.client import connect
from citespan.es_mappings import articles, citations
from citespan.es_mappings.sentences import SENTENCES
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.layout import layout_of
from citespan.pipelines.store.retry import RetryPolicy
from citespan.pipelines.store.segments import merge_segments

_ASKED = 200
_WARMING = 3
_HEADINGS = (
    "| | sentences | citations | catalogue | all | all, not merged | load | merge | read "
    "| search one | search all |"
)
_KINDS: Final = {"sentences": SENTENCES, "citations": citations.INDEX, "catalogue": articles.INDEX}

Body = dict[str, Any]
Change = Callable[[Body, Body], None]
"""Changes the settings of an index, and the mappings of its fields."""


def _set(**settings: Any) -> Change:
    return lambda present, _: present.update(settings)


def _map(*names: str, **options: Any) -> Change:
    def change(_: Body, fields: Body) -> None:
        for name in names:
            fields[name] |= options

    return change


def _both(*changes: Change) -> Change:
    def change(settings: Body, fields: Body) -> None:
        for each in changes:
            each(settings, fields)

    return change


_SORTED = _set(sort={"field": ["article", "number"]})
_ZSTD, _LZ4 = _set(codec="best_compression"), _set(codec="default")
_NAMES = ("author", "journal", "pmid", "pmcid", "doi", "reference", "section")
WAYS: Final[dict[str, dict[str, Change]]] = {
    "as it is": {},
    "sentences: best_compression": {"sentences": _ZSTD},
    "sentences: sorted": {"sentences": _SORTED},
    "sentences: sorted, best_compression": {"sentences": _both(_SORTED, _ZSTD)},
    "sentences: no doc values but of number": {
        "sentences": _map("article", "section", doc_values=False)
    },
    "sentences: no positions": {"sentences": _map("text", index_options="freqs")},
    "citations: default codec": {"citations": _LZ4},
    "citations: sorted": {"citations": _SORTED},
    "citations: no positions": {"citations": _map("text", "title", index_options="freqs")},
    "citations: no norms": {"citations": _map("text", "title", norms=False)},
    "citations: no doc values": {"citations": _map(*_NAMES, doc_values=False)},
    "catalogue: best_compression": {"catalogue": _ZSTD},
    "all: sorted, best_compression": {
        "sentences": _both(_SORTED, _ZSTD),
        "citations": _SORTED,
        "catalogue": _ZSTD,
    },
    "all: synthetic source": {
        kind: _set(**{"mapping.source.mode": "synthetic"}) for kind in ("sentences", "citations")
    },
}


def main() -> None:
    """Print the table, row by row."""
    parser = argparse.ArgumentParser(
        "benchmarks.index_formats",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("archives", nargs="+", help="archives or folders of articles")
    parser.add_argument("--only", nargs="+", choices=WAYS, default=list(WAYS), metavar="WAY")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with own_node(), connect() as client:
        for _ in range(_WARMING):  # the server compiles what it runs often
            _measure(client, {}, arguments.archives)
        lines = [_HEADINGS, "| --- |" + " ---: |" * 10]
        print(*lines, sep="\n")
        for name in arguments.only:
            print(f"loading: {name}", file=sys.stderr, flush=True)
            figures = _measure(client, WAYS[name], arguments.archives)
            lines.append(f"| {name} | " + " | ".join(figures) + " |")
            print(lines[-1], flush=True)
        wipe()
    if arguments.only == list(WAYS):
        write_table("benchmarks.index_formats", "\n".join(lines))


def _measure(client: Elasticsearch, way: dict[str, Change], archives: Sequence[str]) -> list[str]:
    """Return the figures of one way to store articles."""
    loaded, load = _load(client, way, archives)
    text = _count_text_bytes(client)
    before = sum(_read_bytes(client).values()) / text
    started = processor_seconds(server_process())
    show = lambda _: nullcontext(lambda _: None)  # noqa: E731
    merge_segments(client, RetryPolicy(), LoadReport(), show)
    merge = processor_seconds(server_process()) - started
    sizes = {kind: size / text for kind, size in _read_bytes(client).items()}
    bytes_ = [*sizes.values(), sum(sizes.values()), before]
    times = [1000 * load / loaded, 1000 * merge / loaded, *_ask(client)]
    return [*(f"{size:.2f}" for size in bytes_), *(f"{time:.1f} ms" for time in times)]


def _load(
    client: Elasticsearch, way: dict[str, Change], archives: Sequence[str]
) -> tuple[int, float]:
    """Load articles; return how many, and the seconds that the server took."""
    wipe()
    started = processor_seconds(server_process())
    with _changed(client, way):
        report = citespan.index(*archives, layout="sentences", processes=1, client=client)
    return report.articles, processor_seconds(server_process()) - started


@contextmanager
def _changed(client: Elasticsearch, way: dict[str, Change]) -> Iterator[None]:
    """Change the bodies of indices that are made meanwhile."""
    kind_of_client = type(client.indices)
    create = kind_of_client.create

    def create_changed(self: Any, *, index: str, **body: Any) -> Any:
        for kind, change in way.items():
            if index.startswith(_KINDS[kind]):
                change(body["settings"]["index"], body["mappings"]["properties"])
        return create(self, index=index, **body)

    with patch.object(kind_of_client, "create", create_changed):
        yield


def _read_bytes(client: Elasticsearch) -> dict[str, int]:
    sizes = {}
    for kind, index in _KINDS.items():
        client.indices.flush(index=index)
        # The size of the store is that of up to ten seconds ago.
        stats = client.indices.stats(index=index, metric="docs")["_all"]["primaries"]
        sizes[kind] = int(stats["docs"]["total_size_in_bytes"])
    return sizes


def _count_text_bytes(client: Elasticsearch) -> int:
    """Return the bytes of all sentences, with the white space behind each."""
    return sum(len(text.encode()) for text in _read_texts(client, Catalogue(client)))


def _read_texts(client: Elasticsearch, catalogue: Catalogue) -> Iterator[str]:
    for version in list(catalogue.scan()):
        [documents] = layout_of(version.entry).reader.read_articles(client, [version.entry])
        yield from (str(document["text"]) for document in documents.values())


def _ask(client: Elasticsearch) -> list[float]:
    """Return the milliseconds that the server takes to read an article, to search one, and to
    search all."""
    ids = sorted(version.entry.article for version in Catalogue(client).scan(["article"]))
    citances = list(draw_citances(client, ids))
    of = random.Random(1).choices(ids, k=_ASKED)
    asked: list[Callable[[str, str], object]] = [
        lambda article, _: citespan.show(article, client=client),
        lambda article, citance: citespan.search(
            citance, article=article, ranker="none", client=client
        ),
        lambda _, citance: citespan.search_all(citance, ranker="none", client=client),
    ]
    taken = []
    for ask in asked:
        started = processor_seconds(server_process())
        for number, article in enumerate(of):
            ask(article, citances[number % len(citances)])
        taken.append(1000 * (processor_seconds(server_process()) - started) / _ASKED)
    return taken


if __name__ == "__main__":
    main()

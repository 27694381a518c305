"""What a large collection needs, from the figures of a smaller load: the table of deploy/sizing.md.

    python -m benchmarks.sizing --measure > figures.json    of the server in use, after one load
    python -m benchmarks.sizing figures.json --articles 5000000

The load is to be the only one on the server, in the layout `sentences`, and large enough that its
start doesn't count: some ten thousand articles.
"""

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from citespan.deploy.client import connect
from citespan.es_mappings import articles, citations, loads, sentences
from citespan.es_mappings.index_body import count_shards
from citespan.es_mappings.sentences import SENTENCES

WATERMARK = 0.85
"""The part of a disk above which Elasticsearch gives it no new shards, by default."""


@dataclass(frozen=True)
class Figures:
    """What was measured.

    Attributes:
        sentence_bytes, citation_bytes, catalogue_bytes: of primary shards on disk, after the load.
        seconds: that the load took.
    """

    articles: int
    sentences: int
    citations: int
    sentence_bytes: int
    citation_bytes: int
    catalogue_bytes: int
    seconds: float


def measured() -> Figures:
    """The figures of the last load of the server in use, which holds nothing else."""
    with connect() as client:
        names = (SENTENCES, citations.INDEX, articles.INDEX, loads.INDEX)
        client.indices.refresh(index=",".join(names))
        last = client.search(index=loads.INDEX, size=1, sort=[{"started": "desc"}])
        load = last["hits"]["hits"][0]["_source"]
        count = int(client.count(index=articles.INDEX)["count"])
        if load["indexed"] != count:
            raise SystemExit(
                f"{count:,} articles are there, of which the last load has indexed "
                f"{load['indexed']:,}: measure one load on an empty server"
            )
        stored = {}
        for name in names[:3]:
            client.indices.flush(index=name)
            stats = client.indices.stats(index=name, metric="store")["_all"]["primaries"]
            stored[name] = int(stats["store"]["size_in_bytes"])
        return Figures(
            articles=count,
            sentences=int(client.count(index=SENTENCES)["count"]),
            citations=int(client.count(index=citations.INDEX)["count"]),
            sentence_bytes=stored[SENTENCES],
            citation_bytes=stored[citations.INDEX],
            catalogue_bytes=stored[articles.INDEX],
            seconds=float(load["seconds"]),
        )


def table(figures: Figures, wanted: int) -> str:
    """The table in Markdown, for so many articles like those that were measured."""
    times = wanted / figures.articles
    sentence_bytes = figures.sentence_bytes * times
    citation_bytes = figures.citation_bytes * times
    catalogue_bytes = figures.catalogue_bytes * times
    primaries = sentence_bytes + citation_bytes + catalogue_bytes
    rows = [
        ("articles", f"{figures.articles:,}", f"{wanted:,}"),
        ("sentences", f"{figures.sentences:,}", f"{figures.sentences * times:,.0f}"),
        ("citations", f"{figures.citations:,}", f"{figures.citations * times:,.0f}"),
        ("bytes of sentences", _gb(figures.sentence_bytes), _gb(sentence_bytes)),
        ("bytes of citations", _gb(figures.citation_bytes), _gb(citation_bytes)),
        ("bytes of the catalogue", _gb(figures.catalogue_bytes), _gb(catalogue_bytes)),
        (
            "primary shards",
            f"{_count_shards(figures.articles)}",
            f"{_count_shards(wanted)}",
        ),
        ("bytes with one replica", _gb(2 * primaries / times), _gb(2 * primaries)),
        ("disk of the cluster", "", _gb(2 * primaries / WATERMARK)),
        ("disk of a first snapshot", "", _gb(primaries)),
        (
            "load by one process",
            f"{figures.articles / figures.seconds:.1f} articles/s",
            f"{figures.seconds * times / 3600:,.1f} hours",
        ),
    ]
    lines = ["| | measured | estimated |", "| --- | ---: | ---: |"]
    return "\n".join(lines + [f"| {what} | {one} | {other} |" for what, one, other in rows])


def _count_shards(number: int) -> int:
    kinds = (sentences, citations, articles)
    return sum(count_shards(number, kind.ARTICLE_BYTES) for kind in kinds)


def _gb(size: float) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.1f} MB"


def main() -> None:
    """Measure, or print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.sizing", description=__doc__)
    parser.add_argument("figures", nargs="?", type=Path, help="JSON that --measure has printed")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--articles", type=int, default=5_000_000)
    arguments = parser.parse_args()
    if arguments.measure == (arguments.figures is not None):
        parser.error("give either a file of figures or --measure")
    if arguments.measure:
        print(json.dumps(asdict(measured()), indent=1))
    else:
        print(table(Figures(**json.loads(arguments.figures.read_text())), arguments.articles))


if __name__ == "__main__":
    main()

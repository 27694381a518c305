"""Two ways to store sentences, by the same questions in turns.

    python -m benchmarks.paired_formats ARCHIVE... [--way 'sentences: best_compression']

Articles are loaded once into a node of its own. Their sentences are copied into two indices, as
they are and in the other way (`benchmarks/index_formats.py`), each merged into one segment; an
alias says which is searched. Every question is asked of both in each round, now of the one first
and now of the other; the first round does not count.

Of each question, the median of its rounds counts, and of `citespan link`, each round. The table has
the medians of these, and of the differences with 95 % intervals (percentile bootstrap). Times are a
clock's: nothing else may run on the machine.
"""

import argparse
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from elasticsearch import Elasticsearch

import citespan
from benchmarks.citances import draw_words
from benchmarks.index_formats import WAYS, Change
from benchmarks.node import own_node
from citespan.deploy.client import connect
from citespan.es_mappings import citances, links, sentences
from citespan.es_mappings.sentences import SENTENCES
from citespan.pipelines.store.catalogue import Catalogue

_LOADED = f"{SENTENCES}-000"
_QUESTIONS = 100
_TERMS = 20
_ROUNDS = 7
_LINKED = 4  # rounds
_DRAWN = 10_000
_SECONDS = 3_600  # that a request to copy or to merge may take
Question = Callable[[], object]


def main() -> None:
    """Print the table, row by row."""
    parser = argparse.ArgumentParser(
        "benchmarks.paired_formats",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    ways = [way for way, changes in WAYS.items() if list(changes) == ["sentences"]]
    parser.add_argument("archives", nargs="+", help="archives or folders of articles")
    parser.add_argument("--way", choices=ways, default="sentences: best_compression", metavar="WAY")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with own_node(), connect() as client:
        loaded = citespan.index(*arguments.archives, layout="sentences", client=client)
        changes: list[Change] = [lambda *_: None, WAYS[arguments.way]["sentences"]]
        copies = [_copy(client, number, change) for number, change in enumerate(changes, 1)]
        client.indices.delete(index=_LOADED)
        _use(client, copies, 0)
        print(f"| {loaded.articles:,} articles | as it is | {arguments.way} | difference | 95 % |")
        print("| --- | ---: | ---: | ---: | ---: |")
        first, other = (_read_size(client, name) for name in copies)
        print(f"| sentences | {first:.0f} MB | {other:.0f} MB | {other - first:.0f} MB | |")
        for name, rounds, questions in _list_questions(client):
            print(f"| {name} | {_compare(client, copies, rounds, questions)} |", flush=True)


def _copy(client: Elasticsearch, number: int, change: Change) -> str:
    """Copy the sentences that are loaded into an index with a change, and return its name."""
    name = f"{SENTENCES}-{number:03}"
    settings, mapping = sentences.settings(), sentences.mapping()
    change(settings["index"], mapping["properties"])
    client.indices.create(index=name, settings=settings, mappings=mapping)
    patient = client.options(request_timeout=_SECONDS)
    patient.reindex(source={"index": _LOADED, "size": 5_000}, dest={"index": name}, refresh=True)
    patient.indices.forcemerge(index=name, max_num_segments=1)
    client.indices.flush(index=name)
    return name


def _read_size(client: Elasticsearch, name: str) -> float:
    """Return the megabytes of an index."""
    stats = client.indices.stats(index=name, metric="docs")["_all"]["primaries"]
    return float(stats["docs"]["total_size_in_bytes"]) / 1e6


def _use(client: Elasticsearch, copies: Sequence[str], way: int) -> None:
    """Let searches find one of the two indices."""
    for alias in (_LOADED, SENTENCES):
        left = {"index": copies[1 - way], "alias": alias, "must_exist": False}
        used = {"index": copies[way], "alias": alias}
        client.indices.update_aliases(actions=[{"remove": left}, {"add": used}])


def _list_questions(client: Elasticsearch) -> Iterator[tuple[str, int, Sequence[Question]]]:
    """Yield what is asked, the number of rounds that count and the questions."""
    generator = random.Random(0)
    ids = sorted(version.entry.article for version in Catalogue(client).scan(["article"]))
    chosen = Catalogue(client).entries(generator.sample(ids, min(len(ids), _QUESTIONS)))
    drawn = {
        article: words
        for article, entry in chosen.items()
        if (words := draw_words(client, entry, _TERMS, generator))
    }
    show = partial(citespan.show, client=client)
    yield "read an article", _ROUNDS, [partial(show, article) for article in drawn]
    for ranker in ("none", "evidence"):
        search = partial(citespan.search, ranker=ranker, client=client)
        search_all = partial(citespan.search_all, ranker=ranker, citance_weight=0.0, client=client)
        in_one = [partial(search, words, article) for article, words in drawn.items()]
        yield f"search in one, ranker {ranker}", _ROUNDS, in_one
        in_all = [partial(search_all, words) for words in drawn.values()]
        yield f"search in all, ranker {ranker}", _ROUNDS, in_all
    yield "link all", _LINKED, [partial(_link, client)]


def _link(client: Elasticsearch) -> None:
    client.indices.delete(index=[links.INDEX, citances.INDEX], ignore_unavailable=True)
    assert citespan.link().counts["linked"]


def _compare(
    client: Elasticsearch, copies: Sequence[str], rounds: int, questions: Sequence[Question]
) -> str:
    """Return the cells of what is asked: both times, the difference and its interval."""
    seconds = np.empty((2, 1 + rounds, len(questions)))
    for number in range(1 + rounds):
        for way in (0, 1) if number % 2 else (1, 0):
            _use(client, copies, way)
            for at, ask in enumerate(questions):
                started = time.perf_counter()
                ask()
                seconds[way, number, at] = time.perf_counter() - started
    counted = 1000 * seconds[:, 1:]
    each = np.median(counted, axis=1) if len(questions) > 1 else counted[:, :, 0]
    differences = each[1] - each[0]
    drawn = np.random.default_rng(0).choice(differences, (_DRAWN, len(differences)))
    low, high = np.percentile(np.median(drawn, axis=1), [2.5, 97.5])
    figures = (*np.median(each, axis=1), np.median(differences))
    return " | ".join([*(f"{each:,.2f} ms" for each in figures), f"{low:,.2f} to {high:,.2f} ms"])


if __name__ == "__main__":
    main()

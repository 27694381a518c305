"""Match the citances of a file in a process of its own, and say how it went as JSON.

`python -m benchmarks.match_citances store|named|naive PATH CITANCES`: PATH is a store (`named`
reads CUI and preferred name of every concept found), or for the naive peer the META folder, of
which it makes a dictionary from normalised terms to CUIs.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

import psutil

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.vocabulary.matching import Matcher
from citespan.pipelines.vocabulary.normalise import keys
from citespan.pipelines.vocabulary.reader import vocabulary_readers
from citespan.pipelines.vocabulary.store import open_vocabulary
from citespan.pipelines.vocabulary.terms import ConceptFilter


def store(path: Path) -> Callable[[str], int]:
    """Ours; gives the number of matches in a text."""
    matcher = _matcher(path)
    return lambda text: len(matcher.matches(text))


def named(path: Path) -> Callable[[str], int]:
    """The same with all concepts read."""
    matcher = _matcher(path)
    return lambda text: len([match.concept for match in matcher.matches(text)])


def _matcher(path: Path) -> Matcher:
    vocabulary = open_vocabulary(path)
    return Matcher(vocabulary, ConceptFilter(sources=tuple(vocabulary.sources)))


def naive(path: Path) -> Callable[[str], int]:
    """A dictionary, and the same greedy longest match over it."""
    concepts: dict[tuple[str, ...], list[str]] = {}
    for term in vocabulary_readers["umls"].terms(path):
        if not isinstance(term, Rejected) and (key := tuple(keys(term.text))):
            concepts.setdefault(key, []).append(term.cui)
    longest = max(map(len, concepts))

    def count(text: str) -> int:
        tokens = tuple(keys(text))
        found = place = 0
        while place < len(tokens):
            for length in range(min(longest, len(tokens) - place), 0, -1):
                if tokens[place : place + length] in concepts:
                    found += 1
                    place += length
                    break
            else:
                place += 1
        return found

    return count


def main() -> None:
    """Load, match, tell."""
    way, path, citances = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    list(vocabulary_readers.names())
    process = psutil.Process()
    before = process.memory_info().rss
    start = perf_counter()
    count = {"store": store, "named": named, "naive": naive}[way](path)
    loaded = perf_counter() - start
    texts = citances.read_text(encoding="utf-8").splitlines()
    start, busy = perf_counter(), process_time()
    matches = sum(map(count, texts))
    seconds, busy = perf_counter() - start, process_time() - busy
    words = sum(len(text.split()) for text in texts)
    told = {
        "load_seconds": loaded,
        "matches": matches,
        "words": words,
        "words_per_second": words / seconds,
        "words_per_cpu_second": words / busy,
        "resident_before": before / 1e6,
        "resident": process.memory_info().rss / 1e6,
    }
    print(json.dumps(told))


main()

"""Synonyms in the index: what an article's rules add to making its index, and to a whole load,
and what queries find with them.

Run alone with `python -m benchmarks synonyms`. Needs CRAFT's vocabulary in UMLS format, which is
not part of the project; without it there is nothing to measure and a row says so.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from elasticsearch import Elasticsearch

from benchmarks.node import citespan, wipe
from benchmarks.row import Row
from benchmarks.scoped_synonyms import compared
from citespan.deploy.client import connect
from citespan.es_mappings import spans
from citespan.es_mappings.index_name import CITESPAN, edition
from citespan.es_mappings.synonyms import SynonymRule
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.indexing.documents.synonym_rules import ConceptSynonyms
from citespan.pipelines.retrieval.model import similarities
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.matching import Matcher
from citespan.pipelines.vocabulary.reader import vocabulary_readers
from citespan.pipelines.vocabulary.store import open_vocabulary
from citespan.pipelines.vocabulary.terms import ConceptFilter

_META = Path(__file__).parents[2] / "shared/data/craft/vocabulary/META"
_AT_ONCE = 32
_ROUNDS = 7  # the first of which warms the server up
_LOADS = 4

Rules = Sequence[SynonymRule] | None


def run(folder: Path, scratch: Path) -> Iterator[Row]:
    """Both ratios, how many rules an article has, and what they find."""
    if not _META.is_dir():
        yield Row("synonyms: no vocabulary at ../shared/data/craft", "")
        return
    store = scratch / "vocabulary"
    build(vocabulary_readers["umls"].terms(_META), store, "CRAFT")
    synonyms = ConceptSynonyms(Matcher(open_vocabulary(store), ConceptFilter()))
    every = _articles(folder)
    articles = every[:_AT_ONCE]
    started = time.perf_counter()
    rules = [synonyms.rules_for(article.text) for article in articles]
    choosing = (time.perf_counter() - started) * 1000 / len(rules)
    sizes = [len(of_article) for of_article in rules]
    characters = [sum(len(str(rule)) for rule in of_article) for of_article in rules]
    client = connect()
    none = [None] * len(rules)
    alone, alone_with = _medians(
        lambda: _made(client, none, 1), lambda: _made(client, rules, 1), _ROUNDS
    )
    without, with_them = _medians(
        lambda: _made(client, none, _AT_ONCE), lambda: _made(client, rules, _AT_ONCE), _ROUNDS
    )
    load = ["index", str(folder), "--format", "jats"]
    plain, expanded = _medians(
        lambda: _loaded(load), lambda: _loaded([*load, "--vocabulary", str(store)]), _LOADS
    )
    wipe()
    yield from [
        Row(
            "synonym rules of an article",
            f"{statistics.mean(sizes):.0f} (at most {max(sizes)}), "
            f"{statistics.mean(characters) / 1000:.0f} kB, {choosing:.0f} ms to choose",
        ),
        _row(
            "making an index with synonyms, until it can be written to",
            alone_with / len(rules),
            alone / len(rules),
            "<= 1.3",
        ),
        _row(f"the same, {_AT_ONCE} at once", with_them / len(rules), without / len(rules), ""),
        _row("citespan index --vocabulary", expanded, plain, ""),
        *compared(client, synonyms, every),
    ]


def _row(label: str, mine: float, other: float, wanted: str) -> Row:
    ratio = f"{mine / other:.2f} times as slow"
    return Row(label, f"{mine:.4g} s against {other:.4g} s", "without", ratio, wanted)


def _articles(folder: Path) -> list[Article]:
    reader = readers["jats"]
    found = (article for unit in reader.find(folder) for article in reader.read(unit))
    return [article for article in found if isinstance(article, Article)]


def _medians(
    first: Callable[[], float], other: Callable[[], float], rounds: int
) -> tuple[float, float]:
    """Median seconds of each, in turns, without the first."""
    pairs = [(first(), other()) for _ in range(rounds)][1:]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def _made(client: Elasticsearch, rules: Sequence[Rules], at_once: int) -> float:
    """Seconds until the primary shard of each index has started, as the server's own default is
    to wait."""
    fields = similarities([])

    def make(number: int, its: Rules) -> None:
        client.indices.create(
            index=CITESPAN.own_index("spans", edition("bench", str(number))),
            mappings=spans.mapping(fields, its is not None),
            settings=spans.settings(fields, its),
        )

    started = time.perf_counter()
    with ThreadPoolExecutor(at_once) as makers:
        list(makers.map(make, range(len(rules)), rules))
    seconds = time.perf_counter() - started
    wipe()
    return seconds


def _loaded(command: list[str]) -> float:
    wipe()
    started = time.perf_counter()
    citespan(*command)
    return time.perf_counter() - started

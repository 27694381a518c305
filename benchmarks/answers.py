"""Answers found over PubMedQA's 500 abstracts: how good and how fast, against naive ways in the
same run.

Run it as `python -m benchmarks.answers`; it starts a node of its own. Each question is asked with
the titles left out of the index, for they are the questions. Its right abstract is the one whose
title it was, and a hit is any sentence of that abstract's Conclusions. No model is trained on the
abstract that is right: there are two of each, trained on the half of the PMIDs, odd or even, that
the question is not of.

Naive ways: BM25 over all single sentences, in memory (bm25s, Lucene's formula, the same words),
and the same over the sentences of Conclusions alone, which knows the zones as `find` does.

Times are of one process that is warm, in turns over all questions, with the zones of labels and
with sections hidden, so that the model zones every candidate; medians and 95th percentiles. The
processor time of this process, without the server's, says what a busy machine hides.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import NamedTuple

import bm25s
import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.node import citespan, own_node
from citespan.deploy.node.client import connect
from citespan.pipelines.answers import zone_configuration
from citespan.pipelines.answers.abstract_files import gather
from citespan.pipelines.answers.answer_examples import examples, trained
from citespan.pipelines.answers.answer_model import AnswerModel
from citespan.pipelines.answers.answered_abstracts import from_titles
from citespan.pipelines.answers.candidates import Candidate, indexed_candidates, searched
from citespan.pipelines.answers.feature_sets import DEFAULT, feature_set
from citespan.pipelines.answers.finding import DEPTH, TOP, find_answers
from citespan.pipelines.answers.labelled_sentences import labelled_sentences, without_sections
from citespan.pipelines.answers.years import Years
from citespan.pipelines.answers.zone_model import ZoneModel, opened
from citespan.pipelines.answers.zone_training import examples as zone_examples
from citespan.pipelines.answers.zone_training import train
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.vocabulary.normalise import keys

PUBMEDQA = Path(__file__).resolve().parents[2] / "shared" / "data" / "pubmedqa" / "train.json"
WANTED_MS = 200
_FAR = 10**9

Found = list[tuple[str, int]]
"""The abstract of each sentence and where it starts in it, best first."""


class SentenceBM25:
    """The naive way: single sentences compete."""

    def __init__(self, abstracts: Sequence[Abstract], conclusions_only: bool) -> None:
        self._sentences = [
            (abstract.id, sentence.start, sentence.text)
            for abstract in abstracts
            for sentence in labelled_sentences(abstract)
            if sentence.label == "Conclusions" or not conclusions_only
        ]
        self._index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        self._index.index([keys(text) for *_, text in self._sentences], show_progress=False)

    def __call__(self, question: str) -> Found:
        scores = self._index.get_scores(keys(searched(question)))
        best = np.argsort(-scores, kind="stable")[:TOP]
        return [self._sentences[n][:2] for n in best if scores[n] > 0]


class Models(NamedTuple):
    """Trained on the same half of the abstracts."""

    zones: ZoneModel
    detector: AnswerModel


def halves(abstracts: Sequence[Abstract]) -> dict[int, Models]:
    """By the last bit of a PMID, models trained on abstracts of the other."""
    found = {}
    configuration = zone_configuration.configuration(zone_configuration.DEFAULT)
    for bit in (0, 1):
        others = [one for one in abstracts if _bit(one.id) != bit]
        crf = train(list(zone_examples(others, configuration)), configuration)
        tree = trained(list(examples(from_titles(others).answered)), feature_set(DEFAULT))
        found[bit] = Models(opened(crf, configuration), AnswerModel(DEFAULT, tree))
    return found


def main() -> None:
    if not PUBMEDQA.exists():
        sys.exit("PubMedQA is not beside the checkout (../shared/data/pubmedqa)")
    records = json.loads(PUBMEDQA.read_bytes())
    questions = {pmid: record["QUESTION"] for pmid, record in records.items()}
    models = halves(gather([PUBMEDQA]).abstracts)
    with tempfile.TemporaryDirectory() as scratch, own_node():
        file = Path(scratch) / "untitled.json"
        untitled = {pmid: record | {"QUESTION": ""} for pmid, record in records.items()}
        file.write_text(json.dumps(untitled))
        citespan("index", str(file), "--format", "pubmedqa")
        measure(questions, gather([file]).abstracts, models)


def measure(
    questions: dict[str, str], abstracts: list[Abstract], models: dict[int, Models]
) -> None:
    """Ask all questions in every way and print two tables."""
    client = connect()
    taken: dict[str, list[float]] = {
        "search": [],
        "labels": [],
        "hidden": [],
        "labels, processor": [],
    }

    def ours(pmid: str, hidden: bool) -> Found:
        start, used = perf_counter(), process_time()
        candidates = indexed_candidates(client, questions[pmid], Years(), DEPTH)
        searching = perf_counter() - start
        if hidden:
            candidates = [Candidate(without_sections(c.abstract), c.score) for c in candidates]
        start = perf_counter()
        answers = find_answers(questions[pmid], candidates, *models[_bit(pmid)])
        taken["hidden" if hidden else "labels"].append(searching + perf_counter() - start)
        taken["search"].append(searching)
        if not hidden:
            taken["labels, processor"].append(process_time() - used)
        return [(one.abstract.id, one.sentence.start) for one in answers]

    everywhere, conclusions = (SentenceBM25(abstracts, only) for only in (False, True))
    ways: dict[str, Callable[[str], Found]] = {
        "citespan answers find": lambda pmid: ours(pmid, False),
        "the same, zones by the model": lambda pmid: ours(pmid, True),
        "BM25 over sentences": lambda pmid: everywhere(questions[pmid]),
        "BM25 over sentences of Conclusions": lambda pmid: conclusions(questions[pmid]),
    }
    for way in ways.values():  # libraries load here, not while the clock runs
        way(next(iter(questions)))
    for times in taken.values():
        times.clear()
    right = {
        one.id: {(one.id, s.start) for s in labelled_sentences(one) if s.label == "Conclusions"}
        for one in abstracts
    }
    ranks: dict[str, list[int]] = {name: [] for name in ways}
    for pmid in questions:
        for name, way in ways.items():
            places = [n for n, found in enumerate(way(pmid), 1) if found in right[pmid]]
            ranks[name].append(min(places, default=_FAR))
    _print(ranks, taken)


def _print(ranks: dict[str, list[int]], taken: dict[str, list[float]]) -> None:
    quality = Table("Way", "MRR at 10", "First", "First three", "First ten")
    for name, places in ranks.items():
        shares = [sum(place <= k for place in places) / len(places) for k in (1, 3, TOP)]
        mean = sum(1 / place for place in places if place <= TOP) / len(places)
        quality.add_row(name, f"{mean:.3f}", *(f"{share:.3f}" for share in shares))
    speed = Table("Part", "Median", "95th percentile", "Wanted")
    for name, times in taken.items():
        high = quantiles(times, n=20)[-1]
        wanted = f"{WANTED_MS} ms" if name in ("labels", "hidden") else ""
        speed.add_row(name, f"{1000 * median(times):.0f} ms", f"{1000 * high:.0f} ms", wanted)
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(quality)
    console.print(speed)
    console.print(f"{len(next(iter(ranks.values())))} questions, each over all abstracts")


def _bit(pmid: str) -> int:
    return int(pmid) % 2


if __name__ == "__main__":
    main()

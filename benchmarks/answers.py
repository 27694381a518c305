"""Answers found over PubMedQA's 500 abstracts: how good and how fast, against naive ways in the
same run.

Run it as `python -m benchmarks.answers`; it starts a node of its own. Each question is asked with
the titles left out of the index, for they are the questions. Its right abstract is the one whose
title it was, and a hit is any sentence of that abstract's Conclusions. No model is trained on the
abstract that is right: there are two of each, trained on the half of the PMIDs, odd or even, that
the question is not of.

Naive ways: BM25 over all single sentences, in memory (bm25s, Lucene's formula, the same words),
and the same over the sentences of Conclusions alone, which knows the zones as `find` does.

All questions are asked three times: of abstracts with their sections; of the same with sections
hidden, so that the model has zoned all sentences when they were loaded; and of these again, but
zoned at the question, as those are that were loaded with `--no-zones`, by the one model that does
not know the right abstract. Times are of one process that is warm: medians, 95th and 99th
percentiles. The processor time of this process, without the server's, says what a busy machine
hides.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import NamedTuple

import bm25s
import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.node import own_node
from citespan.deploy.client import connect
from citespan.es_mappings.abstracts import INDEX
from citespan.pipelines.answers.abstract_files import gather
from citespan.pipelines.answers.answer import TOP
from citespan.pipelines.answers.candidates import select_search_words
from citespan.pipelines.answers.detection.features import DEFAULT, get_feature_set
from citespan.pipelines.answers.detection.model import AnswerModel
from citespan.pipelines.answers.finding import DEPTH, find_answers
from citespan.pipelines.answers.indexed_abstracts import search_index
from citespan.pipelines.answers.zones import configuration as zone_configuration
from citespan.pipelines.answers.zones.features import analyse_sentences, make_items
from citespan.pipelines.answers.zones.model import ZoneModel, open_model
from citespan.pipelines.answers.zones.sentences import (
    hide_sections,
    label_sentences,
    split_and_label,
)
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.indexing.documents.abstract_document import PredictedZone, SplitAbstract
from citespan.pipelines.indexing.reading.unit import Event, Unit
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.indexing.writing.abstracts import AbstractTarget
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint
from citespan.pipelines.indexing.writing.loader import Loader
from citespan.pipelines.store.retry import RetryPolicy
from citespan.pipelines.store.server import open_server
from citespan.pipelines.text.splitter import DEFAULT as SPLITTER
from citespan.pipelines.text.splitter import splitters
from citespan.pipelines.training.answer_examples import from_titles, make_examples
from citespan.pipelines.training.answer_trees import train_tree
from citespan.pipelines.training.zones import make_zone_examples, train_crf
from citespan.pipelines.vocabulary.normalise import keys
from citespan.pipelines.years import Years

PUBMEDQA = Path(__file__).resolve().parents[2] / "shared" / "data" / "pubmedqa" / "train.json"
LABELS = "citespan answers find"
STORED = "the same, zones by the model"
AT_QUESTION = "the same, zones at the question"
WANTED_MS = 200
WARM_UP = 10
_FAR = 10**9

Found = list[tuple[str, int]]
"""The abstract of each sentence and where it starts in it, best first."""


class SentenceBM25:
    """The naive way: single sentences compete."""

    def __init__(self, abstracts: Sequence[Abstract], conclusions_only: bool) -> None:
        self._sentences = [
            (abstract.id, sentence.start, sentence.text)
            for abstract in abstracts
            for sentence in split_and_label(abstract)
            if sentence.label == "Conclusions" or not conclusions_only
        ]
        self._index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        self._index.index([keys(text) for *_, text in self._sentences], show_progress=False)

    def __call__(self, question: str) -> Found:
        scores = self._index.get_scores(keys(select_search_words(question)))
        best = np.argsort(-scores, kind="stable")[:TOP]
        return [self._sentences[n][:2] for n in best if scores[n] > 0]


class Models(NamedTuple):
    """Trained on the same half of the abstracts."""

    zones: ZoneModel
    detector: AnswerModel


def halves(abstracts: Sequence[Abstract]) -> dict[int, Models]:
    """By the last bit of a PMID, models trained on abstracts of the other."""
    found = {}
    detectors = train_detectors(abstracts)
    configuration = zone_configuration.get_configuration(zone_configuration.DEFAULT)
    for bit in (0, 1):
        others = [abstract for abstract in abstracts if _bit(abstract.id) != bit]
        crf = train_crf(list(make_zone_examples(others, configuration)), configuration)
        found[bit] = Models(open_model(crf, configuration), detectors[bit])
    return found


def train_detectors(abstracts: Sequence[Abstract]) -> dict[int, AnswerModel]:
    """By the last bit of a PMID, detectors trained on abstracts of the other."""
    found = {}
    for bit in (0, 1):
        answered = from_titles(
            [abstract for abstract in abstracts if _bit(abstract.id) != bit]
        ).answered
        tree = train_tree(list(make_examples(answered)), get_feature_set(DEFAULT))
        found[bit] = AnswerModel(DEFAULT, tree)
    return found


class HalvesZoner:
    """Zones each abstract by the model that was not trained on it."""

    version = "halves"

    def __init__(self, models: dict[int, Models]) -> None:
        self._models = models

    def __call__(self, abstracts: Sequence[SplitAbstract]) -> Iterator[list[PredictedZone]]:
        for abstract, sentences in abstracts:
            model = self._models[_bit(abstract.id)].zones
            split = [(abstract, label_sentences(abstract, sentences))]
            for analysis in analyse_sentences(split, model.configuration):
                yield model.tag(make_items(analysis, model.configuration))


def main() -> None:
    if not PUBMEDQA.exists():
        sys.exit("PubMedQA is not beside the checkout (../shared/data/pubmedqa)")
    titled = gather([PUBMEDQA]).abstracts
    questions = {abstract.id: abstract.title for abstract in titled}
    with own_node():
        measure(questions, list(map(remove_title, titled)), halves(titled))


def measure(
    questions: dict[str, str], abstracts: list[Abstract], models: dict[int, Models]
) -> None:
    """Ask all questions in every way and print two tables."""
    client = connect()
    taken: dict[str, list[float]] = {}

    def load(loaded: list[Abstract]) -> None:
        client.indices.delete(index=INDEX, ignore_unavailable=True)
        report, unit = LoadReport(), Unit("", "", Path())
        with (
            open_server(client, RetryPolicy(), report) as server,
            Checkpoint(None, {}) as checkpoint,
        ):
            target = AbstractTarget(server, checkpoint, splitters[SPLITTER], HalvesZoner(models))
            loader = Loader(target, checkpoint, report, lambda _: None)
            loader.load(Event(unit, article) for article in loaded)

    def ours(pmid: str, name: str, zoned_by: str) -> Found:
        start, used = perf_counter(), process_time()
        candidates = search_index(client, questions[pmid], Years(), DEPTH, zoned_by)
        searching = perf_counter() - start
        answers = find_answers(questions[pmid], candidates, *models[_bit(pmid)])
        for part, time in (
            ("search alone", searching),
            (name, perf_counter() - start),
            (f"{name}, processor", process_time() - used),
        ):
            taken.setdefault(part, []).append(time)
        return [(answer.id, answer.start) for answer in answers]

    everywhere, conclusions = (SentenceBM25(abstracts, only) for only in (False, True))
    hidden = [hide_sections(abstract) for abstract in abstracts]
    stored = HalvesZoner.version
    ways: dict[str, tuple[list[Abstract] | None, Callable[[str], Found]]] = {
        LABELS: (abstracts, lambda pmid: ours(pmid, LABELS, stored)),
        STORED: (hidden, lambda pmid: ours(pmid, STORED, stored)),
        AT_QUESTION: (hidden, lambda pmid: ours(pmid, AT_QUESTION, "another model")),
        "BM25 over sentences": (None, lambda pmid: everywhere(questions[pmid])),
        "BM25 over sentences of Conclusions": (None, lambda pmid: conclusions(questions[pmid])),
    }
    right = {
        abstract.id: {
            (abstract.id, s.start) for s in split_and_label(abstract) if s.label == "Conclusions"
        }
        for abstract in abstracts
    }
    ranks: dict[str, list[int]] = {}
    indexed: list[Abstract] | None = None
    for name, (loaded, way) in ways.items():
        if loaded is not None and loaded is not indexed:
            load(loaded)
            indexed = loaded
        known = {part: len(times) for part, times in taken.items()}
        for pmid in list(questions)[:WARM_UP]:  # libraries load here, not while the clock runs
            way(pmid)
        for part, times in taken.items():
            del times[known.get(part, 0) :]
        ranks[name] = [
            min((n for n, found in enumerate(way(pmid), 1) if found in right[pmid]), default=_FAR)
            for pmid in questions
        ]
    _print(ranks, taken)


def remove_title(abstract: Abstract) -> Abstract:
    """Without its title, which the index and the detector would know the question by."""
    start = abstract.start
    sections = tuple(
        replace(section, start=section.start - start, end=section.end - start)
        for section in abstract.sections
        if section.kind == "abstract"
    )
    return replace(abstract, title="", text=abstract.text[start:], sections=sections)


def _print(ranks: dict[str, list[int]], taken: dict[str, list[float]]) -> None:
    quality = Table("Way", "MRR at 10", "First", "First three", "First ten")
    for name, places in ranks.items():
        shares = [sum(place <= k for place in places) / len(places) for k in (1, 3, TOP)]
        mean = sum(1 / place for place in places if place <= TOP) / len(places)
        quality.add_row(name, f"{mean:.3f}", *(f"{share:.3f}" for share in shares))
    speed = Table("Part", "Median", "95th percentile", "99th", "Wanted")
    for name, times in taken.items():
        cuts = quantiles(times, n=100)
        figures = (median(times), cuts[94], cuts[98])
        wanted = f"{WANTED_MS} ms" if name in (LABELS, STORED) else ""
        speed.add_row(name, *(f"{1000 * figure:.0f} ms" for figure in figures), wanted)
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(quality)
    console.print(speed)
    console.print(f"{len(next(iter(ranks.values())))} questions, each over all abstracts")


def _bit(pmid: str) -> int:
    return int(pmid) % 2


if __name__ == "__main__":
    main()

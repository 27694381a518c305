"""Train zone models on structured abstracts, and cross-validate them (paper B, tables 1 and 2).

Sentences of mixed sections, and of sections that stand for no zone, are left out: the sequence is
cut there, so that the model learns no transition across the gap. Features of their neighbours still
see them, as they do when the model is used.
"""

import hashlib
import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import eq, itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from citespan.pipelines.answers.abstract_files import GatheredAbstracts
from citespan.pipelines.answers.zones.configuration import Configuration, FeatureName
from citespan.pipelines.answers.zones.features import Analysis, analyse_abstracts, make_items
from citespan.pipelines.answers.zones.model import CRF as CRF_FILE
from citespan.pipelines.answers.zones.model import KIND, ZoneModel, open_model
from citespan.pipelines.answers.zones.sentences import hide_sections
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.section_categories import ZONES, SectionZone, Zone
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.precision_recall import PrecisionRecall
from citespan.pipelines.training.family import (
    FOLDS,
    Advance,
    Files,
    Fold,
    ignore,
    judge_out_of_fold,
    make_folds,
)

_SEED = 0


@dataclass(frozen=True, slots=True)
class ZoneExample:
    """An abstract as the CRF sees it.

    Attributes:
        items: features of every sentence, a `pycrfsuite.ItemSequence`.
        runs: the sequences of adjacent labelled sentences, as features and zones.
        zones: for every sentence its zone, or the reason why it has none.
    """

    pmid: str
    items: Any
    runs: list[tuple[Any, list[Zone]]]
    zones: list[SectionZone]


def make_zone_examples(
    abstracts: Iterable[Abstract], configuration: Configuration
) -> Iterator[ZoneExample]:
    """Make an example of each abstract that has a labelled sentence, streaming."""
    for analysis in analyse_abstracts(abstracts, configuration):
        if any(sentence.label for sentence in analysis.sentences):
            yield make_zone_example(analysis, configuration)


def make_zone_example(analysis: Analysis, configuration: Configuration) -> ZoneExample:
    """Make the example of one abstract."""
    from pycrfsuite import ItemSequence

    features = make_items(analysis, configuration)
    runs = []
    numbered = enumerate(sentence.label for sentence in analysis.sentences)
    for labelled, run in groupby(numbered, key=lambda pair: pair[1] is not None):
        if labelled:
            places, zones = zip(*run, strict=True)
            runs.append((ItemSequence([features[place] for place in places]), list(zones)))
    return ZoneExample(
        analysis.abstract.id,
        ItemSequence(features),
        runs,
        [sentence.section for sentence in analysis.sentences],
    )


def train_crf(data: Sequence[ZoneExample], configuration: Configuration) -> bytes:
    """Train a model and return CRFsuite's bytes, the same for the same examples in the same order.

    Raises:
        InputError: if there are no examples.
    """
    from sklearn_crfsuite import CRF

    if not data:
        raise InputError("no abstract with a section that stands for a zone to train on")
    with tempfile.TemporaryDirectory(prefix="citespan-zones-") as folder:
        file = Path(folder) / "model"
        crf = CRF(
            algorithm="lbfgs",
            c1=configuration.c1,
            c2=configuration.c2,
            min_freq=configuration.min_frequency,
            max_iterations=configuration.max_iterations,
            model_filename=str(file),
        )
        runs = [run for example in data for run in example.runs]
        crf.fit([features for features, _ in runs], [zones for _, zones in runs])
        return file.read_bytes()


def count_sentences(data: Iterable[ZoneExample]) -> Counter[SectionZone]:
    """Count the sentences of each zone, in mixed sections and in unmapped ones."""
    return Counter(zone for example in data for zone in example.zones)


class Judgement(NamedTuple):
    """A sentence: the number of its abstract, its zone, and the zone that the model gave it."""

    abstract: int
    gold: Zone
    found: Zone


@dataclass(frozen=True, slots=True)
class ClassScore:
    """Scores of a class; `sentences` is the number of sentences that have it."""

    precision: float
    recall: float
    f1: float
    sentences: int

    @classmethod
    def of(cls, right: int, wrong: int, missed: int) -> "ClassScore":
        """Return the scores of so many sentences; a ratio whose denominator is 0 is 0."""
        tally = PrecisionRecall(right, wrong, missed)
        return cls(tally.precision, tally.recall, tally.f1, tally.expected)


@dataclass(frozen=True, slots=True)
class ZoneScores:
    """Scores of all zones.

    Attributes:
        overall: weighted by the number of sentences, as in paper B's tables.
        sentence_accuracy: the share of sentences with the right zone.
        abstract_accuracy: the share of abstracts with the right zone for every sentence.
    """

    zones: dict[Zone, ClassScore]
    overall: ClassScore
    sentence_accuracy: float
    abstract_accuracy: float
    abstracts: int


def score_zones(judgements: Sequence[Judgement]) -> ZoneScores:
    """Score at least one sentence; those of an abstract are adjacent."""
    from sklearn.metrics import precision_recall_fscore_support

    gold = [judgement.gold for judgement in judgements]
    found = [judgement.found for judgement in judgements]
    columns = precision_recall_fscore_support(gold, found, labels=list(ZONES), zero_division=0.0)
    precision, recall, f1, _ = precision_recall_fscore_support(
        gold, found, labels=list(ZONES), average="weighted", zero_division=0.0
    )
    right = [
        all(sentence.gold == sentence.found for sentence in inside)
        for _, inside in groupby(judgements, key=lambda judgement: judgement.abstract)
    ]
    return ZoneScores(
        zones={
            zone: ClassScore(float(p), float(r), float(f), int(n))
            for zone, p, r, f, n in zip(ZONES, *columns, strict=True)
        },
        overall=ClassScore(float(precision), float(recall), float(f1), len(judgements)),
        sentence_accuracy=sum(map(eq, gold, found)) / len(judgements),
        abstract_accuracy=sum(right) / len(right),
        abstracts=len(right),
    )


@dataclass(frozen=True, slots=True)
class SplitAndJoined:
    """An abstract analysed twice.

    Attributes:
        split: with its sections; the end of a section ends a sentence.
        joined: as one text without sections, like an unstructured abstract.
    """

    split: Analysis
    joined: Analysis


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """Scores of a configuration on abstracts that it was not trained on.

    Attributes:
        scores: of the sentences split by section.
        joined: of the same sentences, each with the zone of the sentence of the joined text
            that contains most of it.
        glued: number of sentences of the joined texts that cross the end of a labelled section.
    """

    scores: ZoneScores
    joined: ZoneScores
    glued: int


def analyse_split_and_joined(
    abstracts: Sequence[Abstract], configuration: Configuration
) -> list[SplitAndJoined]:
    """Analyse the abstracts that have a labelled sentence, for cross-validation."""
    split = analyse_abstracts(abstracts, configuration)
    joined = analyse_abstracts(map(hide_sections, abstracts), configuration)
    pairs = (SplitAndJoined(*pair) for pair in zip(split, joined, strict=True))
    return [pair for pair in pairs if any(s.label for s in pair.split.sentences)]


def cross_validate(
    data: Sequence[SplitAndJoined],
    configuration: Configuration,
    folds: int = FOLDS,
    advance: Advance = ignore,
) -> CrossValidation:
    """Train on all folds but one and tag that one, so that every abstract is tagged once.

    Args:
        data: from `analyse_split_and_joined`, with a configuration of at least these features.
        folds: the number of folds; a fixed seed shuffles the abstracts.
        advance: called with 1 after each fold.

    Raises:
        InputError: if there are fewer abstracts than folds.
    """
    if len(data) < folds:
        raise InputError(
            f"{format_count(len(data), 'abstract')} with labels; {folds} folds need as many"
        )
    prepared = [make_zone_example(example.split, configuration) for example in data]

    def fit(places: list[int]) -> ZoneModel:
        return open_model(
            train_crf([prepared[place] for place in places], configuration), configuration
        )

    def judge(model: ZoneModel, fold: Fold) -> Iterator[tuple[list[Judgement], list[Judgement]]]:
        for place in fold.test:
            split = data[place].split
            yield (
                list(_judge(place, split, split, model)),
                list(_judge(place, split, data[place].joined, model)),
            )

    judged = judge_out_of_fold(_deal(len(data), folds), fit, judge, advance)
    return CrossValidation(
        score_zones([judgement for split, _ in judged for judgement in split]),
        score_zones([judgement for _, joined in judged for judgement in joined]),
        sum(map(_count_glued, data)),
    )


def ablate(
    data: Sequence[SplitAndJoined],
    configuration: Configuration,
    folds: int = FOLDS,
    advance: Advance = ignore,
) -> Iterator[tuple[FeatureName, CrossValidation]]:
    """Cross-validate the configuration without each feature group in turn."""
    for feature in configuration.features:
        rest = tuple(name for name in configuration.features if name != feature)
        yield (feature, cross_validate(data, replace(configuration, features=rest), folds, advance))


def _deal(count: int, folds: int) -> list[Fold]:
    order = list(range(count))
    random.Random(_SEED).shuffle(order)  # noqa: S311  no secret depends on it
    numbers = {place: turn % folds for turn, place in enumerate(order)}
    return make_folds([numbers[place] for place in range(count)])


def _judge(
    abstract: int, gold: Analysis, tagged: Analysis, model: ZoneModel
) -> Iterator[Judgement]:
    """Judge the labelled sentences of `gold` by the model's zones of those of `tagged`."""
    found = model.tag(make_items(tagged, model.configuration))
    for sentence in gold.sentences:
        if sentence.label is None:
            continue
        shares = [
            min(sentence.end, other.end) - max(sentence.start, other.start)
            for other in tagged.sentences
        ]
        yield Judgement(abstract, sentence.label, found[shares.index(max(shares))][0])


def _count_glued(judged: SplitAndJoined) -> int:
    """Count the joined text's sentences that contain sentences of differently labelled sections."""
    holders = (
        (place, gold.label)
        for gold in judged.split.sentences
        for place, other in enumerate(judged.joined.sentences)
        if gold.label and other.start < gold.end and gold.start < other.end
    )
    return sum(
        len({label for _, label in group}) > 1 for _, group in groupby(holders, key=itemgetter(0))
    )


@dataclass(frozen=True, eq=False)
class ZoneFamily:
    """A `Family`: zone models trained on the abstracts with labels.

    Attributes:
        measured: whether to cross-validate, which takes about as long as the training for each
            fold.
        advance: called with 1 after each training.
    """

    gathered: GatheredAbstracts
    configuration: Configuration
    measured: bool = True
    advance: Advance = ignore
    kind = KIND

    @cached_property
    def examples(self) -> list[ZoneExample]:
        """An example of each abstract that has a labelled sentence."""
        return list(make_zone_examples(self.gathered.abstracts, self.configuration))

    @cached_property
    def figures(self) -> CrossValidation | None:
        if not self.measured or len(self.examples) < FOLDS:
            return None
        whole = analyse_split_and_joined(self.gathered.abstracts, self.configuration)
        return cross_validate(whole, self.configuration, FOLDS, self.advance)

    def fit(self) -> ZoneModel:
        crf = train_crf(self.examples, self.configuration)
        self.advance(1)
        return open_model(crf, self.configuration)

    def dump(self, model: ZoneModel) -> Files:
        head = {
            "configuration": model.configuration.to_json(),
            "sha256": hashlib.sha256(model.crf).hexdigest(),
        }
        return head, {CRF_FILE: model.crf}

    def describe(self, model: ZoneModel) -> dict[str, Any]:
        sentences = count_sentences(self.examples)
        outcomes = [reading.outcome for reading in self.gathered.rejected]
        left_out = {kind: sentences.pop(kind, 0) for kind in ("mixed", "unmapped")}
        report: dict[str, Any] = {
            "configuration": self.configuration.name,
            "abstracts": len(self.examples),
            "without_labels": len(self.gathered.abstracts) - len(self.examples),
            "replaced": self.gathered.replaced,
            "deleted": self.gathered.deleted,
            "skipped": outcomes.count("skipped"),
            "quarantined": outcomes.count("quarantined"),
            "sentences": sum(sentences.values()),
            "zones": dict(sorted(sentences.items())),
            "left_out": left_out,
            "bytes": len(model.crf),
        }
        if self.figures:
            report["figures"] = asdict(self.figures)
        settings = self.configuration.to_json()
        for shown in ("name", "description", "features"):
            del settings[shown]
        return {"configuration": self.configuration, "settings": settings, "report": report}

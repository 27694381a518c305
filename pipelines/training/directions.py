"""Train the model of directions on trials whose findings annotators named, and measure it."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from citespan.pipelines.answers.directions.comparison import Comparison
from citespan.pipelines.answers.directions.features import describe_passage
from citespan.pipelines.answers.directions.model import (
    DIRECTIONS,
    KIND,
    LEAST,
    READ,
    DirectionModel,
    Floats,
    normalise,
    pool,
)
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.doubt_figures import calibration_error, reliability
from citespan.pipelines.logistic_model import LogisticModel
from citespan.pipelines.ranking.selection import Positions, select
from citespan.pipelines.ranking.sentences import take_sentences
from citespan.pipelines.ranking.short_forms import find_short_forms
from citespan.pipelines.text.words import words
from citespan.pipelines.training.family import (
    Advance,
    Files,
    Fold,
    assign_folds,
    ignore,
    judge_out_of_fold,
    make_folds,
)
from citespan.pipelines.training.logistic import fit_logistic_model
from citespan.pipelines.training.ranker_fitting import train_on_folds

MODEL: Final = "model"
SWAPPED: Final = "model, asked with arms exchanged"
WORDS: Final = "words alone"
FREQUENT: Final = "most frequent"
_OPPOSITES: Final = [1, 0, 2]  # of `DIRECTIONS`
_COLUMNS: Final = (
    *("article", "number", "annotator", "direction"),
    *("outcome", "intervention", "comparator"),
)
_PENALTY: Final = 0.05
_LEAST_EXAMPLES: Final = 8
_TOLERANCE: Final = 1e-4
_WORDS_PENALTY: Final = 0.1
_SWAPPED_SHARE: Final = 0.5
"""How much a finding with its arms exchanged counts. Annotators are asked of the new drug first, so
that without these a model learns which arm is asked of, where it should read."""
_RESAMPLES: Final = 2_000
_SEED: Final = 1
_EXPONENTS: Final = tuple(number / 20 for number in range(6, 41))


@dataclass(frozen=True)
class Finding:
    """What an annotator found a trial to say, with the passage that says it.

    Attributes:
        citance: the id of the prompt's citance, whose article it is.
        share: one by the number of annotators of the prompt.
    """

    citance: str
    comparison: Comparison
    passage: str
    direction: str
    share: float

    @property
    def article(self) -> str:
        """The id of the article."""
        return self.citance.partition("/")[0]


@dataclass(frozen=True)
class DirectionFigures:
    """How often directions are right, and what it is compared with.

    Attributes:
        findings, prompts: how many were measured.
        gold: by system, the accuracy on the annotators' passages, with its interval over articles.
        end_to_end: the same on the passages that a ranker of the other folds found.
        said, right: the share of prompts for which a direction is said, end to end, and among
            these the share that is right; of those with a direction at all in `right_of`.
        calibration_error: expected, of the most likely direction, end to end.
    """

    findings: int
    prompts: int
    gold: Mapping[str, tuple[float, float, float]]
    end_to_end: Mapping[str, tuple[float, float, float]]
    said: float
    right: float
    right_of: Mapping[str, float]
    calibration_error: float
    exponent: float

    def to_json(self) -> dict[str, Any]:
        """Return the figures by name."""
        figures = asdict(self)
        del figures["exponent"]
        return figures


def read_findings(
    file: Path, articles: Mapping[str, Article], citances: Sequence[Citance]
) -> list[Finding]:
    """Read what annotators found, from a table with tabs; passages are those of the collection.

    Raises:
        InputError: if the file can't be read, lacks a column, or has a line that is no annotation
            of the collection.
    """
    annotated = {
        (citance.article_id, citance.number, annotation.annotator): (citance, annotation.spans)
        for citance in citances
        for annotation in reversed(citance.annotations)
    }
    rows: list[tuple[Citance, dict[str, str], str]] = []
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            table = csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE)
            if missing := [name for name in _COLUMNS if name not in (table.fieldnames or ())]:
                raise InputError(f"{file}: no column {missing[0]}; it has {', '.join(_COLUMNS)}")
            for line, row in enumerate(table, start=2):
                where = f"{file}, line {line}"
                found = annotated.get((row["article"], row["number"], row["annotator"]))
                if found is None:
                    raise InputError(f"{where}: no such annotation in the collection")
                if row["direction"] not in DIRECTIONS:
                    raise InputError(f"{where}: direction '{row['direction']}' is none of them")
                citance, spans = found
                text = articles[citance.article_id].text
                rows.append((citance, row, " ".join(text[start:end] for start, end in spans)))
    except OSError as error:
        raise InputError(f"{file}: can't be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{file}: no table of directions: {error}") from error
    if not rows:
        raise InputError(f"{file}: no line with a direction to train on")
    counts = Counter(citance.id for citance, _, _ in rows)
    short_forms = {
        article: find_short_forms([articles[article].text])
        for article in {citance.article_id for citance, _, _ in rows}
    }
    return [
        Finding(
            citance.id,
            Comparison(row["outcome"], row["intervention"], row["comparator"]).add_short_forms(
                short_forms[citance.article_id]
            ),
            passage,
            row["direction"],
            1 / counts[citance.id],
        )
        for citance, row, passage in rows
    ]


@dataclass(frozen=True, eq=False)
class DirectionFamily:
    """A `Family`: models of directions.

    Attributes:
        articles: by id, split into sentences.
        citances: the prompts; all of an article are in one fold.
        advance: called with 1 after each training.
    """

    articles: Mapping[str, Article]
    citances: Sequence[Citance]
    findings: Sequence[Finding]
    advance: Advance = ignore
    kind = KIND

    @cached_property
    def features(self) -> list[frozenset[str]]:
        """Those of the passage of each finding."""
        return [describe_passage(finding.comparison, finding.passage) for finding in self.findings]

    @cached_property
    def swapped(self) -> list[frozenset[str]]:
        """The same with intervention and comparator exchanged."""
        return [
            describe_passage(finding.comparison.swap(), finding.passage)
            for finding in self.findings
        ]

    @cached_property
    def folds(self) -> dict[str, int]:
        """The fold of each prompt, that which rankers of the collection have."""
        numbers = assign_folds([citance.topic for citance in self.citances])
        return {citance.id: number for citance, number in zip(self.citances, numbers, strict=True)}

    @cached_property
    def out_of_fold(self) -> tuple[dict[str, Floats], list[Floats]]:
        """The probabilities of directions by models of the other folds: by system, the (findings,
        3) of the findings' own passages; of those found for each prompt, the mean logarithms."""
        numbers = [self.folds[finding.citance] for finding in self.findings]
        plain = [frozenset(_count_words(finding.passage)) for finding in self.findings]
        found = dict(self._find_passages())
        pooled: dict[str, Floats] = {}

        def judge(
            models: tuple[LogisticModel, LogisticModel], fold: Fold
        ) -> Iterator[dict[str, Floats]]:
            model, of_words = models
            for name in {self.findings[place].citance for place in fold.test}:
                features, weights = found[name]
                pooled[name] = pool(model.predict(features), weights)
            own = {
                MODEL: model.predict([self.features[place] for place in fold.test]),
                SWAPPED: model.predict([self.swapped[place] for place in fold.test]),
                WORDS: of_words.predict([plain[place] for place in fold.test]),
            }
            for row in range(len(fold.test)):
                yield {name: judged[row] for name, judged in own.items()}

        judged = judge_out_of_fold(
            make_folds(numbers),
            lambda places: (
                self._fit(places, self.features, _PENALTY, self.swapped),
                self._fit(places, plain, _WORDS_PENALTY),
            ),
            judge,
            self.advance,
        )
        names = dict.fromkeys(finding.citance for finding in self.findings)
        systems = {name: np.array([judgement[name] for judgement in judged]) for name in judged[0]}
        return systems, [pooled[name] for name in names]

    @cached_property
    def figures(self) -> DirectionFigures:
        """See `Family`. The exponent of each fold is that which fits the others best."""
        gold, pooled = self.out_of_fold
        right = _name_places([finding.direction for finding in self.findings])
        groups = [finding.article for finding in self.findings]
        first = self._prompts
        prompts = _name_places([finding.direction for finding in first])
        folds = np.array([self.folds[finding.citance] for finding in first])
        of_prompts = [finding.article for finding in first]
        chances = np.zeros((len(first), len(DIRECTIONS)))
        for fold in set(folds):
            exponent = _fit_exponent(
                [example for example, own in zip(pooled, folds, strict=True) if own != fold],
                prompts[folds != fold],
            )
            for place in np.flatnonzero(folds == fold):
                chances[place] = normalise(pooled[place] * exponent)
        best, chosen = chances.max(axis=1), chances.argmax(axis=1)
        said, hits = best >= LEAST, chosen == prompts
        return DirectionFigures(
            len(self.findings),
            len(first),
            {
                MODEL: _measure(gold[MODEL], right, groups),
                SWAPPED: _measure(gold[SWAPPED][:, _OPPOSITES], right, groups),
                WORDS: _measure(gold[WORDS], right, groups),
                FREQUENT: _measure(_repeat_frequencies(right), right, groups),
            },
            {
                MODEL: _measure(chances, prompts, of_prompts),
                FREQUENT: _measure(_repeat_frequencies(prompts), prompts, of_prompts),
            },
            float(said.mean()),
            float(hits[said].mean()) if said.any() else 0.0,
            {
                name: float(hits[said & (chosen == place)].mean())
                for place, name in enumerate(DIRECTIONS)
                if (said & (chosen == place)).any()
            },
            calibration_error(reliability(best, hits.astype(float))),
            _fit_exponent(pooled, prompts),
        )

    def fit(self) -> DirectionModel:
        """See `Family`; the exponent is fitted to what is found out of fold."""
        figures = self.figures
        model = self._fit(range(len(self.findings)), self.features, _PENALTY, self.swapped)
        self.advance(1)
        return DirectionModel(
            model, figures.exponent, round(figures.right, 3), round(figures.said, 3)
        )

    def dump(self, model: DirectionModel) -> Files:
        head = {"exponent": model.exponent, "right": model.right, "said": model.said}
        return {**head, **model.passages.to_json()}, {}

    def describe(self, model: DirectionModel) -> dict[str, Any]:
        counts = Counter(finding.direction for finding in self.findings)
        return {
            "articles": len({finding.article for finding in self.findings}),
            "directions": {name: counts[name] for name in DIRECTIONS},
            "features": len(model.passages.weights),
            "read": READ,
            "least": LEAST,
        }

    @property
    def _prompts(self) -> list[Finding]:
        """Of each prompt, the first finding of the direction that most annotators found."""
        by_prompt: dict[str, list[Finding]] = {}
        for finding in self.findings:
            by_prompt.setdefault(finding.citance, []).append(finding)
        found = []
        for own in by_prompt.values():
            [(direction, _)] = Counter(finding.direction for finding in own).most_common(1)
            found.append(next(finding for finding in own if finding.direction == direction))
        return found

    def _find_passages(self) -> Iterator[tuple[str, tuple[list[frozenset[str]], list[float]]]]:
        """Yield for each prompt the features of the passages that a ranker of the other folds
        finds in its article, and their probabilities."""
        comparisons = {finding.citance: finding.comparison for finding in self.findings}
        rankers = train_on_folds(self.articles, self.citances, (), self.advance)
        for citance, ranker in zip(self.citances, rankers, strict=True):
            if citance.id not in comparisons:
                continue
            article = take_sentences(self.articles[citance.article_id])
            chosen = select(ranker.rank(citance.text, article), Positions.of(article), READ)
            texts = [
                "".join(article.texts[selected.first : selected.last + 1]) for selected in chosen
            ]
            features = [describe_passage(comparisons[citance.id], text) for text in texts or [""]]
            yield citance.id, (features, [selected.probability for selected in chosen] or [0.0])

    def _fit(
        self,
        places: Sequence[int],
        features: Sequence[frozenset[str]],
        penalty: float,
        swapped: Sequence[frozenset[str]] = (),
    ) -> LogisticModel:
        own = [self.findings[place] for place in places]
        opposites = [DIRECTIONS[_OPPOSITES[DIRECTIONS.index(finding.direction)]] for finding in own]
        others = own if swapped else []
        return fit_logistic_model(
            [
                *(features[place] for place in places),
                *(swapped[place] for place in places if swapped),
            ],
            [*(finding.direction for finding in own), *opposites[: len(others)]],
            [
                *(finding.share for finding in own),
                *(other.share * _SWAPPED_SHARE for other in others),
            ],
            penalty,
            _LEAST_EXAMPLES,
            _TOLERANCE,
        )


def _count_words(passage: str) -> Iterator[str]:
    own = words(passage.lower())
    yield from own
    yield from map(" ".join, pairwise(own))


def _name_places(directions: Sequence[str]) -> np.ndarray[Any, Any]:
    return np.array([DIRECTIONS.index(direction) for direction in directions])


def _repeat_frequencies(directions: np.ndarray[Any, Any]) -> Floats:
    """Return how often each direction is among these, in a row for each."""
    counts = np.bincount(directions, minlength=len(DIRECTIONS)) * 1.0
    return np.tile(counts, (len(directions), 1))


def _measure(
    chances: Floats, right: np.ndarray[Any, Any], groups: Sequence[str]
) -> tuple[float, float, float]:
    """Return the accuracy, and its 95% interval by a bootstrap over articles."""
    hits = (chances.argmax(axis=1) == right).astype(float)
    _, numbers = np.unique(groups, return_inverse=True)
    sums, sizes = np.bincount(numbers, hits), np.bincount(numbers)
    drawn = np.random.default_rng(_SEED).integers(len(sums), size=(_RESAMPLES, len(sums)))
    low, high = np.percentile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), (2.5, 97.5))
    return float(hits.mean()), float(low), float(high)


def _fit_exponent(pooled: Sequence[Floats], right: np.ndarray[Any, Any]) -> float:
    """Return the exponent with which the right directions are most likely."""
    losses = {
        exponent: -sum(
            float(np.log(normalise(shares * exponent)[place]))
            for shares, place in zip(pooled, right, strict=True)
        )
        for exponent in _EXPONENTS
    }
    return min(losses, key=lambda exponent: losses[exponent])

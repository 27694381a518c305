"""Train the facet model on citances whose facets annotators named, and measure it out of fold."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from citespan.pipelines.citations.summaries.facets import KIND, describe_sentences
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.logistic_model import LogisticModel
from citespan.pipelines.precision_recall import PrecisionRecall
from citespan.pipelines.ranking.sentences import take_sentences
from citespan.pipelines.training.family import FOLDS, Files, assign_folds, judge_others, make_folds
from citespan.pipelines.training.logistic import fit_logistic_model

_LEAST_ROWS: Final = 5
_PENALTY: Final = 0.3  # scikit-learn's C: the lower, the stronger


@dataclass(frozen=True)
class FacetExample:
    """A citance whose annotators named facets.

    Attributes:
        features: of the sentences that they marked, together.
        facets: one or several; each is right.
    """

    features: frozenset[str]
    facets: tuple[str, ...]
    fold: int


@dataclass(frozen=True)
class FacetFigures:
    """How often facets are right.

    Attributes:
        citances: how many were measured.
        facets: by facet, how often it was predicted and named.
    """

    citances: int
    accuracy: float
    facets: Mapping[str, PrecisionRecall]

    @property
    def macro_f1(self) -> float:
        """The mean of the facets' F1."""
        return float(np.mean([figures.f1 for figures in self.facets.values()]))

    def to_json(self) -> dict[str, Any]:
        """Return the figures by name."""
        return {
            "citances": self.citances,
            "accuracy": self.accuracy,
            "macro_f1": self.macro_f1,
            "facets": {name: figures.to_json() for name, figures in self.facets.items()},
        }


def make_facet_examples(
    articles: Mapping[str, Article], citances: Sequence[Citance]
) -> list[FacetExample]:
    """Make an example of each citance with a facet and a marked sentence.

    Folds are those of rankers trained on the same citances.

    Args:
        articles: by id, split into sentences.

    Raises:
        InputError: if there is no such citance, or there are fewer topics than folds.
    """
    folds = assign_folds([citance.topic for citance in citances])
    features = {
        name: describe_sentences(take_sentences(article)) for name, article in articles.items()
    }
    found = []
    for citance, fold in zip(citances, folds, strict=True):
        marked = Outcome(citance, articles[citance.article_id], ()).gold_sentences
        if citance.facets and marked:
            own = (features[citance.article_id][number] for number in marked)
            found.append(FacetExample(frozenset().union(*own), citance.facets, int(fold)))
    if not found:
        raise InputError("no citance with a discourse facet to train on")
    return found


def train_facets(examples: Sequence[FacetExample]) -> LogisticModel:
    """Train a model; the same examples give the same one.

    Features that fewer than five examples have are left out; an example counts by the square root
    of how rare its facet is.
    """
    counts = Counter(feature for example in examples for feature in example.features)
    frequent = {feature for feature, count in counts.items() if count >= _LEAST_ROWS}
    rows = [(example, facet) for example in examples for facet in example.facets]
    named = Counter(facet for _, facet in rows)
    rare = {facet: (len(rows) / len(named) / count) ** 0.5 for facet, count in named.items()}
    return fit_logistic_model(
        [example.features & frequent for example, _ in rows],
        [facet for _, facet in rows],
        [rare[facet] / len(example.facets) for example, facet in rows],
        _PENALTY,
    )


def cross_validate_facets(
    examples: Sequence[FacetExample], folds: Collection[int] = ()
) -> dict[str, FacetFigures]:
    """Measure models trained on the other folds, beside the most frequent facet of those.

    Args:
        folds: numbers of those whose topics are reported, from 1; none for all.

    Raises:
        InputError: if there is no such fold, or nothing to train on beside one.
    """
    wanted = check_folds(folds)
    names = sorted({facet for example in examples for facet in example.facets})

    def fit(others: list[FacetExample]) -> tuple[LogisticModel, str]:
        if not others:
            raise InputError("only one fold of topics has discourse facets; give more data")
        named = Counter(facet for example in others for facet in example.facets)
        return train_facets(others), named.most_common(1)[0][0]

    def judge(
        trained: tuple[LogisticModel, str], tested: list[FacetExample]
    ) -> Iterator[dict[str, str]]:
        model, frequent = trained
        for place in model.predict([example.features for example in tested]).argmax(axis=1):
            yield {"model": model.classes[place], "most frequent": frequent}

    chosen = [
        fold for fold in make_folds([example.fold for example in examples]) if fold.number in wanted
    ]
    judged = judge_others(examples, chosen, fit, judge)
    if not judged:
        raise InputError("no citance of these folds has a discourse facet")
    tested = [examples[place] for place in sorted(place for fold in chosen for place in fold.test)]
    return {
        system: _measure(
            names, [(example, said[system]) for example, said in zip(tested, judged, strict=True)]
        )
        for system in judged[0]
    }


def check_folds(folds: Collection[int]) -> list[int]:
    """Return folds that are numbered from 1 as numbers from 0, or all for none.

    Raises:
        InputError: if there is no such fold.
    """
    if unknown := sorted(set(folds) - set(range(1, FOLDS + 1))):
        raise InputError(f"no fold {unknown[0]}; there are folds 1 to {FOLDS}")
    return sorted({fold - 1 for fold in folds}) or list(range(FOLDS))


def _measure(names: Sequence[str], pairs: Sequence[tuple[FacetExample, str]]) -> FacetFigures:
    right = [facet in example.facets for example, facet in pairs]
    return FacetFigures(
        len(pairs),
        float(np.mean(right)),
        {
            name: PrecisionRecall.of(
                {place for place, (_, facet) in enumerate(pairs) if facet == name},
                {place for place, (example, _) in enumerate(pairs) if name in example.facets},
            )
            for name in names
        },
    )


@dataclass(frozen=True, eq=False)
class FacetFamily:
    """A `Family`: facet models trained on citances whose facets annotators named."""

    examples: Sequence[FacetExample]
    kind = KIND

    @cached_property
    def figures(self) -> dict[str, FacetFigures]:
        return cross_validate_facets(self.examples)

    def fit(self) -> LogisticModel:
        return train_facets(self.examples)

    def dump(self, model: LogisticModel) -> Files:
        return model.to_json(), {}

    def describe(self, model: LogisticModel) -> dict[str, Any]:
        named = Counter(facet for example in self.examples for facet in example.facets)
        return {
            "citances": len(self.examples),
            "facets": {facet: named[facet] for facet in model.classes},
            "features": len(model.weights),
        }

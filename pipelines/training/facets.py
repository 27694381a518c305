"""Train the facet model on citances whose facets annotators named, and measure it out of fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from citespan.pipelines.citations.summaries.facets import (
    FacetModel,
    describe_sentences,
    write_model,
)
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.precision_recall import PrecisionRecall
from citespan.pipelines.ranking.sentences import take_sentences
from citespan.pipelines.training.ranker_fitting import FOLDS, assign_folds

_LEAST_ROWS: Final = 5
_PENALTY: Final = 0.3  # scikit-learn's C: the lower, the stronger
_DECIMALS: Final = 4


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
        return float(np.mean([one.f1 for one in self.facets.values()]))

    def to_json(self) -> dict[str, Any]:
        """Return the figures by name."""
        return {
            "citances": self.citances,
            "accuracy": self.accuracy,
            "macro_f1": self.macro_f1,
            "facets": {name: one.to_json() for name, one in self.facets.items()},
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


def train_facets(examples: Sequence[FacetExample]) -> FacetModel:
    """Train a model; the same examples give the same one.

    Features that fewer than five examples have are left out; an example counts by the square root
    of how rare its facet is.
    """
    from sklearn.linear_model import LogisticRegression  # slow to import, and for training only

    counts = Counter(feature for one in examples for feature in one.features)
    names = sorted(feature for feature, count in counts.items() if count >= _LEAST_ROWS)
    places = {name: place for place, name in enumerate(names)}
    rows = [(one, facet) for one in examples for facet in one.facets]
    facets = sorted({facet for _, facet in rows})
    if len(facets) == 1:
        return FacetModel(tuple(facets), (0.0,), {})
    matrix = np.zeros((len(rows), len(names)))
    for row, (one, _) in zip(matrix, rows, strict=True):
        row[[places[feature] for feature in one.features if feature in places]] = 1.0
    named = Counter(facet for _, facet in rows)
    rare = {facet: (len(rows) / len(facets) / named[facet]) ** 0.5 for facet in facets}
    model = LogisticRegression(C=_PENALTY, max_iter=5_000, tol=1e-8)
    weights = np.array([rare[facet] / len(one.facets) for one, facet in rows])
    model.fit(matrix, [facet for _, facet in rows], weights)
    table, intercepts = _spell_out(model.coef_), _spell_out(model.intercept_)
    return FacetModel(
        tuple(facets),
        tuple(intercepts.tolist()),
        {name: tuple(own) for name, own in zip(names, table.T.tolist(), strict=True) if any(own)},
    )


def _spell_out(fitted: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Round weights, and give each of two facets its own, of which there is only one."""
    both = np.stack([-fitted[0], fitted[0]]) if len(fitted) == 1 else fitted
    rounded: np.ndarray[Any, Any] = np.round(both, _DECIMALS) + 0.0
    return rounded


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
    names = sorted({facet for one in examples for facet in one.facets})
    predicted: dict[str, list[tuple[FacetExample, str]]] = {"model": [], "most frequent": []}
    for fold in wanted:
        own = [one for one in examples if one.fold == fold]
        others = [one for one in examples if one.fold != fold]
        if not others:
            raise InputError("only one fold of topics has discourse facets; give more data")
        model = train_facets(others)
        best = model.predict([one.features for one in own]).argmax(axis=1)
        frequent = Counter(facet for one in others for facet in one.facets).most_common(1)[0][0]
        predicted["model"] += [
            (one, model.facets[place]) for one, place in zip(own, best, strict=True)
        ]
        predicted["most frequent"] += [(one, frequent) for one in own]
    if not predicted["model"]:
        raise InputError("no citance of these folds has a discourse facet")
    return {name: _measure(names, pairs) for name, pairs in predicted.items()}


def check_folds(folds: Collection[int]) -> list[int]:
    """Return folds that are numbered from 1 as numbers from 0, or all for none.

    Raises:
        InputError: if there is no such fold.
    """
    if unknown := sorted(set(folds) - set(range(1, FOLDS + 1))):
        raise InputError(f"no fold {unknown[0]}; there are folds 1 to {FOLDS}")
    return sorted({fold - 1 for fold in folds}) or list(range(FOLDS))


def _measure(names: Sequence[str], pairs: Sequence[tuple[FacetExample, str]]) -> FacetFigures:
    right = [facet in one.facets for one, facet in pairs]
    return FacetFigures(
        len(pairs),
        float(np.mean(right)),
        {
            name: PrecisionRecall.of(
                {place for place, (_, facet) in enumerate(pairs) if facet == name},
                {place for place, (one, _) in enumerate(pairs) if name in one.facets},
            )
            for name in names
        },
    )


def train_and_write_facets(
    examples: Sequence[FacetExample], to: Path, paths: Sequence[str], about: str = ""
) -> dict[str, FacetFigures]:
    """Train on all examples, measure out of fold, and write the model's folder with a card.

    Args:
        paths: the collections that were read, for the card.
        about: a description of the data with its licence, for the card.

    Raises:
        InputError: if the folder can't be written.
    """
    figures = cross_validate_facets(examples)
    model = train_facets(examples)
    write_model(to, model, _format_card(examples, model, figures, paths, about))
    return figures


def _format_card(
    examples: Sequence[FacetExample],
    model: FacetModel,
    figures: Mapping[str, FacetFigures],
    paths: Sequence[str],
    about: str,
) -> str:
    named = Counter(facet for one in examples for facet in one.facets)
    counts = ", ".join(f"{facet} {named[facet]}" for facet in model.facets)
    rows = [
        ("Task", "the discourse facet of a sentence that is cited"),
        (
            "Method",
            "multinomial logistic regression over words and pairs of words of the sentence, the "
            "kind of its section, and the fifth of the article that it is in; an example counts "
            "by the square root of how rare its facet is",
        ),
        ("Data", about or "not described"),
        ("Trained on", f"{len(examples):,} citances with the sentences marked for them: {counts}"),
        ("File", f"`facets.json`: weights of {len(model.weights):,} features"),
    ]
    lines = ["# Facets of cited sentences", "", "| | |", "| --- | --- |"]
    lines += [f"| {key} | {value} |" for key, value in rows]
    command = f'citespan facets train {" ".join(paths)} --out … --about "{about}"'
    lines += ["", "The same collections give the same file, byte for byte:", "", f"    {command}"]
    lines += [
        *("", "## Figures", ""),
        f"{FOLDS}-fold cross-validation by topic, beside the facet that is most frequent in the",
        "other folds. A prediction is right if any annotator named it. Features, penalty and the",
        "weights of examples were chosen by such figures on 24 topics of CL-SciSumm 2018 (folds 1",
        "to 3).",
        "",
        "| | accuracy | macro F1 | " + " | ".join(model.facets) + " |",
        "| --- | --- | --- |" + " --- |" * len(model.facets),
    ]
    for system, own in figures.items():
        f1 = " | ".join(f"{own.facets[facet].f1:.3f}" for facet in model.facets)
        lines.append(f"| {system} | {own.accuracy:.3f} | {own.macro_f1:.3f} | {f1} |")
    return "\n".join(lines) + "\n"

"""Families of models: each is fitted to all its examples, measured out of fold, and written.

A family has an object that holds its examples and settings. `train_and_write` makes a model of
them, and the card is a template in `cards/`, named like the head of the model's folder, that is
filled with the family's figures.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.model_folder import ModelKind

Advance = Callable[[int], None]
"""Is called with the number of steps that are done."""

Files = tuple[Mapping[str, Any], Mapping[str, bytes]]
"""The head of a model's folder, and the content of its other files by their names."""

Model = TypeVar("Model")
Item = TypeVar("Item")
Judged = TypeVar("Judged")
FOLDS: Final = 5
_SEED = 1
_CARDS: Final = Path(__file__).parent / "cards"


def ignore(_steps: int) -> None:
    """Take no notice of the steps that are done."""


class Family(Protocol[Model]):
    """The examples of one training, and how a family of models learns from them."""

    @property
    def kind(self) -> ModelKind[Any]: ...

    @property
    def figures(self) -> Any:
        """The figures of models that are trained on the other folds; None for none."""

    def fit(self) -> Model:
        """Return a model of all examples; the same examples give the same one."""
        ...

    def dump(self, model: Model) -> Files:
        """Return what is written of a model."""
        ...

    def describe(self, model: Model) -> dict[str, Any]:
        """Return what the card asks for beside the figures, and the command line may print."""
        ...


def train_and_write(
    family: Family[Model], to: Path, paths: Sequence[str], about: str = ""
) -> dict[str, Any]:
    """Measure a family out of fold, fit it to all examples, and write the folder with its card.

    Args:
        paths: the files or collections that were read, for the card.
        about: a description of the data with its licence, for the card.

    Returns:
        What the family says of the model, and its "figures".

    Raises:
        InputError: if there is too little to train on, or the folder can't be written.
    """
    figures = family.figures
    model = family.fit()
    described = {**family.describe(model), "figures": figures}
    template = _open_cards().get_template(family.kind.head.replace(".json", ".md"))
    card = template.render(**described, folds=FOLDS, paths=" ".join(paths), about=about)
    head, files = family.dump(model)
    family.kind.write(to, head, card, files)
    return described


@cache
def _open_cards() -> Environment:
    cards = Environment(  # noqa: S701  Markdown has nothing to escape
        loader=FileSystemLoader(_CARDS),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    cards.filters["count"] = format_count
    cards.filters["figure"] = "{:.3f}".format
    return cards


@dataclass(frozen=True, slots=True)
class Fold:
    """A fold of a cross-validation.

    Attributes:
        train, test: the places of the examples to train on, and of those that are left out.
    """

    number: int
    train: list[int]
    test: list[int]


def make_folds(numbers: Sequence[int]) -> list[Fold]:
    """Return the folds of examples, given the number of each one's fold."""
    return [
        Fold(
            fold,
            [place for place, own in enumerate(numbers) if own != fold],
            [place for place, own in enumerate(numbers) if own == fold],
        )
        for fold in sorted(set(numbers))
    ]


def judge_out_of_fold(
    folds: Iterable[Fold],
    fit: Callable[[list[int]], Model],
    judge: Callable[[Model, Fold], Iterable[Judged]],
    advance: Advance = ignore,
) -> list[Judged]:
    """Return what models say of each example that they were not trained on, by its place.

    Args:
        fit: trains a model on the examples at these places.
        judge: returns what a model says of each example that the fold leaves out.
        advance: called with 1 after each fold.
    """
    found: dict[int, Judged] = {}
    for fold in folds:
        model = fit(fold.train)
        found |= zip(fold.test, judge(model, fold), strict=True)
        advance(1)
    return [found[place] for place in sorted(found)]


def judge_others(
    examples: Sequence[Item],
    folds: Iterable[Fold],
    fit: Callable[[list[Item]], Model],
    judge: Callable[[Model, list[Item]], Iterable[Judged]],
) -> list[Judged]:
    """Return what `judge_out_of_fold` does, by functions that take the examples themselves."""
    return judge_out_of_fold(
        folds,
        lambda places: fit([examples[place] for place in places]),
        lambda model, fold: judge(model, [examples[place] for place in fold.test]),
    )


def assign_folds(groups: Sequence[str], folds: int = FOLDS) -> list[int]:
    """Return the fold of each example, all of one group in the same.

    Args:
        groups: that of each example.

    Raises:
        InputError: if there are fewer groups than folds.
    """
    names = sorted(set(groups))
    if len(names) < folds:
        raise InputError(f"{len(names)} topics or articles can't be {folds} folds; give more data")
    order = np.random.default_rng(_SEED).permutation(len(names))
    places = {names[number]: place % folds for place, number in enumerate(order)}
    return [places[group] for group in groups]

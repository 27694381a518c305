"""What the first passages of each system are worth, from the first alone to all of them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from citespan.pipelines.evaluation.figures import choose_columns
from citespan.pipelines.evaluation.measure import FloatArray, measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.plots.drawing import MAIN, OTHER, make_grid
from citespan.pipelines.evaluation.replayed import ReplayedRun
from citespan.pipelines.evaluation.scores import score_alone


def draw_precision(run: ReplayedRun) -> Figure:
    """Draw the share of the sentences in the first passages that are marked, all citances
    pooled, for each system, with the other systems in grey."""
    return _draw(run, compute_precision, "marked share of their sentences")


def draw_top_k(run: ReplayedRun) -> Figure:
    """Draw the mean of the main measure over citances for the first passages alone, for each
    system, with the other systems in grey."""
    name = run.results.main_measure

    def compute(outcomes: Sequence[Outcome]) -> float:
        return float(score_alone(measures[name], measures[name].counts(outcomes)).mean())

    return _draw(run, compute, choose_columns([name])[name])


def compute_precision(outcomes: Sequence[Outcome]) -> float:
    """Return the share of the sentences retrieved that are marked, all citances pooled."""
    retrieved = sum(len(one.retrieved_sentences) for one in outcomes)
    found = sum(len(one.retrieved_sentences & one.gold_sentences) for one in outcomes)
    return found / retrieved if retrieved else 0.0


def _draw(run: ReplayedRun, compute: Callable[[Sequence[Outcome]], float], y_label: str) -> Figure:
    curves = {name: _follow(theirs, compute) for name, theirs in run.outcomes.items()}
    figure, axes = make_grid(list(curves), "first passages of each citance", y_label)
    for one, system in zip(axes, curves, strict=True):
        for name, values in curves.items():
            if name != system:
                one.plot(range(1, len(values) + 1), values, color=OTHER, linewidth=0.7)
        values = curves[system]
        one.plot(range(1, len(values) + 1), values, "o-", color=MAIN, markersize=3.5, linewidth=1.6)
        one.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes[0].set_ylim(
        0, 1.05 * max((value for values in curves.values() for value in values), default=0) or None
    )
    return figure


def _follow(
    outcomes: Sequence[Outcome], compute: Callable[[Sequence[Outcome]], float]
) -> FloatArray:
    """Return a figure of the first passage, of the first two, and so on to all, of shape (k,)."""
    deepest = max((len(one.spans) for one in outcomes), default=0)
    return np.array(
        [
            compute([replace(one, spans=one.spans[:depth]) for one in outcomes])
            for depth in range(1, deepest + 1)
        ]
    )

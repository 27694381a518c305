"""All plots of a run, as files of its folder and for a page."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from citespan.pipelines.errors import InputError, UnknownNameError
from citespan.pipelines.evaluation.doubt_figures import calibration_error, reliability
from citespan.pipelines.evaluation.measure import FloatArray, measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.plots.drawing import (
    BAD,
    DIM,
    MAIN,
    OTHER,
    PALE,
    make_grid,
    make_row,
    render,
    style,
)
from citespan.pipelines.evaluation.results import choose_columns
from citespan.pipelines.evaluation.run_folder import ReplayedRun
from citespan.pipelines.evaluation.scores import score_alone

_MOST_MEASURES = 3


def draw_systems(run: ReplayedRun) -> Figure:
    """Draw the first measures of the experiment's table: a point and its interval for each
    system, and a line through the baseline's."""
    results = run.results
    measures = list(results.columns or (results.main_measure, "rouge_l", "sentence_f1_micro"))
    measures = measures[:_MOST_MEASURES]
    headings = choose_columns(measures)
    figure, axes = make_row(len(measures), 0.9 + 0.25 * len(results.systems))
    places = range(len(results.systems))
    for axis, measure in zip(axes, measures, strict=True):
        for place, system in zip(places, results.systems, strict=True):
            axis.plot(system.intervals[measure], (place, place), color=MAIN, linewidth=1.5)
            axis.plot(system.measures[measure], place, "o", color=MAIN, markersize=5)
            if system.system == results.baseline:
                axis.axvline(system.measures[measure], color=DIM, linewidth=0.8, linestyle="--")
        axis.set_title(headings[measure])
        axis.grid(visible=False, axis="y")
    axes[0].set_yticks(places, [system.system for system in results.systems])
    axes[0].invert_yaxis()
    return figure


_SAME = 1e-12


def draw_differences(run: ReplayedRun) -> Figure | None:
    """Draw for each system its difference to the baseline on every citance, the greatest first;
    None for an experiment of the baseline alone."""
    baseline = run.results.baseline
    systems = [name for name in run.outcomes if name != baseline]
    if not systems:
        return None
    figure, axes = make_grid(
        systems,
        "citances, by their difference",
        f"{run.results.main_measure} less that of {baseline}",
    )
    places = np.arange(run.citances)
    for axis, system in zip(axes, systems, strict=True):
        differences = np.sort(run.values[system] - run.values[baseline])[::-1]
        for colour, part in ((MAIN, differences > _SAME), (BAD, differences < -_SAME)):
            axis.fill_between(places[part], differences[part], color=colour, linewidth=0)
        better, worse = int((differences > _SAME).sum()), int((differences < -_SAME).sum())
        axis.axhline(0, color=DIM, linewidth=0.8)
        axis.text(0.98, 0.95, f"better {better:,}", color=MAIN, fontsize=8, ha="right", va="top",
                 transform=axis.transAxes)  # fmt: skip
        axis.text(0.02, 0.05, f"worse {worse:,}", color=BAD, fontsize=8, transform=axis.transAxes)
    return figure


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
    retrieved = sum(len(outcome.retrieved_sentences) for outcome in outcomes)
    found = sum(len(outcome.retrieved_sentences & outcome.gold_sentences) for outcome in outcomes)
    return found / retrieved if retrieved else 0.0


def _draw(run: ReplayedRun, compute: Callable[[Sequence[Outcome]], float], y_label: str) -> Figure:
    curves = {name: _follow(theirs, compute) for name, theirs in run.outcomes.items()}
    figure, axes = make_grid(list(curves), "first passages of each citance", y_label)
    for axis, system in zip(axes, curves, strict=True):
        for values in (own for name, own in curves.items() if name != system):
            axis.plot(range(1, len(values) + 1), values, color=OTHER, linewidth=0.7)
        depths = range(1, len(curves[system]) + 1)
        axis.plot(depths, curves[system], "o-", color=MAIN, markersize=3.5, linewidth=1.6)
        axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes[0].set_ylim(
        0, 1.05 * max((value for values in curves.values() for value in values), default=0) or None
    )
    return figure


def _follow(
    outcomes: Sequence[Outcome], compute: Callable[[Sequence[Outcome]], float]
) -> FloatArray:
    """Return a figure of the first passage, of the first two, and so on to all, of shape (k,)."""
    deepest = max((len(outcome.spans) for outcome in outcomes), default=0)
    firsts = (
        [replace(outcome, spans=outcome.spans[:depth]) for outcome in outcomes]
        for depth in range(1, deepest + 1)
    )
    return np.array(list(map(compute, firsts)))


_LONGEST = 10
"""Sentences; longer passages are counted as this long."""


def draw_span_lengths(run: ReplayedRun) -> Figure:
    """Draw for each system the share of its passages by length, and within it the share that
    has a marked sentence."""
    systems = list(run.outcomes)
    figure, axes = make_grid(systems, "sentences of a passage", "share of the passages")
    most = 1
    for axis, system in zip(axes, systems, strict=True):
        passages: Counter[int] = Counter()
        found: Counter[int] = Counter()
        for outcome in run.outcomes[system]:
            for span in outcome.spans:
                length = min(span.last_sentence - span.first_sentence + 1, _LONGEST)
                passages[length] += 1
                found[length] += outcome.is_marked(span)
        total = passages.total() or 1
        lengths = sorted(passages)
        most = max([most, *lengths])
        axis.bar(lengths, [passages[length] / total for length in lengths], color=PALE)
        axis.bar(lengths, [found[length] / total for length in lengths], color=MAIN)
    step = 1 if most <= 5 else 2
    axes[0].set_xticks(range(1, most + 1, step))
    return figure


def draw_reliability(run: ReplayedRun) -> Figure | None:
    """Draw for each system with a ranker how often passages of a probability have a marked
    sentence; None where no system has a ranker that retrieved any."""
    pairs = {
        name: [
            (span.score, float(outcome.is_marked(span)))
            for outcome in run.outcomes[name]
            for span in outcome.spans
        ]
        for name in run.list_ranked()
    }
    systems = [name for name, theirs in pairs.items() if theirs]
    if not systems:
        return None
    figure, axes = make_grid(systems, "probability of a passage", "with a marked sentence")
    for axis, system in zip(axes, systems, strict=True):
        said, true = np.array(pairs[system]).T
        points = reliability(said, true)
        x, y = ([point[key] for point in points] for key in ("probability", "frequency"))
        axis.plot((0, 1), (0, 1), color=DIM, linewidth=0.8, linestyle="--")
        axis.plot(x, y, color=MAIN, linewidth=1.2)
        axis.scatter(x, y, s=[8 + 160 * point["share"] for point in points], color=MAIN)
        axis.set_title(f"{system}: error {calibration_error(points):.3f}")
        axis.set_aspect("equal")
    return figure


_FEWEST = 3
"""Values of a setting that make a curve."""
_WIDE = 20
"""How many times the least value the greatest is where a scale is logarithmic."""


def draw_settings(run: ReplayedRun) -> Figure | None:
    """Draw a curve for each numeric setting that has at least three values in systems that are
    otherwise the same; None without such a setting."""
    curves = list(find_curves(run.results.configuration.systems))
    if not curves:
        return None
    scores = {system.system: system for system in run.results.systems}
    measure = run.results.main_measure
    figure, axes = make_row(len(curves), 2.8)
    for axis, (setting, systems) in zip(axes, curves, strict=True):
        values = sorted(systems)
        found = [scores[systems[value]] for value in values]
        low, high = zip(*(system.intervals[measure] for system in found), strict=True)
        axis.fill_between(values, low, high, color=PALE, alpha=0.5, linewidth=0)
        axis.plot(values, [system.measures[measure] for system in found], "o-", color=MAIN)
        baseline = scores[run.results.baseline].measures[measure]
        axis.axhline(baseline, color=DIM, linewidth=0.8, linestyle="--")
        if values[0] > 0 and values[-1] / values[0] >= _WIDE:
            axis.set_xscale("log")
            axis.minorticks_off()
        axis.set_xlabel(setting)
        axis.set_xticks(values, [f"{value:g}" for value in values])
    axes[0].set_ylabel(choose_columns([measure])[measure])
    return figure


def find_curves(systems: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, dict[float, str]]]:
    """Yield settings with the system of each value, where all else is the same.

    Args:
        systems: the settings of each, which may be mappings themselves.
    """
    flat = {name: dict(_flatten(settings)) for name, settings in systems.items()}
    for setting in dict.fromkeys(key for settings in flat.values() for key in settings):
        groups: dict[str, dict[float, str]] = {}
        for name, settings in flat.items():
            value = settings.get(setting)
            if isinstance(value, int | float) and not isinstance(value, bool):
                rest = repr(sorted((k, repr(v)) for k, v in settings.items() if k != setting))
                groups.setdefault(rest, {})[float(value)] = name
        yield from ((setting, group) for group in groups.values() if len(group) >= _FEWEST)


def _flatten(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


FOLDER: Final = "plots"


@dataclass(frozen=True, slots=True)
class Plot:
    """A kind of plot.

    Attributes:
        name: of its files, without their endings.
        caption: what is to be seen.
        draw: returns None for a run in which there is nothing of it to see.
    """

    name: str
    title: str
    caption: str
    draw: Callable[[ReplayedRun], Figure | None]


PLOTS: Final = (
    Plot(
        "systems",
        "Systems",
        "The value of each system with its 95% bootstrap interval. The dashed line is the "
        "baseline's value.",
        draw_systems,
    ),
    Plot(
        "differences",
        "Differences citance by citance",
        "The difference of each system to the baseline on every citance, the greatest first.",
        draw_differences,
    ),
    Plot(
        "precision",
        "Precision against depth",
        "Of the sentences in the first passages, the share that annotators marked, all citances "
        "pooled. The other systems are grey.",
        draw_precision,
    ),
    Plot(
        "top-k",
        "Number of passages",
        "The mean over citances if only the first passages were returned. The other systems are "
        "grey.",
        draw_top_k,
    ),
    Plot(
        "span-lengths",
        "Length of passages",
        "Pale: the share of the passages by length in sentences (ten or more count as ten). "
        "Dark: those with a marked sentence.",
        draw_span_lengths,
    ),
    Plot(
        "reliability",
        "Reliability of probabilities",
        "How often passages of a probability have a marked sentence, in ten bins; a point's size "
        "is the share of the passages in its bin. On the dashed line, probabilities are what "
        "they say. The error is the expected calibration error.",
        draw_reliability,
    ),
    Plot(
        "settings",
        "Settings",
        "Systems that differ in one setting alone, with 95% bootstrap intervals; the dashed line "
        "is the baseline's value.",
        draw_settings,
    ),
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A plot of a run."""

    plot: Plot
    svg: bytes
    png: bytes


def draw_plots(run: ReplayedRun) -> Iterator[Drawn]:
    """Draw all plots that the run has something to see in."""
    with style():
        for plot in PLOTS:
            figure = plot.draw(run)
            if figure is not None:
                yield Drawn(plot, render(figure, "svg"), render(figure, "png"))


def draw_plot(name: str, run: ReplayedRun) -> Figure:
    """Draw the plot of a name.

    Raises:
        UnknownNameError: if there is none.
        InputError: if the run has nothing of it to see.
    """
    drawing = {plot.name: plot.draw for plot in PLOTS}
    if name not in drawing:
        raise UnknownNameError("plot", name, list(drawing))
    with style():
        figure = drawing[name](run)
    if figure is None:
        raise InputError(f"the run {run.results.experiment} has nothing that '{name}' shows")
    return figure


def write_plots(folder: Path, plots: list[Drawn]) -> None:
    """Write plots into the folder `plots` of a run folder.

    Raises:
        InputError: if they can't be written there.
    """
    try:
        (folder / FOLDER).mkdir(exist_ok=True)
        for drawn in plots:
            (folder / FOLDER / f"{drawn.plot.name}.svg").write_bytes(drawn.svg)
            (folder / FOLDER / f"{drawn.plot.name}.png").write_bytes(drawn.png)
    except OSError as error:
        raise InputError(f"{error.filename}: can't be written ({error.strerror})") from error

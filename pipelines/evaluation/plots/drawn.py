"""All plots of a run, as files of its folder and for a page."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from matplotlib.figure import Figure

from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.plots.depth import draw_precision, draw_top_k
from citespan.pipelines.evaluation.plots.differences import draw_differences
from citespan.pipelines.evaluation.plots.drawing import render, style
from citespan.pipelines.evaluation.plots.reliability import draw_reliability
from citespan.pipelines.evaluation.plots.settings import draw_settings
from citespan.pipelines.evaluation.plots.span_lengths import draw_span_lengths
from citespan.pipelines.evaluation.plots.systems import draw_systems
from citespan.pipelines.evaluation.replayed import ReplayedRun

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


def write_plots(folder: Path, plots: list[Drawn]) -> None:
    """Write plots into the folder `plots` of a run folder.

    Raises:
        InputError: if they can't be written there.
    """
    try:
        (folder / FOLDER).mkdir(exist_ok=True)
        for one in plots:
            (folder / FOLDER / f"{one.plot.name}.svg").write_bytes(one.svg)
            (folder / FOLDER / f"{one.plot.name}.png").write_bytes(one.png)
    except OSError as error:
        raise InputError(f"{error.filename}: can't be written ({error.strerror})") from error

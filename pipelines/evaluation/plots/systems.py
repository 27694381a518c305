"""What each system is worth, with its interval."""

from matplotlib.figure import Figure

from citespan.pipelines.evaluation.figures import choose_columns
from citespan.pipelines.evaluation.plots.drawing import DIM, MAIN, make_row
from citespan.pipelines.evaluation.replayed import ReplayedRun

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
    for one, measure in zip(axes, measures, strict=True):
        for place, system in zip(places, results.systems, strict=True):
            one.plot(system.intervals[measure], (place, place), color=MAIN, linewidth=1.5)
            one.plot(system.measures[measure], place, "o", color=MAIN, markersize=5)
            if system.system == results.baseline:
                one.axvline(system.measures[measure], color=DIM, linewidth=0.8, linestyle="--")
        one.set_title(headings[measure])
        one.grid(visible=False, axis="y")
    axes[0].set_yticks(places, [system.system for system in results.systems])
    axes[0].invert_yaxis()
    return figure

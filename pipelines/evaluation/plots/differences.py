"""On how many citances a system is better than the baseline, and by how much."""

import numpy as np
from matplotlib.figure import Figure

from citespan.pipelines.evaluation.plots.drawing import BAD, DIM, MAIN, make_grid
from citespan.pipelines.evaluation.replayed import ReplayedRun

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
    for one, system in zip(axes, systems, strict=True):
        differences = np.sort(run.values[system] - run.values[baseline])[::-1]
        for colour, part in ((MAIN, differences > _SAME), (BAD, differences < -_SAME)):
            one.fill_between(places[part], differences[part], color=colour, linewidth=0)
        better, worse = int((differences > _SAME).sum()), int((differences < -_SAME).sum())
        one.axhline(0, color=DIM, linewidth=0.8)
        one.text(0.98, 0.95, f"better {better:,}", color=MAIN, fontsize=8, ha="right", va="top",
                 transform=one.transAxes)  # fmt: skip
        one.text(0.02, 0.05, f"worse {worse:,}", color=BAD, fontsize=8, transform=one.transAxes)
    return figure

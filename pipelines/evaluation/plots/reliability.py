"""How far the probabilities of passages can be relied on."""

import numpy as np
from matplotlib.figure import Figure

from citespan.pipelines.evaluation.doubt_figures import calibration_error, reliability
from citespan.pipelines.evaluation.plots.drawing import DIM, MAIN, make_grid
from citespan.pipelines.evaluation.replayed import ReplayedRun


def draw_reliability(run: ReplayedRun) -> Figure | None:
    """Draw for each system with a ranker how often passages of a probability have a marked
    sentence; None where no system has a ranker that retrieved any."""
    pairs = {
        name: [
            (
                span.score,
                float(
                    any(
                        number in outcome.gold_sentences
                        for number in range(span.first_sentence, span.last_sentence + 1)
                    )
                ),
            )
            for outcome in run.outcomes[name]
            for span in outcome.spans
        ]
        for name in run.list_ranked()
    }
    systems = [name for name, theirs in pairs.items() if theirs]
    if not systems:
        return None
    figure, axes = make_grid(systems, "probability of a passage", "with a marked sentence")
    for one, system in zip(axes, systems, strict=True):
        said, true = np.array(pairs[system]).T
        points = reliability(said, true)
        x, y = ([point[key] for point in points] for key in ("probability", "frequency"))
        one.plot((0, 1), (0, 1), color=DIM, linewidth=0.8, linestyle="--")
        one.plot(x, y, color=MAIN, linewidth=1.2)
        one.scatter(x, y, s=[8 + 160 * point["share"] for point in points], color=MAIN)
        one.set_title(f"{system}: error {calibration_error(points):.3f}")
        one.set_aspect("equal")
    return figure

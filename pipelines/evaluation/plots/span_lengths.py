"""How long the passages are, and how many of each length have a marked sentence."""

from collections import Counter

from matplotlib.figure import Figure

from citespan.pipelines.evaluation.plots.drawing import MAIN, PALE, make_grid
from citespan.pipelines.evaluation.replayed import ReplayedRun

_LONGEST = 10
"""Sentences; longer passages are counted as this long."""


def draw_span_lengths(run: ReplayedRun) -> Figure:
    """Draw for each system the share of its passages by length, and within it the share that
    has a marked sentence."""
    systems = list(run.outcomes)
    figure, axes = make_grid(systems, "sentences of a passage", "share of the passages")
    most = 1
    for one, system in zip(axes, systems, strict=True):
        passages: Counter[int] = Counter()
        found: Counter[int] = Counter()
        for outcome in run.outcomes[system]:
            for span in outcome.spans:
                numbers = range(span.first_sentence, span.last_sentence + 1)
                length = min(len(numbers), _LONGEST)
                passages[length] += 1
                found[length] += any(number in outcome.gold_sentences for number in numbers)
        total = passages.total() or 1
        lengths = sorted(passages)
        most = max([most, *lengths])
        one.bar(lengths, [passages[length] / total for length in lengths], color=PALE)
        one.bar(lengths, [found[length] / total for length in lengths], color=MAIN)
    step = 1 if most <= 5 else 2
    axes[0].set_xticks(range(1, most + 1, step))
    return figure

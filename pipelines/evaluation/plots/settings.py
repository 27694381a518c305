"""The main measure against a setting, where systems differ in that alone."""

from collections.abc import Iterator, Mapping
from typing import Any

from matplotlib.figure import Figure

from citespan.pipelines.evaluation.figures import choose_columns
from citespan.pipelines.evaluation.plots.drawing import DIM, MAIN, PALE, make_row
from citespan.pipelines.evaluation.replayed import ReplayedRun

_FEWEST = 3
"""Values of a setting that make a curve."""
_WIDE = 20
"""How many times the least value the greatest is where a scale is logarithmic."""


def draw_settings(run: ReplayedRun) -> Figure | None:
    """Draw a curve for each numeric setting of which systems that agree in all else have at
    least three values; None where there is no such setting."""
    curves = list(find_curves(run.results.configuration.systems))
    if not curves:
        return None
    scores = {system.system: system for system in run.results.systems}
    measure = run.results.main_measure
    figure, axes = make_row(len(curves), 2.8)
    for one, (setting, systems) in zip(axes, curves, strict=True):
        values = sorted(systems)
        found = [scores[systems[value]] for value in values]
        low, high = zip(*(system.intervals[measure] for system in found), strict=True)
        one.fill_between(values, low, high, color=PALE, alpha=0.5, linewidth=0)
        one.plot(values, [system.measures[measure] for system in found], "o-", color=MAIN)
        baseline = scores[run.results.baseline].measures[measure]
        one.axhline(baseline, color=DIM, linewidth=0.8, linestyle="--")
        if values[0] > 0 and values[-1] / values[0] >= _WIDE:
            one.set_xscale("log")
            one.minorticks_off()
        one.set_xlabel(setting)
        one.set_xticks(values, [f"{value:g}" for value in values])
    axes[0].set_ylabel(choose_columns([measure])[measure])
    return figure


def find_curves(
    systems: Mapping[str, Mapping[str, Any]],
) -> Iterator[tuple[str, dict[float, str]]]:
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

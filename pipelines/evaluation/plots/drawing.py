"""How plots look, and how they are written: the same bytes for the same run."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from math import ceil
from typing import Any, Final, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

PAGE, TEXT, DIM, LINE = "#ffffff", "#1c1f23", "#565d66", "#d5dadf"
MAIN, OTHER, BAD, PALE = "#0b57b0", "#a3abb5", "#b3261e", "#a9c7ea"

_DARK: Final[Mapping[str, str]] = {
    PAGE: "#15181c",
    TEXT: "#e6e8eb",
    DIM: "#a7afb9",
    LINE: "#333a42",
    MAIN: "#8ab8ff",
    OTHER: "#6b747f",
    BAD: "#ff9a94",
    PALE: "#2f4a70",
}
"""By colour, the one in its place on a dark page."""

_STYLE: Final[Mapping[Any, object]] = {
    "axes.edgecolor": LINE,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.labelcolor": DIM,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": TEXT,
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "figure.facecolor": PAGE,
    "axes.facecolor": PAGE,
    "savefig.facecolor": PAGE,
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.hashsalt": "citespan",
    "text.color": TEXT,
    "xtick.color": DIM,
    "xtick.labelsize": 8,
    "ytick.color": DIM,
    "ytick.labelsize": 8,
    "xtick.labelcolor": DIM,
    "ytick.labelcolor": TEXT,
}
_INCHES: Final = 8.0
_COLUMNS: Final = 4
_TITLE: Final = 24
"""How many letters of a title fit above small axes."""
_METADATA: Final[Mapping[str, Mapping[str, str | None]]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}


@contextmanager
def style() -> Iterator[None]:
    """Draw in the style of all plots, whatever the user's own settings are."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


class ShownFigure(Figure):
    """A figure that notebooks show in the style of all plots."""

    def _repr_png_(self) -> bytes:
        with style():
            return render(self, "png")


def make_row(count: int, height: float) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure with so many axes side by side.

    Args:
        height: in inches.
    """
    figure = ShownFigure(figsize=(_INCHES, height), layout="constrained")
    return figure, list(figure.subplots(1, count, sharey=True, squeeze=False)[0])


def make_grid(names: Sequence[str], x_label: str, y_label: str) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure with small axes of one scale, each with its name, and the labels once."""
    rows = ceil(len(names) / _COLUMNS)
    columns = ceil(len(names) / rows)
    figure = ShownFigure(figsize=(_INCHES, 0.6 + 1.7 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axis, name in zip(axes, names, strict=False):
        axis.set_title(name, fontsize=min(9, 9 * _TITLE / len(name)))
    for axis in axes[len(names) :]:
        axis.set_visible(False)
    for axis in axes[max(0, len(names) - columns) : len(names)]:
        axis.tick_params(labelbottom=True)
    figure.supxlabel(x_label, fontsize=9, color=DIM)
    figure.supylabel(y_label, fontsize=9, color=DIM)
    return figure, list(axes[: len(names)])


def render(figure: Figure, format_: Literal["svg", "png"]) -> bytes:
    """Return a figure as a file's content, without a date; inside `style`."""
    if figure.get_layout_engine() is not None:  # laying out takes longer than drawing: once
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
    buffer = BytesIO()
    figure.savefig(buffer, format=format_, dpi=160, metadata=dict(_METADATA[format_]))
    return buffer.getvalue()


def adapt_to_page(svg: str) -> str:
    """Return an SVG that is dark where the page that shows it is."""
    light = "".join(f"--c{place}:{colour};" for place, colour in enumerate(_DARK))
    dark = "".join(f"--c{place}:{colour};" for place, colour in enumerate(_DARK.values()))
    for place, colour in enumerate(_DARK):
        svg = svg.replace(colour, f"var(--c{place})")
    style_ = f"<style>:root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}</style>"
    return svg.replace("<defs>", f"{style_}<defs>", 1)

"""Tables that keep the names of their rows, whatever the width of the terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from citespan.cli.output import out, print_csv
from citespan.pipelines.shown import Row

Cell = str | Text | int | float

_PADDING = 3  # a space on either side of a column, and the line before it


def listing(*headings: str) -> Table:
    """Return a table of texts whose first column stays whole while the others are wrapped."""
    first, *others = headings
    table = Table()
    table.add_column(first, no_wrap=True, overflow="fold")
    for heading in others:
        table.add_column(heading, overflow="fold")
    return table


def print_rows(rows: Sequence[Row], headings: Mapping[str, str], *, csv: bool) -> None:
    """Print rows of texts as a table, or as CSV.

    Args:
        headings: those of the table, by the names of the columns.
    """
    if csv:
        print_csv(rows, list(headings))
        return
    table = listing(*headings.values())
    for row in rows:
        cells = (row[name] for name in headings)
        table.add_row(*(Text(f"{c:.3f}" if isinstance(c, float) else str(c)) for c in cells))
    out.print(table)


def print_counts(
    of: str, counts: Mapping[str, int], parts: Mapping[str, Mapping[str, int]], total: int
) -> None:
    """Print how many there were of each outcome, and in all.

    Args:
        of: what is counted, such as "inputs".
        parts: of an outcome, how many there were of each part.
    """
    table = Table("outcome")
    table.add_column(of, justify="right")
    for outcome, number in counts.items():
        table.add_row(outcome, f"{number:,}")
        for part, some in parts.get(outcome, {}).items():
            table.add_row(Text(f"  {part}", style="dim"), f"{some:,}")
    table.add_section()
    table.add_row(of, f"{total:,}")
    out.print(table)


@dataclass
class FigureTable:
    """Rows of figures, each with a name.

    Where a terminal is too narrow for all columns, the table is printed in several, each of which
    has the names. Nothing is ever cut: a name that is too long by itself is continued on the next
    line.

    Attributes:
        names: headings of the first columns, which name a row and are in every part.
        columns: headings of the figures.
        decimals: of figures that are no whole numbers.
    """

    names: Sequence[str]
    columns: Sequence[str]
    title: str | None = None
    decimals: int = 3
    _rows: list[tuple[list[Text], str]] = field(default_factory=list)
    _sections: set[int] = field(default_factory=set)

    def add_row(self, *cells: Cell, style: str = "") -> None:
        """Add the names of a row and its figures; a `str` is shown as it is."""
        self._rows.append(([self._write(cell) for cell in cells], style))

    def _write(self, cell: Cell) -> Text:
        if isinstance(cell, float):
            return Text(f"{cell:.{self.decimals}f}")
        if isinstance(cell, int):
            return Text(f"{cell:,}")
        return Text(cell) if isinstance(cell, str) else cell

    def add_section(self) -> None:
        """Draw a line below the last row."""
        self._sections.add(len(self._rows) - 1)

    def print(self) -> None:
        """Print the table on stdout, in parts that fit."""
        for part in self.parts(out.width):
            out.print(part)

    def parts(self, width: int) -> list[Table]:
        """Return the table in parts that are each at most `width` wide."""
        first = len(self.names)
        widths = [self._width(place) for place in range(first + len(self.columns))]
        room = width - 1 - sum(each + _PADDING for each in widths[:first])
        room = max(room, _PADDING + max(widths[first:], default=0))
        groups: list[list[int]] = [[]]
        used = 0
        for place in range(first, len(widths)):
            used += widths[place] + _PADDING
            if groups[-1] and used > room:
                groups.append([])
                used = widths[place] + _PADDING
            groups[-1].append(place)
        titles = [self.title, *[None] * len(groups)]
        return [self._part(group, title) for group, title in zip(groups, titles, strict=False)]

    def _width(self, place: int) -> int:
        heading = [*self.names, *self.columns][place]
        cells = [heading, *(cells[place].plain for cells, _ in self._rows if place < len(cells))]
        return max(cell_len(line) for cell in cells for line in cell.split("\n"))

    def _part(self, places: Sequence[int], title: str | None) -> Table:
        table = Table(title=title, title_justify="left")
        for name in self.names:
            table.add_column(name, overflow="fold")
        for place in places:
            heading = self.columns[place - len(self.names)]
            table.add_column(heading, justify="right", no_wrap=True, overflow="fold")
        for number, (cells, style) in enumerate(self._rows):
            shown = [*range(len(self.names)), *places]
            row = [cells[place] for place in shown if place < len(cells)]
            table.add_row(*row, style=style, end_section=number in self._sections)
        return table

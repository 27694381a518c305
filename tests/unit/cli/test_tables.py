"""Tables keep the names of their rows at any width, and no figure is cut."""

import re
from io import StringIO

import pytest
from rich.text import Text

from citespan.cli.tables import FigureTable, listing

NAMES = ["baseline", "umls-reduce+umls-expand", "sentence-bm25"]
HEADINGS = ["R", "P", "F1", "ROUGE-L\nR", "ROUGE-L\nP", "ROUGE-L\nF1", "official\nF1"]


def shown(width: int, *tables: object) -> str:
    from rich.console import Console

    file = StringIO()
    console = Console(file=file, width=width)
    for table in tables:
        console.print(table)
    return file.getvalue()


def figures() -> FigureTable:
    table = FigureTable(["system"], HEADINGS, title="Title")
    for row, name in enumerate(NAMES):
        table.add_row(name, *(f".{row}{column}1**\n(+12.3%)" for column in range(len(HEADINGS))))
    return table


@pytest.mark.parametrize("width", [50, 60, 80, 130, 160])
def test_every_part_has_every_name_and_every_figure_is_there(width: int) -> None:
    parts = figures().parts(width)
    assert (len(parts) == 1) == (width >= 130)
    for part in parts:
        lines = shown(width, part).splitlines()
        assert max(map(len, lines)) <= width
        assert all(any(name in line for line in lines) for name in NAMES)
    together = shown(width, *parts)
    assert "…" not in together
    assert together.count("Title") == 1
    assert len(re.findall(r"\.\d\d1\*\*", together)) == len(NAMES) * len(HEADINGS)
    assert together.count("(+12.3%)") == len(NAMES) * len(HEADINGS)


def test_a_name_too_long_for_the_terminal_is_continued() -> None:
    table = FigureTable(["system"], ["F1", "P"])
    table.add_row("x" * 70, ".123", Text(".456", style="dim"))
    together = shown(40, *table.parts(40))
    assert "…" not in together
    assert together.count("x") == 140
    assert ".123" in together
    assert ".456" in together


def test_several_columns_can_name_a_row() -> None:
    table = FigureTable(["Configuration", "Zone"], ["Precision", "Recall", "F1", "Sentences"])
    table.add_row("alamri2015", "Introduction", ".96", ".95", ".96", "1,000")
    table.add_section()
    table.add_row("", "Methods", ".83", ".82", ".83", "2,000")
    parts = table.parts(60)
    assert len(parts) == 2
    for part in parts:
        assert "alamri2015    │ Introduction " in shown(60, part)


@pytest.mark.parametrize("width", [60, 80])
def test_a_listing_wraps_texts_and_not_names(width: int) -> None:
    table = listing("measure", "description", "source")
    table.add_row("official_sentence_precision_macro", "Like another, " * 6, "A paper, its table 2")
    text = shown(width, table)
    assert "│ official_sentence_precision_macro │" in text
    assert "…" not in text

"""What a file says must not be obeyed by the terminal that shows it."""

from io import StringIO

from rich.table import Table
from rich.text import Text

from citespan.cli.console import SafeConsole

NASTY = "one\x1b[2Jtwo\x07\x9b31mthree\x7f\r"


def test_control_characters_are_shown_and_not_written() -> None:
    shown = StringIO()
    console = SafeConsole(file=shown, force_terminal=True, color_system="standard", width=60)
    table = Table("a column")
    table.add_row(Text(NASTY, "bold"))
    for renderable in (Text(NASTY), NASTY, table):
        console.print(renderable, markup=False)
    written = shown.getvalue()
    assert "\x1b[2J" not in written
    assert not set("\x07\x9b\x7f\r") & set(written)
    assert "one\ufffd[2Jtwo" in written
    assert "\x1b[1m" in written  # the console's own styles are there


def test_lines_and_letters_stay() -> None:
    shown = StringIO()
    SafeConsole(file=shown, width=60).print("β-catenin\nnaïve")
    assert shown.getvalue() == "β-catenin\nnaïve\n"

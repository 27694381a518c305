"""Where commands write: results on stdout, progress and complaints on stderr."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import orjson
from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment

# A pipe has no width to fit into; tables are not to be squeezed for it.
_PIPE_WIDTH = 160

# What a terminal would obey, but for the ends of lines.
_CONTROLS = {c: "\ufffd" for c in (*range(0x20), *range(0x7F, 0xA0)) if chr(c) not in "\n\t"}


class SafeConsole(Console):
    """A console on which quoted text can't move the cursor or colour anything."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """What is to be written, with a replacement character for each control character."""
        for segment in super().render(renderable, options):
            shown = segment.text if segment.control else segment.text.translate(_CONTROLS)
            yield Segment(shown, segment.style, segment.control)


out = SafeConsole(highlight=False, emoji=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)
err = Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)


def print_json(value: object) -> None:
    """One object on stdout: indented for a terminal, a line for a pipe."""
    option = orjson.OPT_INDENT_2 if sys.stdout.isatty() else 0
    data = orjson.dumps(value, option=option | orjson.OPT_SERIALIZE_NUMPY)
    sys.stdout.write(data.decode() + "\n")


def complain(message: str) -> None:
    """One line on stderr, as it is, but for what a terminal or a log would obey: messages quote
    files and their names."""
    err.print("".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in message), markup=False)


@contextmanager
def progress(description: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """A progress bar on stderr when that is a terminal; the value is called to advance it."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bar:
        task = bar.add_task(description, total=total)

        def advance(steps: int) -> Any:
            bar.advance(task, steps)

        yield advance

"""Where commands write: results on stdout, progress and warnings on stderr."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TextIO

import orjson

from citespan.pipelines.errors import InputError
from citespan.pipelines.settings import spell_settings
from citespan.pipelines.shown import write_csv

P = ParamSpec("P")
FLAGS = {
    "delete_many": "yes",
    "journals": "journal",
    "scores": "all",
    "sections": "section",
    "semantic_types": "types",
}
"""Options of the command line that are called otherwise than their settings."""


class Output:
    """Standard output as rich shows it; rich is imported when something is printed."""

    def print(self, *objects: Any, **settings: Any) -> None:
        """Print as `rich.console.Console.print` does, without what a terminal would obey."""
        from citespan.cli.console import standard_output

        standard_output.print(*objects, **settings)

    def rule(self, *titles: Any, **settings: Any) -> None:
        """Print a line with a title, as `rich.console.Console.rule` does."""
        from citespan.cli.console import standard_output

        standard_output.rule(*titles, **settings)

    @property
    def width(self) -> int:
        """Columns of the terminal, or of what a pipe is given."""
        from citespan.cli.console import standard_output

        return standard_output.width


out = Output()


def print_json(value: object) -> None:
    """Print one object on stdout: indented for a terminal, on one line for a pipe."""
    option = orjson.OPT_INDENT_2 if sys.stdout.isatty() else 0
    data = orjson.dumps(value, option=option | orjson.OPT_SERIALIZE_NUMPY)
    sys.stdout.write(data.decode() + "\n")


def print_result(
    json: bool, described: object, show: Callable[P, None], *shown: P.args, **how: P.kwargs
) -> None:
    """Print an object as JSON, or call what shows it to people."""
    if json:
        print_json(described)
    else:
        show(*shown, **how)


def print_csv(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str], *, head: bool = True
) -> None:
    """Print rows as `write_csv` writes them."""
    write_csv(sys.stdout, columns, rows, head)


def print_line(value: object) -> None:
    """Print one object on a line of stdout."""
    sys.stdout.write(orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode() + "\n")


def spell_flags(text: str) -> str:
    """Return a message or a help text with options of the command line in place of settings."""

    def spell(name: str, value: str) -> str:
        return f"--{FLAGS.get(name, name.replace('_', '-'))} {value}".rstrip()

    return spell_settings(text, spell)


def warn(message: str) -> None:
    """Print one line on stderr, with codes for the characters that a terminal or a log would
    obey: messages quote files and their names."""
    shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in spell_flags(message))
    sys.stderr.write(shown + "\n")


def open_private(path: Path) -> TextIO:
    """Open a file to write what is nobody else's business into: if it is new, only its owner may
    read it."""

    def create(name: str, flags: int) -> int:
        return os.open(name, flags, 0o600)

    return open(path, "w", encoding="utf-8", newline="", opener=create)


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Raise an InputError if a file can't be written."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{target}: can't be written to: {error.strerror}") from error


@contextmanager
def progress(description: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on stderr when that is a terminal; call the value to advance it."""
    if not sys.stderr.isatty():
        yield _ignore
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from citespan.cli.console import standard_error

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=standard_error,
        transient=True,
    )
    with bar:
        task = bar.add_task(description, total=total)

        def advance(steps: int) -> None:
            bar.advance(task, steps)

        yield advance


def _ignore(_steps: int) -> None:
    """Show nothing."""

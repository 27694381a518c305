"""`citespan search --from`: the citances of a file, and what is found as lines of another."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson
import typer

from citespan.cli.folder import open_articles
from citespan.cli.options import BatchFormat
from citespan.cli.output import progress, warn
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.citance_lines import CitanceLine, read_citance_lines
from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.requests import SearchAllOptions
from citespan.pipelines.shown import format_csv
from citespan.pipelines.written_results import (
    PASSAGE_COLUMNS,
    Record,
    list_passages,
    write_passages,
)
from citespan.searching import BatchSearch


def search_batch(
    file: Path,
    given: SearchAllOptions,
    form: BatchFormat | None,
    target: Path | None,
    articles: Path | None,
) -> None:
    """Search for the citances of a file, and write what is found.

    Args:
        given: the settings.
        form: of what is printed; None for JSON Lines in a pipe, and Markdown in a terminal.
        target: a file of JSON Lines to write to instead, and to continue if it is there.
        articles: a folder of articles in place of a server; None for the server.

    Raises:
        InputError: if the file, the target or the folder can't be used.
        typer.Exit: with status 1 if any line could not be searched for, or any file of the folder
            is quarantined.
    """
    if target is not None and form not in (None, "jsonl"):
        raise InputError(f"--out is written as JSON Lines; print --format {form} into a file")
    lines = read_citance_lines(file)
    client, has_quarantined = open_articles(articles)
    batch = BatchSearch(client, given, source_of(file))
    done = _read_done(target, batch) if target is not None else {}
    before = searched = refused = 0

    def open_lines() -> Iterator[CitanceLine | Rejected]:
        nonlocal before
        for line in lines:
            if isinstance(line, CitanceLine) and line.number in done:
                _check_same(line, done[line.number], cast(Path, target))
                before += 1
            else:
                yield line

    with _open_target(target) as stream, progress("searching", None) as advance:
        is_shown = target is None and sys.stdout.isatty()
        write = _WRITERS[form or ("markdown" if is_shown else "jsonl")](stream)
        for answer in batch.search(open_lines()):
            if isinstance(answer, Rejected):
                refused += 1
                warn(f"{answer.source}: {answer.reason}")
            else:
                searched += 1
                write(answer)
            advance(1)
    total = format_count(searched + before + refused, "line")
    earlier = f", {before:,} searched for before" if before else ""
    warn(f"{total}: {searched:,} searched for{earlier}, {refused:,} not")
    if refused or has_quarantined:
        raise typer.Exit(1)


def search_one(
    citance: str, article: str, given: SearchAllOptions, form: BatchFormat, articles: Path | None
) -> None:
    """Search for one citance, in all articles if "" is named, and print it as those of a file.

    Raises:
        InputError: if it can't be searched for.
        typer.Exit: with status 1 if any file of the folder is quarantined.
    """
    client, has_quarantined = open_articles(articles)
    [found] = BatchSearch(client, given, "").search([CitanceLine(1, "1", article, citance)])
    if isinstance(found, Rejected):
        raise InputError(found.reason)
    with _open_target(None) as stream:
        _WRITERS[form](stream)(found)
    if has_quarantined:
        raise typer.Exit(1)


@contextmanager
def _open_target(target: Path | None) -> Iterator[BinaryIO]:
    if target is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with target.open("ab") as stream:
            yield stream
    except OSError as error:
        raise InputError(f"--out {target}: can't be written to: {error.strerror}") from error


def _read_done(target: Path, batch: BatchSearch) -> dict[int, tuple[str, str]]:
    """Return the id and the citance of each line that the target has results of, by its number.

    A result that was cut off in writing is removed.

    Raises:
        InputError: if the file is no such target, or was written with other settings.
    """
    try:
        data = target.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError(f"--out {target}: can't be read: {error.strerror}") from error
    whole = data.rfind(b"\n") + 1
    done, now = {}, batch.describe()
    for number, line in enumerate(data[:whole].splitlines(), start=1):
        try:
            record = orjson.loads(line)
            done[int(record["line"])] = (str(record["id"]), str(record["citance"]))
            former = dict(record["settings"])
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"--out {target}:{number}: no result of a search; name another file"
            ) from error
        if former not in now:
            raise InputError(
                f"--out {target}:{number}: searched for with {_describe(former)}, not with "
                f"{_describe(now[0])}; name another file"
            )
    if whole < len(data):
        with target.open("r+b") as stream:
            stream.truncate(whole)
    return done


def _describe(settings: Mapping[str, Any]) -> str:
    values = {**settings, **settings.get("options", {})}
    values.pop("options", None)
    return ", ".join(f"{name} {value}" for name, value in values.items()) or "default settings"


def _check_same(line: CitanceLine, done: tuple[str, str], target: Path) -> None:
    if done != (line.id, line.citance):
        raise InputError(
            f"--out {target} has the results of another file: line {line.number} is not the same; "
            "name another file"
        )


def _write_jsonl(stream: BinaryIO) -> Callable[[Record], None]:
    def write(record: Record) -> None:
        stream.write(orjson.dumps(record) + b"\n")

    return write


def _write_csv(stream: BinaryIO) -> Callable[[Record], None]:
    def write_rows(rows: Iterable[Record], head: bool = False) -> None:
        stream.write(format_csv(PASSAGE_COLUMNS, rows, head).encode())

    write_rows((), head=True)
    return lambda record: write_rows(list_passages(record))


def _write_markdown(stream: BinaryIO) -> Callable[[Record], None]:
    def write(record: Record) -> None:
        stream.write(f"{write_passages(record)}\n".encode())

    return write


_WRITERS: Mapping[BatchFormat, Callable[[BinaryIO], Callable[[Record], None]]] = {
    "jsonl": _write_jsonl,
    "csv": _write_csv,
    "markdown": _write_markdown,
}

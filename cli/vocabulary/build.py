"""`citespan vocabulary build`: compile a vocabulary to a concept store."""

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Annotated, Self

import typer
from rich.table import Table
from rich.text import Text

from citespan.cli.options import Json, describe, split_names
from citespan.cli.output import out, print_json, progress, warn
from citespan.cli.vocabulary.inputs import warn_rejected
from citespan.pipelines.errors import InputError
from citespan.pipelines.vocabulary import builder
from citespan.pipelines.vocabulary.builder import BuildReport
from citespan.pipelines.vocabulary.reader import vocabulary_readers
from citespan.pipelines.vocabulary.terms import Selection

EPILOG = (
    "Example: citespan vocabulary build umls 2025AB/META --sources SNOMEDCT_US,MSH "
    "--out umls.vocabulary"
)

_STAGES = {"terms": "rows read", "concepts": "terms sorted", "keys": "keys compiled"}


def build(
    kind: Annotated[str, typer.Argument(help=describe(vocabulary_readers))],
    path: Annotated[Path, typer.Argument(help="The folder or file to read.")],
    to: Annotated[Path, typer.Option("--out", help="The folder to write.")],
    sources: Annotated[
        str | None,
        typer.Option(help="Only these sources, as in SNOMEDCT_US,MSH.", show_default="all"),
    ] = None,
    types: Annotated[
        str | None,
        typer.Option(
            help="Only concepts of these semantic types, as in T047,T191.", show_default="all"
        ),
    ] = None,
    version: Annotated[
        str | None,
        typer.Option(help="The vocabulary's version.", show_default="what its files say"),
    ] = None,
    json: Json = False,
) -> None:
    """Compile a vocabulary to a concept store.

    UMLS gives the English rows that are not suppressed, an OBO file the names and exact synonyms
    of terms that are not obsolete. MeSH and OBO need no licence. If a build is interrupted, run
    it again; an existing store is replaced when the new one is complete.
    """
    reader = vocabulary_readers[kind]
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    named = version or reader.version(path) or "unknown"
    typed = reader.typed(path)
    if types and not typed:
        where = "there is no MRSTY" if kind == "umls" else f"{kind} has none there"
        raise InputError(f"{path}: --types needs semantic types, and {where}; leave --types out")
    selection = Selection(split_names(sources), split_names(types) or ())
    with _StageProgress() as show_progress:
        report = builder.build(
            selection.apply(reader.terms(path)), to, named, progress=show_progress
        )
    warn_rejected(report.examples, report.quarantined)
    for name in selection.unseen:
        warn(f"no term of '{name}' in {path}; check its capitals")
    if not typed:
        warn(f"{path} has no semantic types, so none can be asked for in matching")
    if json:
        print_json(
            {
                "kind": kind,
                "version": named,
                "out": str(to),
                "typed": typed,
                "rows": report.rows,
                "concepts": report.concepts,
                "terms": report.terms,
                "sources": report.sources,
                "skipped": dict(report.skipped),
                "quarantined": report.quarantined,
                "examples": [asdict(one) for one in report.examples],
                "unseen": selection.unseen,
            }
        )
    else:
        _show_report(report, named, to)
    raise typer.Exit(1 if report.quarantined else 0)


class _StageProgress:
    """A progress bar for the stage that a build is in."""

    def __init__(self) -> None:
        self._bars = ExitStack()
        self._stage = ""
        self._done = 0

    def __enter__(self) -> Self:
        return self

    def __call__(self, stage: str, done: int) -> None:
        if stage != self._stage:
            self._bars.close()
            self._advance = self._bars.enter_context(progress(_STAGES.get(stage, stage), None))
            self._stage, self._done = stage, 0
        self._advance(done - self._done)
        self._done = done

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bars.close()


def _show_report(report: BuildReport, version: str, to: Path) -> None:
    """Show how many rows became terms, were left out or quarantined; they add up to those read."""
    table = Table("rows")
    table.add_column("count", justify="right")
    for source, terms in report.sources.items():
        table.add_row(Text(f"terms of {source}"), str(terms))
    table.add_section()
    for reason, rows in report.skipped.most_common():
        table.add_row(Text(f"left out: {reason}"), str(rows))
    if report.quarantined:
        table.add_row("quarantined: can't be read", str(report.quarantined))
    table.add_section()
    table.add_row("rows read", str(report.rows))
    out.print(table)
    out.print(
        f"{report.concepts} concepts with {report.terms} terms, version {version}, written to {to}",
        markup=False,
    )

"""How the commands of `citespan vocabulary` show what they found."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from citespan.cli.output import out, progress

if TYPE_CHECKING:
    from pathlib import Path

    from citespan.pipelines.vocabulary.build_report import BuildReport
    from citespan.pipelines.vocabulary.matching import Match
    from citespan.pipelines.vocabulary.recognition import Recognition, RecognitionScores

_COLOURS = ("black on bright_green", "black on bright_cyan")
_STAGES = {"terms": "rows read", "concepts": "terms sorted", "keys": "keys compiled"}


class BuildProgress:
    """A progress bar for the stage that a build is in."""

    def __init__(self) -> None:
        self._bars = ExitStack()
        self._stage = ""
        self._done = 0

    def __enter__(self) -> "BuildProgress":
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


def show_report(report: "BuildReport", version: str, to: "Path") -> None:
    """What became of the rows; the counts add up to those read."""
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


def match_as_json(one: "Match") -> dict[str, Any]:
    """A match as `--json` prints it."""
    return {
        "start": one.start,
        "end": one.end,
        "text": one.text,
        "cui": one.concept.cui,
        "preferred": one.concept.preferred,
        "source": one.concept.source,
        "types": list(one.concept.semantic_types),
        "others": list(one.others),
    }


def show_matches(text: str, found: "list[Match]", defined: Mapping[str, str]) -> None:
    """The text with its concepts in colour, and a table of them."""
    in_place = Text(text)
    for number, one in enumerate(found):
        in_place.stylize(_COLOURS[number % len(_COLOURS)], one.start, one.end)
    out.print(in_place)
    if not found:
        out.print("No concept of the vocabulary is named there.")
        return
    table = Table("start", "end", "text", "CUI", "preferred name", "source", "types")
    for one in found:
        concept = one.concept
        row = (one.text, concept.cui, concept.preferred, concept.source)
        types = ", ".join(concept.semantic_types)
        table.add_row(str(one.start), str(one.end), *map(Text, (*row, types)))
    out.print(table)
    used = {short: long for short, long in defined.items() if short in text}
    for short, long in used.items():
        out.print(Text(f"{short}: {long}", style="dim"))


def _counts(name: str, of: str, counts: Mapping[str, int]) -> Table:
    table = Table(name)
    table.add_column(of, justify="right")
    for key, count in sorted(counts.items(), key=lambda item: -item[1]):
        table.add_row(Text(key), str(count))
    return table


def scores_as_json(scores: "RecognitionScores") -> dict[str, float]:
    """Counts and measures as `--json` prints them."""
    return asdict(scores) | {
        "precision": scores.precision,
        "recall": scores.recall,
        "f1": scores.f1,
    }


def show_info(facts: Mapping[str, Any]) -> None:
    """A store's counts, and the terms of each source."""
    table = Table(show_header=False)
    for name in ("path", "version", "concepts", "terms", "word_order", "bytes", "checksum"):
        table.add_row(name.replace("_", " "), Text(str(facts[name])))
    table.add_row(
        "files",
        "as their checksums say" if facts["verified"] else "sizes right; --verify reads all",
    )
    out.print(table)
    out.print(_counts("source", "terms", facts["sources"]))
    if facts["semantic_types"]:
        out.print(_counts("semantic type", "concepts", facts["semantic_types"]))


def show_scores(scores: "Recognition") -> None:
    """Precision, recall and F1 of spans and of concepts."""
    table = Table("", "Precision", "Recall", "F1", "Right", "Wrong", "Missed")
    for name, one in (("spans", scores.spans), ("concepts", scores.concepts)):
        figures = (f"{value:.4f}" for value in (one.precision, one.recall, one.f1))
        table.add_row(name, *figures, *map(str, (one.right, one.wrong, one.missed)))
    out.print(table)

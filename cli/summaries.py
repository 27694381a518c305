"""`citespan evaluate summaries`: summaries from citations beside those that people wrote."""

from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.options import Fold, Json, Markdown
from citespan.cli.output import out, print_json, progress, warn
from citespan.cli.ranker import read_training_data
from citespan.cli.tables import FigureTable
from citespan.pipelines.corpus.reference_summaries import read_summaries
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.summaries import (
    OURS,
    TRAININGS,
    RougeFigure,
    SummaryFigures,
    evaluate_summaries,
)

_HEADINGS = ("ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-SU4")
_FORMAT = "scisumm"


def evaluate(
    collection: Annotated[
        str, typer.Option(help="CL-SciSumm's topics with their summaries, as scisumm:FOLDER.")
    ],
    words: Annotated[int, typer.Option(min=1, help="Words of a summary at most.")] = 250,
    fold: Fold = None,
    json: Json = False,
    markdown: Markdown = False,
) -> None:
    """Measure summaries from citations against those that people wrote.

    Beside them stand lead, LexRank and TextRank (by sumy), the citances alone, and what summaries
    are like without one of their parts. Rankers and facet models are trained on the topics of the
    other folds.

    Example: citespan evaluate summaries --collection scisumm:data/train
    """
    form, _, path = collection.partition(":")
    if form != _FORMAT or not path:
        raise InputError(f"{collection}: give {_FORMAT}:FOLDER, the collection that has summaries")
    read, rejected = read_training_data([collection])
    references = read_summaries(Path(path))
    with progress("trained", TRAININGS) as advance:
        figures = evaluate_summaries(
            read.articles, read.citances, references.texts, words, fold or (), advance
        )
    if json:
        unused = [summary.to_json() for summary in references.unused]
        settings = {"collection": collection, "limit": words, "folds": fold or []}
        print_json(settings | figures.to_json() | {"unused": unused, "rejected": rejected})
    elif markdown:
        typer.echo(_format_markdown(figures))
    else:
        _print(figures)
    if references.unused and not json:
        count = format_count(len(references.unused), "file")
        warn(f"{count} of summaries not used, such as {references.unused[0].source}: "
             f"{references.unused[0].reason}; --json lists all")  # fmt: skip
    raise typer.Exit(1 if rejected else 0)


def _rows(figures: SummaryFigures) -> list[tuple[str, str, list[str]]]:
    """Return the kind of summary, the system and its figures."""
    return [
        (kind, system, [_format(figure) for figure in own[kind].values()])
        for kind, topics in figures.topics.items()
        if topics
        for system, own in figures.figures.items()
    ]


def _format(figure: RougeFigure) -> str:
    star = "*" if figure.p_value is not None and figure.p_value < 0.05 else ""
    return f"{figure.value:.3f}{star} ({figure.low:.3f}-{figure.high:.3f})".replace("0.", ".")


def _print(figures: SummaryFigures) -> None:
    table = FigureTable(["summary", "system"], _HEADINGS)
    before = ""
    for kind, system, cells in _rows(figures):
        if before not in ("", kind):
            table.add_section()
        table.add_row(kind, system, *cells, style="bold" if system == OURS else "")
        before = kind
    table.print()
    counts = ", ".join(f"{number} {kind}" for kind, number in figures.topics.items())
    out.print(
        f"F1 over topics ({counts}) with 95% bootstrap intervals; * differs from {OURS} at p < .05 "
        "(randomisation, Holm's correction)"
    )


def _format_markdown(figures: SummaryFigures) -> str:
    lines = [f"| summary | system | {' | '.join(_HEADINGS)} |", "| --- " * 6 + "|"]
    for kind, system, cells in _rows(figures):
        written = " | ".join(cell.replace("*", "\\*") for cell in cells)
        lines.append(f"| {kind} | {system} | {written} |")
    return "\n".join(lines)

"""`citespan answers evaluate answers`: cross-validate detectors of answers, or measure one."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from citespan.cli.answers.inputs import (
    AbstractFormat,
    Folds,
    Mancon,
    Medline,
    PaperData,
    TitleQuestionFile,
    ZoneModelFolder,
    has_quarantined,
    open_detector,
    read_abstract_files,
    read_paper_data,
)
from citespan.cli.options import Json
from citespan.cli.output import out, print_json, progress, warn
from citespan.pipelines.answers.zones.configuration import (
    CONFIGURATIONS,
    DEFAULT,
    Configuration,
    get_configuration,
)
from citespan.pipelines.answers.zones.model import load_model
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.answer_corpora import (
    CorpusResult,
    evaluate_detector,
    evaluate_on_paper_corpora,
    evaluate_on_titles,
)
from citespan.pipelines.training.answer_examples import TitleQuestions, from_titles
from citespan.pipelines.training.answers import AnswerScores

EPILOG = "Example: citespan answers evaluate answers pubmedqa.json --json"


def answers(
    path: TitleQuestionFile,
    mancon: Mancon = None,
    medline: Medline = None,
    configuration: Annotated[
        str,
        typer.Option(
            help="Of the zone model, where sections are hidden: " + ", ".join(CONFIGURATIONS) + "."
        ),
    ] = DEFAULT,
    folds: Folds = 10,
    detector: Annotated[
        str | None,
        typer.Option(
            help="Measure this detector as it is, in place of cross-validating: alamri2015, or the "
            "folder of one made by `citespan answers train answers`.",
            show_default=False,
        ),
    ] = None,
    model: ZoneModelFolder = None,
    format_: AbstractFormat = "auto",
    json: Json = False,
) -> None:
    """Cross-validate detectors of answers, with all abstracts of a question in one fold.

    The question of an abstract is its title and the answer the first sentence of its Conclusions.
    With --mancon and --medline, also on the corpora of Alamri and Stevenson 2015. A detector that
    is measured as it is, with --model for the zones, should not have been trained on the questions.
    """
    chosen = get_configuration(configuration)
    if detector is not None and (mancon or medline):
        raise InputError("--detector is measured on titles: leave out --mancon and --medline")
    gathered = read_abstract_files([path], format_)
    titles = from_titles(gathered.abstracts)
    own = read_paper_data(mancon, medline) if detector is None else None
    if detector is not None:
        if not titles.answered:
            raise InputError(f"{path}: no structured abstract has a question as title")
        zones = load_model(model)
        answers_model = open_detector(detector)
        found = [evaluate_detector(detector, answers_model, titles.answered, zones)]
    else:
        found = _cross_validate(path, gathered.abstracts, titles, own, chosen, folds)
    for one in found:
        if one.caveat:
            warn(f"both steps left out: {one.caveat}")
    if json:
        counts: dict[str, int | str] = {
            "abstracts": len(gathered.abstracts),
            "questions": len(titles.answered),
            "other_titles": titles.other_titles,
            "without_zones": titles.without_zones,
        }
        if detector is None:
            counts |= {"folds": folds, "configuration": chosen.name}
        print_json(counts | {"results": [one.to_json() for one in found]})
    else:
        out.print(
            f"{format_count(len(gathered.abstracts), 'abstract')}: {len(titles.answered):,} with a "
            f"question as title, {titles.other_titles:,} with another title, "
            f"{titles.without_zones:,} without Results or Conclusions"
        )
        for one in found:
            _show(one)
    raise typer.Exit(1 if has_quarantined(gathered.rejected) or (own and own.incomplete) else 0)


def _cross_validate(
    path: Path,
    abstracts: Sequence[Abstract],
    titles: TitleQuestions,
    own: PaperData | None,
    configuration: Configuration,
    folds: int,
) -> list[CorpusResult]:
    found = []
    with progress("Cross-validating", folds * (3 if own else 2) + bool(own)) as advance:
        if own and len(titles.answered) < folds:
            questions = format_count(len(titles.answered), "question")
            warn(f"{path}: {questions} made of titles, left out")
        else:
            found.append(evaluate_on_titles(titles.answered, configuration, folds, advance))
        if own:
            every = [*abstracts, *own.abstracts]
            found.append(
                evaluate_on_paper_corpora(own.corpora, every, configuration, folds, advance)
            )
    return found


def _show(one: CorpusResult) -> None:
    out.print(_make_table(one.data, one.by_labels | {"Conclusions": one.conclusions}))
    if one.both:
        out.print(_make_table(one.data_of_both, one.both))
    out.print(
        "Conclusions: the baseline that takes every sentence of the Conclusions for an answer. "
        "Overall: the mean over answers and other sentences, by their numbers.",
        style="dim",
    )


def _make_table(title: str, rows: dict[str, AnswerScores]) -> Table:
    """Make a table of 80 columns at most, with a row for each feature set."""
    table = Table("Feature set", title=title, title_justify="left")
    headings = ("Precision", "Recall", "F1", "Overall\nF1", "Answers\nfound", "Others\ntaken")
    for name in headings:
        table.add_column(name, justify="right")
    for name, scores in rows.items():
        answer = scores.answer
        shares = (answer.precision, answer.recall, answer.f1, scores.overall.f1)
        table.add_row(
            name,
            *(f"{share:.3f}" for share in shares),
            f"{scores.answers_found}/{answer.sentences}",
            f"{scores.others_taken}/{scores.other.sentences}",
        )
    return table

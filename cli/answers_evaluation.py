"""Evaluate zones and answer detection on abstracts with labels.

Example: citespan answers evaluate zones pubmedqa.json --ablation
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.table import Table

from citespan.cli.answers import AbstractFormat, ZoneModelFolder, open_detector, read_abstract_files
from citespan.cli.commands import Group
from citespan.cli.options import Json
from citespan.cli.output import out, print_json, print_result, progress, warn
from citespan.cli.readings import has_quarantined, warn_rejected
from citespan.pipelines.answers.zones.configuration import (
    CONFIGURATIONS,
    DEFAULT,
    Configuration,
    add_features,
    get_configuration,
)
from citespan.pipelines.answers.zones.model import load_model
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.mancon import read_mancon
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.shipped import find_experiment
from citespan.pipelines.precision_recall import PrecisionRecallF1
from citespan.pipelines.training.answer_corpora import (
    CorpusResult,
    evaluate_detector,
    evaluate_on_paper_corpora,
    evaluate_on_titles,
)
from citespan.pipelines.training.answer_examples import (
    PaperCorpora,
    TitleQuestions,
    from_mancon,
    from_titles,
)
from citespan.pipelines.training.answer_experiment import (
    OVERALL,
    read_answer_experiment,
    read_shipped_experiment,
)
from citespan.pipelines.training.answer_tables import AnswerTable, count_steps, make_tables
from citespan.pipelines.training.answers import AnswerScores
from citespan.pipelines.training.zones import (
    CrossValidation,
    ablate,
    analyse_split_and_joined,
    cross_validate,
)

app = Group(__doc__)

TitleQuestionFile = Annotated[
    Path, typer.Argument(help="Structured abstracts, some of which have a question as title.")
]
Mancon = Annotated[
    Path | None,
    typer.Option(
        help="ManConCorpus' XML, for the corpora of Alamri and Stevenson 2015; needs --medline as "
        "well."
    ),
]
Medline = Annotated[
    Path | None,
    typer.Option(help="The abstracts of ManConCorpus' PMIDs: Medline XML or PubMed's text export."),
]
Folds = Annotated[int, typer.Option(min=2, help="Number of folds.")]


class _PaperData(NamedTuple):
    """ManConCorpus with its abstracts.

    Attributes:
        corpora: the corpora of Alamri and Stevenson 2015.
        abstracts: all abstracts of the Medline file.
        incomplete: whether a claim or a record could not be read.
    """

    corpora: PaperCorpora
    abstracts: list[Abstract]
    incomplete: bool


@app.command()
def zones(
    path: Annotated[Path, typer.Argument(help="A file or folder of structured abstracts.")],
    configuration: Annotated[
        list[str] | None,
        typer.Option(
            help="One of " + ", ".join(CONFIGURATIONS) + ". Repeatable.", show_default="all"
        ),
    ] = None,
    ablation: Annotated[
        bool, typer.Option("--ablation", help="Also without each feature group in turn.")
    ] = False,
    add: Annotated[
        list[str] | None,
        typer.Option(help="A feature group to add, such as 'tense by tags'. Repeatable."),
    ] = None,
    folds: Folds = 5,
    format_: AbstractFormat = "auto",
    json: Json = False,
) -> None:
    """Cross-validate zone models by abstract, with the labels of sections hidden from them.

    The sentences are split by section. "F1 joined" is for the same sentences if the sections are
    joined to one text first, as in unstructured abstracts. The published figures are those of
    Alamri and Stevenson 2015, on 10,000 other abstracts.

    Example: citespan answers evaluate zones pubmedqa.json --ablation
    """
    chosen = [
        add_features(get_configuration(name), add or ()) for name in configuration or CONFIGURATIONS
    ]
    gathered = read_abstract_files([path], format_)
    models = sum(1 + len(c.features) * ablation for c in chosen)
    rows: list[dict[str, Any]] = []
    with progress("Cross-validating", models * folds) as advance:
        for settings in chosen:
            data = analyse_split_and_joined(gathered.abstracts, settings)
            whole = cross_validate(data, settings, folds, advance)
            rows.append(_make_row(settings.name, None, whole))
            if ablation:
                rows += (
                    _make_row(settings.name, without, result)
                    for without, result in ablate(data, settings, folds, advance)
                )
    if json:
        counts = {
            "abstracts": len(gathered.abstracts),
            "rejected": [asdict(reading) for reading in gathered.rejected],
            "folds": folds,
        }
        print_json(counts | {"results": rows})
    else:
        for table in _make_zone_tables(rows):
            out.print(table)
        out.print(
            "Published: Alamri and Stevenson 2015, on 10,000 other abstracts. Joined: the sections "
            "joined to one text first. Glued: sentences of that text that cross the end of a "
            "section.",
            style="dim",
        )
    raise typer.Exit(1 if has_quarantined(gathered.rejected) else 0)


def _make_row(name: str, without: str | None, result: CrossValidation) -> dict[str, Any]:
    return {"configuration": name, "without": without, **asdict(result)}


def _make_zone_tables(rows: list[dict[str, Any]]) -> list[Table]:
    """Make a table for each configuration and one that compares all, 80 columns wide at most."""
    published = read_shipped_experiment().published.zones
    whole = [row for row in rows if row["without"] is None]
    tables = [_make_zone_table(row, published.get(row["configuration"], {})) for row in whole]
    if len(rows) == len(whole):
        return [*tables, _make_summary("Configuration", [(r["configuration"], r) for r in whole])]
    for name, ablated in groupby(rows, key=itemgetter("configuration")):
        named = [(row["without"] or "nothing", row) for row in ablated]
        tables.append(_make_summary("Without", named, title=name))
    return tables


def _make_zone_table(row: dict[str, Any], published: Mapping[str, PrecisionRecallF1]) -> Table:
    scores, joined = row["scores"], row["joined"]
    table = Table("Zone", title=row["configuration"], title_justify="left")
    for name in ("Precision", "Recall", "F1", "F1\njoined", "F1\npublished", "Sentences"):
        table.add_column(name, justify="right")
    lines = [*scores["zones"].items(), (OVERALL, scores["overall"])]
    for zone, score in lines:
        other = joined["zones"].get(zone, joined["overall"])
        table.add_row(
            zone,
            *(f"{score[name]:.3f}" for name in ("precision", "recall", "f1")),
            f"{other['f1']:.3f}",
            f"{published[zone].f1:.2f}" if zone in published else "",
            f"{score['sentences']:,}",
        )
    return table


def _make_summary(
    heading: str, rows: list[tuple[str, dict[str, Any]]], title: str | None = None
) -> Table:
    """Make a table of overall figures; with a title, changes are from the first row."""
    table = Table(title=title, title_justify="left")
    table.add_column(heading, overflow="fold")
    changes = ("Change",) if title else ()
    for name in ("F1", *changes, "Sentences\nright", "Abstracts\nright", "Joined\nF1", "Glued"):
        table.add_column(name, justify="right")
    first = rows[0][1]["scores"]["overall"]["f1"]
    for name, row in rows:
        scores = row["scores"]
        f1 = scores["overall"]["f1"]
        change = (f"{f1 - first:+.4f}" if row["without"] else "",) if title else ()
        table.add_row(
            name,
            f"{f1:.4f}",
            *change,
            f"{scores['sentence_accuracy']:.4f}",
            f"{scores['abstract_accuracy']:.3f}",
            f"{row['joined']['overall']['f1']:.4f}",
            str(row["glued"]),
        )
    return table


@app.command()
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
            "folder of one made by `citespan answers train answers`."
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

    Example: citespan answers evaluate answers pubmedqa.json --json
    """
    chosen = get_configuration(configuration)
    if detector is not None and (mancon or medline):
        raise InputError("--detector is measured on titles: leave out --mancon and --medline")
    gathered = read_abstract_files([path], format_)
    titles = from_titles(gathered.abstracts)
    own = _read_paper_data(mancon, medline) if detector is None else None
    if detector is not None:
        if not titles.answered:
            raise InputError(f"{path}: no structured abstract has a question as title")
        zones = load_model(model)
        answers_model = open_detector(detector)
        found = [evaluate_detector(detector, answers_model, titles.answered, zones)]
    else:
        found = _cross_validate(path, gathered.abstracts, titles, own, chosen, folds)
    for result in found:
        if result.caveat:
            warn(f"both steps left out: {result.caveat}")
    if json:
        counts: dict[str, int | str] = {
            "abstracts": len(gathered.abstracts),
            "questions": len(titles.answered),
            "other_titles": titles.other_titles,
            "without_zones": titles.without_zones,
        }
        if detector is None:
            counts |= {"folds": folds, "configuration": chosen.name}
        print_json(counts | {"results": [result.to_json() for result in found]})
    else:
        out.print(
            f"{format_count(len(gathered.abstracts), 'abstract')}: {len(titles.answered):,} with a "
            f"question as title, {titles.other_titles:,} with another title, "
            f"{titles.without_zones:,} without Results or Conclusions"
        )
        for result in found:
            _show_corpus(result)
    raise typer.Exit(1 if has_quarantined(gathered.rejected) or (own and own.incomplete) else 0)


def _cross_validate(
    path: Path,
    abstracts: Sequence[Abstract],
    titles: TitleQuestions,
    own: _PaperData | None,
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


def _show_corpus(result: CorpusResult) -> None:
    out.print(
        _make_corpus_table(result.data, result.by_labels | {"Conclusions": result.conclusions})
    )
    if result.both:
        out.print(_make_corpus_table(result.data_of_both, result.both))
    out.print(
        "Conclusions: the baseline that takes every sentence of the Conclusions for an answer. "
        "Overall: the mean over answers and other sentences, by their numbers.",
        style="dim",
    )


def _make_corpus_table(title: str, rows: dict[str, AnswerScores]) -> Table:
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


@app.command()
def run(
    experiment: Annotated[
        str,
        typer.Argument(
            help="A YAML file, or the name of a shipped experiment: bionlp2015.",
            metavar="EXPERIMENT",
        ),
    ],
    path: Annotated[
        Path | None,
        typer.Argument(help="Structured abstracts, some of which have a question as title."),
    ] = None,
    mancon: Mancon = None,
    medline: Medline = None,
    format_: AbstractFormat = "auto",
    json: Json = False,
) -> None:
    """Print the tables of an experiment beside the published ones.

    Each row names the data of our figures. citespan ships no abstracts; PubMedQA's ori_pqal.json
    from https://github.com/pubmedqa/pubmedqa has 1,000 with a question as title.

    Example: citespan answers evaluate run experiments/bionlp2015.yml ori_pqal.json
    """
    stated = read_answer_experiment(find_experiment(experiment))
    if path is None:
        raise InputError(
            f"{experiment}: no abstracts to run on; name a file of structured ones after it, such "
            "as PubMedQA's ori_pqal.json from https://github.com/pubmedqa/pubmedqa, since citespan "
            "ships none"
        )
    gathered = read_abstract_files([path], format_)
    own = _read_paper_data(mancon, medline)
    corpora, further = (own.corpora, own.abstracts) if own else (None, [])
    abstracts = [*gathered.abstracts, *further]
    answered = from_titles(gathered.abstracts).answered
    made = []
    with progress("Evaluating", count_steps(stated, own is not None)) as advance:
        for table in make_tables(stated, abstracts, answered, corpora, advance):
            made.append(table)
            if not json and table.rows:
                out.print(_make_published_table(table))
    for caveat in dict.fromkeys(table.caveat for table in made if table.caveat):
        warn(f"left out: {caveat}")
    named = {"experiment": stated.name, "published": stated.published.source}
    described = named | {"tables": [table.to_json() for table in made]}
    shown = f"published: {stated.published.source}"
    print_result(json, described, out.print, shown, style="dim", markup=False)
    raise typer.Exit(1 if has_quarantined(gathered.rejected) or (own and own.incomplete) else 0)


def _make_published_table(table: AnswerTable) -> Table:
    """Make a table of 80 columns at most; a line above the rows describes their data."""
    title = f"Table {table.number}. {table.title}"
    described = list(dict.fromkeys(row.data for row in table.rows))
    several = len(described) > 1
    numbered = [f"({n}) {data}" if several else data for n, data in enumerate(described, 1)]
    shown = Table(
        "",
        title=title,
        title_justify="left",
        caption="Ours: " + "; ".join(numbered),
        caption_justify="left",
    )
    for name in ("Precision", "Recall", "F1", "published\nPrecision", "\nRecall", "\nF1"):
        shown.add_column(name, justify="right")
    for number, data in enumerate(described, 1):
        for row in table.rows:
            if row.data == data:
                published = (
                    [f"{figure:.2f}" for figure in row.published] if row.published else ["-"] * 3
                )
                shown.add_row(
                    f"{row.name} ({number})" if several else row.name,
                    *(f"{figure:.3f}" for figure in row.ours),
                    *published,
                )
        shown.add_section()
    return shown


def _read_paper_data(mancon: Path | None, medline: Path | None) -> _PaperData | None:
    """Read the corpora of Alamri and Stevenson 2015; None, with a warning, if a file is missing.

    Raises:
        InputError: if a file can't be read, or no abstract belongs to a claim.
    """
    if medline is None:
        pmids = f"the {len(read_mancon(mancon).pmids)} PMIDs of {mancon}" if mancon else "its PMIDs"
        warn(
            "the paper's own corpora are left out: ManConCorpus has no abstracts; give a Medline "
            f"file of {pmids}, which PubMed exports, by --medline"
            + ("" if mancon else " and the corpus' XML by --mancon")
        )
        return None
    if mancon is None:
        raise InputError("--medline: give ManConCorpus' XML by --mancon as well")
    corpus, gathered = read_mancon(mancon), read_abstract_files([medline])
    corpora = from_mancon(corpus, gathered.abstracts)
    warn_rejected(corpus.rejected)
    warn(
        f"{format_count(corpus.records, 'claim')}: {len(corpora.structured)} in structured "
        f"abstracts (corpus-2), {len(corpora.unstructured)} in unstructured ones (corpus-3), "
        f"{len(corpora.absent)} without an abstract, {len(corpora.unaligned)} like no sentence of "
        f"theirs, {len(corpus.rejected)} unreadable"
    )
    if not corpora.structured and not corpora.unstructured:
        raise InputError(f"{medline}: no abstract with a claim of {mancon}; get those of its PMIDs")
    incomplete = bool(corpus.rejected) or has_quarantined(gathered.rejected)
    return _PaperData(corpora, gathered.abstracts, incomplete)

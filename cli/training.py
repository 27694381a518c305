"""`citespan contexts`, `disagreement`, `facets` and `answers train`: models made of your own data.

`citespan ranker` makes rankers.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from citespan.cli.answers import AbstractFormat, read_abstract_files
from citespan.cli.commands import make_group
from citespan.cli.options import About, Fold, Json, folder_option
from citespan.cli.output import out, print_result, progress
from citespan.cli.ranker import Data, print_trained, read_training_data
from citespan.cli.readings import has_quarantined
from citespan.cli.tables import FigureTable
from citespan.pipelines.answers.detection.features import DEFAULT as DEFAULT_SET
from citespan.pipelines.answers.detection.features import FEATURE_SETS, get_feature_set
from citespan.pipelines.answers.zones.configuration import (
    CONFIGURATIONS,
    DEFAULT,
    get_configuration,
)
from citespan.pipelines.corpus.mancon import read_mancon
from citespan.pipelines.counts import format_count
from citespan.pipelines.training.answer_examples import from_mancon, from_titles
from citespan.pipelines.training.answers import AnswerFamily
from citespan.pipelines.training.contexts import ContextFamily, ContextFigures, read_windows
from citespan.pipelines.training.directions import DirectionFamily, DirectionFigures, read_findings
from citespan.pipelines.training.disagreement import (
    DisagreementExample,
    DisagreementFamily,
    DisagreementFigures,
    cross_validate_disagreement,
    make_disagreement_examples,
)
from citespan.pipelines.training.facets import (
    FacetFamily,
    FacetFigures,
    cross_validate_facets,
    make_facet_examples,
)
from citespan.pipelines.training.family import FOLDS, train_and_write
from citespan.pipelines.training.ranker_fitting import SEEDS
from citespan.pipelines.training.zones import ZoneFamily

AbstractPaths = Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="PATH...")]
ModelFolder = Annotated[Path, folder_option("The model's folder to write.")]
AnswerModelFolder = Annotated[Path, typer.Option("--out", help="The folder to write the model to.")]


@make_group
def contexts() -> None:
    """Which sentences belong to a citation: train and measure the model.

    Example: citespan contexts train windows.jsonl --out my-contexts
    """


@contexts.command("train")
def train_contexts(
    file: Annotated[
        Path, typer.Argument(help="Lines of JSON with `sentences` and `labels`.", metavar="WINDOWS")
    ],
    to: ModelFolder,
    held_out: Annotated[Path | None, typer.Option(help="Other windows, to measure on.")] = None,
    about: About = "",
    json: Json = False,
) -> None:
    """Train the model of whether the sentence before a citing one belongs to the citation.

    One sentence of a window has the marker, as <CITATION_MARKER>12</CITATION_MARKER>; a label is 1
    for each sentence that belongs to that citation. It is measured by five-fold cross-validation,
    beside the marker's sentence alone.

    Example: citespan contexts train windows.jsonl --out my-contexts
    """
    others = read_windows(held_out) if held_out is not None else ()
    paths = [str(file), *(("--held-out", str(held_out)) if held_out is not None else ())]
    family = ContextFamily(read_windows(file), others)
    figures = train_and_write(family, to, paths, about)["figures"]
    print_trained(json, to, figures.to_json(), _show_contexts, figures)


def _show_contexts(figures: ContextFigures) -> None:
    table = FigureTable(["windows", "system"], ["P", "R", "F1"])
    for windows, systems in (("folds", figures.folds), ("held out", figures.held_out)):
        for system, own in systems.items():
            table.add_row(windows, system, own.precision, own.recall, own.f1)
    table.print()


@make_group
def disagreement() -> None:
    """What differs between a citation and its passages: train and measure the model of it.

    Example: citespan disagreement cross-validate jsonl:claims.jsonl
    """


def read_examples(data: Sequence[str]) -> tuple[list[DisagreementExample], int]:
    """Read collections whose citances have labels.

    Returns:
        The examples, and how many records can't be used.

    Raises:
        InputError: if a collection can't be read, or has no labels of both kinds.
    """
    examples: list[DisagreementExample] = []
    rejected = 0
    for name in data:
        read, own = read_training_data([name])
        rejected += own
        path = Path(name.partition(":")[2])
        named = path.parent.name or path.stem
        examples += make_disagreement_examples(named, read.articles, read.citances)
    return examples, rejected


@disagreement.command("train")
def train_disagreement(data: Data, to: ModelFolder, about: About = "", json: Json = False) -> None:
    """Train the model of what disagrees; the same files give the same model, byte for byte.

    It needs JSON Lines whose citances have the label "supports" or "contradicts". It is measured
    by five-fold cross-validation over articles, and on each collection by a model of the others.

    Example: citespan disagreement train jsonl:claims.jsonl --out my-disagreement
    """
    examples, rejected = read_examples(data)
    figures = train_and_write(DisagreementFamily(examples), to, data, about)["figures"]
    described = {"rejected": rejected, "clauses": len(examples), **_describe_sets(figures)}
    print_trained(json, to, described, _show_disagreement, figures)
    raise typer.Exit(1 if rejected else 0)


@disagreement.command("cross-validate")
def measure_disagreement(data: Data, json: Json = False) -> None:
    """Measure models of what disagrees that are trained on other articles, or other collections.

    Example: citespan disagreement cross-validate jsonl:claims.jsonl
    """
    examples, rejected = read_examples(data)
    figures = cross_validate_disagreement(examples)
    described = {"data": data, "rejected": rejected, **_describe_sets(figures)}
    print_result(json, described, _show_disagreement, figures)
    raise typer.Exit(1 if rejected else 0)


_Sets = Mapping[str, Mapping[str, DisagreementFigures]]


def _describe_sets(figures: _Sets) -> dict[str, Any]:
    return {
        way: {name: own.to_json() for name, own in sets.items()} for way, sets in figures.items()
    }


def _show_disagreement(figures: _Sets) -> None:
    """Print how well contradiction is told from support, for each set."""
    table = FigureTable(
        ["measured on", "set"],
        ["claims", "AUC", "words", "clause", "shown", "precision", "contradicted", "supported"],
    )
    for way, sets in figures.items():
        for name, own in sets.items():
            told = (own.clauses, own.auc, *own.words_auc)
            table.add_row(way, name, *told, own.shown, own.precision, own.recall, own.false)
    table.print()
    out.print("words, clause: AUC of words alone; contradicted, supported: the share shown")


@make_group
def facets() -> None:
    """Discourse facets of cited sentences: train and measure their model.

    Example: citespan facets train scisumm:data/train --out my-facets
    """


@facets.command("train")
def train_facets(data: Data, to: ModelFolder, about: About = "", json: Json = False) -> None:
    """Train the facet model; the same collections give the same file, byte for byte.

    It predicts what kind of statement a cited sentence is, from the facets that annotators of
    CL-SciSumm or TAC 2014 named, and is measured by five-fold cross-validation over topics.

    Example: citespan facets train scisumm:data/train --out my-facets
    """
    read, rejected = read_training_data(data)
    examples = make_facet_examples(read.articles, read.citances)
    figures = train_and_write(FacetFamily(examples), to, data, about)["figures"]
    described = {"rejected": rejected, "citances": len(examples), "systems": _list_systems(figures)}
    print_trained(json, to, described, _show_facets, figures)
    raise typer.Exit(1 if rejected else 0)


@facets.command("cross-validate")
def measure_facets(data: Data, fold: Fold = None, json: Json = False) -> None:
    """Measure facet models that are trained on the other topics of a collection.

    Beside them stands the facet that is most frequent in the other topics.

    Example: citespan facets cross-validate scisumm:data/train
    """
    read, rejected = read_training_data(data)
    examples = make_facet_examples(read.articles, read.citances)
    figures = cross_validate_facets(examples, fold or ())
    described = {"data": data, "folds": fold or [], "systems": _list_systems(figures)}
    print_result(json, described, _show_facets, figures)
    raise typer.Exit(1 if rejected else 0)


def _list_systems(figures: Mapping[str, FacetFigures]) -> dict[str, Any]:
    return {name: system.to_json() for name, system in figures.items()}


def _show_facets(figures: Mapping[str, FacetFigures]) -> None:
    """Print how often facets are right, and the F1 of each."""
    names = list(next(iter(figures.values())).facets)
    table = FigureTable(["system"], ["accuracy", "macro F1", *names])
    for system, own in figures.items():
        f1 = [own.facets[name].f1 for name in names]
        table.add_row(system, own.accuracy, own.macro_f1, *f1)
    table.print()
    citances = next(iter(figures.values())).citances
    out.print(f"{citances:,} citances; by facet, F1")


@make_group
def answers() -> None:
    """Train models on your own abstracts.

    Example: citespan answers train zones pubmed26n0001.xml.gz --out my-zones
    """


@answers.command("zones")
def train_zones(
    paths: AbstractPaths,
    to: AnswerModelFolder,
    format_: AbstractFormat = "auto",
    configuration: Annotated[
        str, typer.Option(help="One of " + ", ".join(CONFIGURATIONS) + ".")
    ] = DEFAULT,
    about: About = "",
    measure: Annotated[
        bool, typer.Option(help="Cross-validate in five folds, for the model's card.")
    ] = True,
    json: Json = False,
) -> None:
    """Train a zone model on structured abstracts; the same abstracts give the same model.

    Example: citespan answers train zones pubmed26n0001.xml.gz --out my-zones
    """
    chosen = get_configuration(configuration)
    gathered = read_abstract_files(sorted(paths), format_)
    with progress("Training", 6 if measure else 1) as advance:
        family = ZoneFamily(gathered, chosen, measure, advance)
        made = train_and_write(family, to, sorted(map(str, paths)), about)["report"]
    shown = (
        f"{format_count(made['abstracts'], 'abstract')}, "
        f"{format_count(made['sentences'], 'sentence')}: {configuration} model of "
        f"{format_count(made['bytes'], 'byte')}"
    )
    print_trained(json, to, made, out.print, shown)
    raise typer.Exit(1 if has_quarantined(gathered.rejected) else 0)


@answers.command("answers")
def train_answers(
    paths: AbstractPaths,
    to: AnswerModelFolder,
    mancon: Annotated[
        Path | None, typer.Option(help="ManConCorpus' XML; the files have the abstracts.")
    ] = None,
    features: Annotated[
        str,
        typer.Option(
            "--feature-set",
            help="; ".join(f"{name}: {', '.join(of)}" for name, of in FEATURE_SETS.items()) + ".",
        ),
    ] = DEFAULT_SET,
    about: About = "",
    format_: AbstractFormat = "auto",
    json: Json = False,
) -> None:
    """Train a detector of answers on abstracts that have a question as title.

    The answer of an abstract is the first sentence of its Conclusions. With --mancon the detector
    is trained on the claims of ManConCorpus instead, and the files have the abstracts of its PMIDs.

    Example: citespan answers train answers pubmedqa.json --out my-answers
    """
    get_feature_set(features)
    gathered = read_abstract_files(sorted(paths), format_)
    if mancon is None:
        answered = from_titles(gathered.abstracts).answered
    else:
        answered = from_mancon(read_mancon(mancon), gathered.abstracts).structured
    with progress("Training", 11) as advance:
        family = AnswerFamily(answered, features, advance)
        made = train_and_write(family, to, sorted(map(str, paths)), about)["report"]
    shown = (
        f"{format_count(made['abstracts'], 'abstract')}, {format_count(made['answers'], 'answer')} "
        f"and {format_count(made['others'], 'other sentence')}: a tree of "
        f"{format_count(made['leaves'], 'leaf', 'leaves')}"
    )
    print_trained(json, to, made, out.print, shown)
    raise typer.Exit(1 if has_quarantined(gathered.rejected) else 0)


@answers.command("directions")
def train_directions(
    file: Annotated[
        Path,
        typer.Argument(
            help="A table with tabs: article, number, annotator, direction, outcome, intervention, "
            "comparator.",
            metavar="FINDINGS",
        ),
    ],
    data: Data,
    to: Annotated[Path, folder_option("The folder to write the model to.")],
    about: About = "",
    json: Json = False,
) -> None:
    """Train the model of what trials found: decreased, increased or no difference.

    The collections have the articles, with a citance for each prompt and the passages that answer
    it; the table names what each annotator found. It is measured by five-fold cross-validation over
    articles: on annotators' passages, and on those found by a ranker of the other folds.

    Example: citespan answers train directions directions.tsv tac2014:trials --out my-directions
    """
    read, rejected = read_training_data(data)
    findings = read_findings(file, read.articles, read.citances)
    with progress("Training", FOLDS * SEEDS + FOLDS + 1) as advance:
        family = DirectionFamily(read.articles, read.citances, findings, advance)
        figures = train_and_write(family, to, [str(file), *data], about)["figures"]
    described = {"rejected": rejected, **figures.to_json()}
    print_trained(json, to, described, _show_directions, figures)
    raise typer.Exit(1 if rejected else 0)


def _show_directions(figures: DirectionFigures) -> None:
    table = FigureTable(["passages", "system"], ["accuracy", "from", "to"])
    for passages, systems in (("gold", figures.gold), ("found", figures.end_to_end)):
        for system, own in systems.items():
            table.add_row(passages, system, *own)
    table.print()
    out.print(
        f"A direction is said for {figures.said:.3f} of the prompts, and right for "
        f"{figures.right:.3f} of these."
    )

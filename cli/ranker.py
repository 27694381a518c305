"""Rankers of sentences: list, train and measure them.

Example: citespan ranker show evidence
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.markdown import Markdown

from citespan.cli.commands import Group
from citespan.cli.options import About, Csv, Json, folder_option
from citespan.cli.output import out, print_result, progress, warn
from citespan.cli.readings import warn_rejected
from citespan.cli.tables import FigureTable, print_rows
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.read_collection import read_collection, split_articles
from citespan.pipelines.evaluation.scores import Score
from citespan.pipelines.model_folder import CARD
from citespan.pipelines.ranking.features.families import find_family
from citespan.pipelines.ranking.ranker import NONE, Ranker, find_ranker, rankers
from citespan.pipelines.training.family import train_and_write
from citespan.pipelines.training.ranker import RankerFamily
from citespan.pipelines.training.ranker_examples import TrainingData, Unanswered, read_unanswered
from citespan.pipelines.training.ranker_figures import (
    RANKED,
    SELECTED,
    TABLE,
    Figures,
    count_trainings,
    make_table,
)
from citespan.pipelines.training.ranker_figures import cross_validate as measure_on_folds
from citespan.pipelines.training.ranker_figures import evaluate as measure_ranker
from citespan.pipelines.training.ranker_fitting import SEEDS

app = Group(__doc__)

Data = Annotated[
    list[str],
    typer.Argument(help="Collections as FORMAT:PATH, as in scisumm:data/train.", metavar="DATA..."),
]

NoEvidence = Annotated[
    list[Path] | None,
    typer.Option(
        "--none",
        help="JSON Lines with article and text: queries for which people found no evidence in an "
        "article of the collections; may be repeated.",
    ),
]

Without = Annotated[
    list[str] | None,
    typer.Option("--without", help="A family of features to leave out; may be repeated."),
]

T = TypeVar("T")
_HEADINGS = {
    "sentence_f1_micro": "sent. F1",
    "sentence_precision_micro": "P",
    "sentence_recall_micro": "R",
    "success_1": "success@1",
    "mrr_10": "MRR@10",
    "ndcg_10": "nDCG@10",
}


def open_ranker(name: str) -> Ranker:
    """Return the ranker of a name, or the one whose model is in a folder.

    Raises:
        UnknownNameError: if there is no such ranker.
        InputError: if the folder's model can't be used.
    """
    found = find_ranker(name)
    if found is None:
        raise InputError(f"{NONE} is no ranker; name one, or the folder of a model")
    return found


def read_training_data(
    names: Sequence[str], unanswered: Sequence[Path] = ()
) -> tuple[TrainingData, int]:
    """Read collections, and files of queries without evidence in them, and warn of what can't be
    used.

    Returns:
        What was read, and how many records can't be used.

    Raises:
        InputError: if two have an article of the same name, or no citance can be used.
    """
    articles: dict[str, Article] = {}
    of_article: dict[str, str] = {}
    citances: list[Citance] = []
    rejected = 0
    for name in names:
        collection = read_collection(name)
        warn_rejected((*collection.rejected, *collection.unusable))
        rejected += len(collection.rejected)
        if taken := sorted(articles.keys() & collection.articles.keys()):
            raise InputError(f"{name}: article '{taken[0]}' is in another collection too")
        split = split_articles(collection)
        articles |= split
        of_article |= dict.fromkeys(split, _shorten(name, of_article.values()))
        citances += collection.citances
    if not citances:
        raise InputError(f"{', '.join(names)}: no citance that can be used")
    without: list[Unanswered] = []
    answered = {(citance.article_id, citance.text) for citance in citances}
    for path in unanswered:
        for read in read_unanswered(path, articles, answered):
            if isinstance(read, Unanswered):
                without.append(read)
            else:
                warn(f"{read.source}: {read.reason}")
                rejected += 1
    return TrainingData(articles, citances, of_article, without), rejected


def _shorten(name: str, taken: Iterable[str]) -> str:
    """Return the name of a collection's file or folder, or that of the folder around it where it is
    but "train" or the like; all of FORMAT:PATH if another has that name."""
    path = Path(name.partition(":")[2]).resolve()
    stem = path.name.partition(".")[0]
    short = path.parent.name if stem in ("train", "dev", "test") else stem
    return name if short in set(taken) else short


def print_trained(
    json: bool, to: Path, described: Mapping[str, Any], show: Callable[[T], None], figures: T
) -> None:
    """Print the figures of a model that was written to a folder."""

    def show_all() -> None:
        show(figures)
        out.print(f"written to {to}", markup=False)

    print_result(json, {"out": str(to), **described}, show_all)


def show_figures(found: Mapping[str, Figures]) -> None:
    """Print the figures of every system on each collection, and how far the ranker's probabilities
    hold; of several collections also a table of all."""
    for name, figures in found.items():
        if len(found) > 1:
            out.print(f"\n{name}", markup=False)
        _show_collection(figures)
    if len(found) > 1:
        table = FigureTable(TABLE[:1], TABLE[1:])
        for row in make_table(found):
            table.add_row(*row)
        table.print()
        out.print(
            "bm25, folds, left out: how often the first sentence is marked, by BM25 with idf of "
            "the article, by rankers of the other folds, and by those of the other collections; "
            "found: the share of articles with a support that is not below the threshold."
        )


def _show_collection(figures: Figures) -> None:
    out.print(f"{figures.citances:,} citances of {figures.topics} topics")
    table = FigureTable(["system"], [*_HEADINGS.values(), "sentences"])
    for system, scores in figures.scores.items():
        cells = [_format(scores[name]) for name in (*SELECTED, *RANKED)]
        table.add_row(system, *cells, f"{figures.sentences[system]:.2f}")
    table.print()
    out.print("With 95% bootstrap intervals; sent. F1, P, R: of the sentences retrieved, micro.")
    tests = figures.scores["ranker"]
    for name in ("sentence_f1_micro", "success_1"):
        test = tests[name].tests
        if test.p_randomisation is not None:
            out.print(
                f"{_HEADINGS[name]} of ranker against bm25: p = {test.p_randomisation:.4f} "
                "(paired randomisation)"
            )
    doubt = figures.doubt
    support = doubt["articles"]
    for kind, value in support["auroc"].items():
        below = support["wrong_below_threshold"][kind]
        out.print(
            f"support, right article or {kind} other one: AUROC {value:.3f}; below the threshold "
            f"{support['right_below_threshold']:.3f} of the right and {below:.3f} of the others"
        )
    if support["unanswered"]:
        out.print(
            f"below the threshold {1 - support['unanswered_found']:.3f} of {support['unanswered']} "
            "articles in which people found no evidence"
        )
    out.print(
        f"expected calibration error: support {support['calibration_error']:.3f}, sentences "
        f"{doubt['sentences']['calibration_error']:.3f}"
    )


def _format(score: Score) -> str:
    return f"{score.value:.3f} {score.low:.3f}-{score.high:.3f}".replace("0.", ".")


def _list_figures(found: Mapping[str, Figures]) -> dict[str, Any]:
    return {"collections": {name: figures.to_json() for name, figures in found.items()}}


@app.command("list")
def list_rankers(json: Json = False, csv: Csv = False) -> None:
    """List the rankers there are.

    Those of other distributions are listed too.

    Example: citespan ranker list
    """
    columns = ("name", "description", "version", "threshold")
    rows = [{name: getattr(ranker, name) for name in columns} for ranker in rankers]
    headings = dict(zip(columns, columns, strict=True))
    print_result(json, {"rankers": rows}, print_rows, rows, headings, csv=csv)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="Name of a ranker, or the folder of a model.")],
    json: Json = False,
) -> None:
    """Show a ranker's card: on what data it was trained, by which features, and its figures.

    Example: citespan ranker show evidence
    """
    ranker = open_ranker(name)
    folder = getattr(ranker, "folder", None)
    if folder is None:
        raise InputError(f"ranker '{name}' has no card here: it is another distribution's")
    try:
        card = (folder / CARD).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder / CARD}: can't be read: {error.strerror}") from error
    about = {name: getattr(ranker, name) for name in ("name", "version", "threshold")}
    print_result(json, about | {"folder": str(folder), "card": card}, out.print, Markdown(card))


@app.command()
def train(
    name: Annotated[str, typer.Argument(help="Name of the ranker, and of its folder.")],
    data: Data,
    to: Annotated[Path, folder_option("The folder to write the model's folder in.")],
    about: About = "",
    none: NoEvidence = None,
    json: Json = False,
) -> None:
    """Train a ranker on citances; the same collections give the same files, byte for byte.

    It is measured by five-fold cross-validation over topics, and on each of several collections by
    a ranker that is trained on the others; its probabilities are fitted to scores out of fold.
    `citespan ranker evaluate` and `show` take its folder; a package of yours makes it a ranker to
    search with (see CONTRIBUTING.md).

    Example: citespan ranker train mine tac2014:trials --out rankers
    """
    if not name or "/" in name or name.startswith("."):
        raise InputError(f"'{name}' can't be the name of a folder; choose another")
    read, rejected = read_training_data(data, none or ())
    options = [text for path in none or () for text in ("--none", str(path))]
    with progress("trained", count_trainings(len(data)) + SEEDS) as advance:
        family = RankerFamily(name, read, advance)
        figures = train_and_write(family, to / name, [*data, *options], about)["figures"]
    described = {"rejected": rejected, **_list_figures(figures)}
    print_trained(json, to / name, described, show_figures, figures)
    raise typer.Exit(1 if rejected else 0)


@app.command()
def cross_validate(
    data: Data,
    folds: Annotated[int, typer.Option(min=2, help="Number of folds.")] = 5,
    without: Without = None,
    none: NoEvidence = None,
    json: Json = False,
) -> None:
    """Measure rankers that are trained on the other topics, or on the other collections.

    A topic is an article with all its citances, and is in one fold. Probabilities are fitted to
    the other folds too, and so is the number of sentences that the untrained rankings retrieve.
    Of several collections, each is also ranked by a ranker that is trained on the others.

    Example: citespan ranker cross-validate tac2014:trials --without feedback
    """
    left_out = [find_family(name).name for name in without or []]
    read, rejected = read_training_data(data, none or ())
    with progress("trained", count_trainings(len(data), folds)) as advance:
        figures = measure_on_folds(read, folds, left_out, advance)
    about = {"data": data, "folds": folds, "without": left_out}
    print_result(json, about | _list_figures(figures), show_figures, figures)
    raise typer.Exit(1 if rejected else 0)


@app.command()
def evaluate(
    name: Annotated[str, typer.Argument(help="Name of a ranker, or the folder of a model.")],
    data: Data,
    none: NoEvidence = None,
    json: Json = False,
) -> None:
    """Measure a ranker as it is on collections.

    Name collections that it was not trained on. The untrained rankings beside it retrieve three
    sentences.

    Example: citespan ranker evaluate evidence tac2014:trials
    """
    ranker = open_ranker(name)
    read, rejected = read_training_data(data, none or ())
    with progress("queries", len(read.citances) + len(read.unanswered)) as advance:
        figures = measure_ranker(ranker, read, advance)
    about = {"ranker": ranker.name, "version": ranker.version, "data": data}
    print_result(json, about | _list_figures(figures), show_figures, figures)
    raise typer.Exit(1 if rejected else 0)

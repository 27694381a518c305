"""Rankers of sentences: list, train and measure them.

Example: citespan ranker show citance
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markdown import Markdown

from citespan.cli.commands import Group
from citespan.cli.options import Json
from citespan.cli.output import out, print_json, progress, warn
from citespan.cli.tables import FigureTable, listing
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.read_collection import read_collection, split_articles
from citespan.pipelines.evaluation.scores import Score
from citespan.pipelines.model_folder import CARD
from citespan.pipelines.ranking.features.families import find_family
from citespan.pipelines.ranking.ranker import NONE, Ranker, find_ranker, rankers
from citespan.pipelines.training.family import train_and_write
from citespan.pipelines.training.ranker import TRAININGS, RankerFamily
from citespan.pipelines.training.ranker_figures import RANKED, SELECTED, Figures
from citespan.pipelines.training.ranker_figures import cross_validate as measure_on_folds
from citespan.pipelines.training.ranker_figures import evaluate as measure_ranker
from citespan.pipelines.training.ranker_fitting import OBJECTIVES

app = Group(__doc__)

Data = Annotated[
    list[str],
    typer.Argument(
        help="Collections as FORMAT:PATH, as in scisumm:data/train; several are pooled.",
        metavar="DATA...",
    ),
]

Without = Annotated[
    list[str] | None,
    typer.Option("--without", help="A family of features to leave out; may be repeated."),
]

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


def read_pooled(names: Sequence[str]) -> tuple[dict[str, Article], tuple[Citance, ...], int]:
    """Read collections, warn of what in them can't be used, and pool them.

    Returns:
        The articles by id, split into sentences; the citances; how many records can't be used.

    Raises:
        InputError: if two have an article of the same name, or no citance can be used.
    """
    articles: dict[str, Article] = {}
    citances: list[Citance] = []
    rejected = 0
    for name in names:
        collection = read_collection(name)
        for one in (*collection.rejected, *collection.unusable):
            warn(f"{one.source}: {one.reason}")
        rejected += len(collection.rejected)
        if taken := sorted(articles.keys() & collection.articles.keys()):
            raise InputError(f"{name}: article '{taken[0]}' is in another collection too")
        articles |= split_articles(collection)
        citances += collection.citances
    if not citances:
        raise InputError(f"{', '.join(names)}: no citance that can be used")
    return articles, tuple(citances), rejected


def show_figures(figures: Figures) -> None:
    """Print the figures of every system, and how far the ranker's probabilities hold."""
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
    out.print(
        f"expected calibration error: support {support['calibration_error']:.3f}, sentences "
        f"{doubt['sentences']['calibration_error']:.3f}"
    )


def _format(score: Score) -> str:
    return f"{score.value:.3f} {score.low:.3f}-{score.high:.3f}".replace("0.", ".")


@app.command("list")
def list_rankers(json: Json = False) -> None:
    """List the rankers there are.

    Those of other distributions are listed too.

    Example: citespan ranker list
    """
    rows = [
        {
            "name": one.name,
            "description": one.description,
            "version": one.version,
            "threshold": one.threshold,
        }
        for one in rankers
    ]
    if json:
        print_json({"rankers": rows})
        return
    table = listing("name", "description", "version", "threshold")
    for row in rows:
        table.add_row(
            str(row["name"]),
            str(row["description"]),
            str(row["version"]),
            f"{row['threshold']:.3f}",
        )
    out.print(table)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="Name of a ranker, or the folder of a model.")],
    json: Json = False,
) -> None:
    """Show a ranker's card: on what data it was trained, by which features, and its figures.

    Example: citespan ranker show citance
    """
    ranker = open_ranker(name)
    folder = getattr(ranker, "folder", None)
    if folder is None:
        raise InputError(f"ranker '{name}' has no card here: it is another distribution's")
    try:
        card = (folder / CARD).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder / CARD}: can't be read: {error.strerror}") from error
    if json:
        print_json(
            {
                "name": ranker.name,
                "version": ranker.version,
                "threshold": ranker.threshold,
                "folder": str(folder),
                "card": card,
            }
        )
    else:
        out.print(Markdown(card))


@app.command()
def train(
    name: Annotated[str, typer.Argument(help="Name of the ranker, and of its folder.")],
    data: Data,
    to: Annotated[Path, typer.Option("--out", help="The folder to write the model's folder in.")],
    about: Annotated[
        str, typer.Option(help="A description of the data with its licence, for the model's card.")
    ] = "",
    json: Json = False,
) -> None:
    """Train a ranker on citances; the same collections give the same files, byte for byte.

    It is measured by five-fold cross-validation over topics, and its probabilities are fitted to
    scores out of fold. `citespan ranker evaluate` and `show` take its folder; a package of yours
    makes it a ranker to search with (see CONTRIBUTING.md).

    Example: citespan ranker train mine tac2014:trials --out rankers
    """
    if not name or "/" in name or name.startswith("."):
        raise InputError(f"'{name}' can't be the name of a folder; choose another")
    if (to.exists() and not to.is_dir()) or not to.parent.is_dir():
        raise InputError(f"{to}: can't be written; name a folder in one that exists")
    articles, citances, rejected = read_pooled(data)
    with progress("trained", TRAININGS) as advance:
        family = RankerFamily(name, articles, citances, advance)
        figures = train_and_write(family, to / name, data, about)["figures"]
    if json:
        print_json({"out": str(to / name), "rejected": rejected, **figures.to_json()})
    else:
        show_figures(figures)
        out.print(f"written to {to / name}", markup=False)
    raise typer.Exit(1 if rejected else 0)


@app.command()
def cross_validate(
    data: Data,
    folds: Annotated[int, typer.Option(min=2, help="Number of folds.")] = 5,
    without: Without = None,
    json: Json = False,
) -> None:
    """Measure rankers that are trained on the other topics of a collection.

    A topic is an article with all its citances, and is in one fold. Probabilities are fitted to
    the other folds too, and so is the number of sentences that the untrained rankings retrieve.

    Example: citespan ranker cross-validate tac2014:trials --without feedback
    """
    left_out = [find_family(name).name for name in without or []]
    articles, citances, rejected = read_pooled(data)
    with progress("trained", folds * len(OBJECTIVES)) as advance:
        figures = measure_on_folds(articles, citances, folds, left_out, advance)
    if json:
        print_json({"data": data, "folds": folds, "without": left_out, **figures.to_json()})
    else:
        show_figures(figures)
    raise typer.Exit(1 if rejected else 0)


@app.command()
def evaluate(
    name: Annotated[str, typer.Argument(help="Name of a ranker, or the folder of a model.")],
    data: Data,
    json: Json = False,
) -> None:
    """Measure a ranker as it is on a collection.

    The collection should be one that it was not trained on. The untrained rankings beside it
    retrieve three sentences.

    Example: citespan ranker evaluate question tac2014:trials
    """
    ranker = open_ranker(name)
    articles, citances, rejected = read_pooled(data)
    with progress("citances", len(citances)) as advance:
        figures = measure_ranker(ranker, articles, citances, advance)
    if json:
        print_json(
            {"ranker": ranker.name, "version": ranker.version, "data": data, **figures.to_json()}
        )
    else:
        show_figures(figures)
    raise typer.Exit(1 if rejected else 0)

"""What several commands of `citespan ranker` are given."""

from collections.abc import Sequence
from typing import Annotated

import typer

from citespan.cli.output import warn
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.read_collection import read_collection, split_articles
from citespan.pipelines.ranking.ranker import NONE, Ranker, find_ranker

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

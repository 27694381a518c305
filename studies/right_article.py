"""How well all articles are searched: the rank of the right article, and of a right sentence.

`python -m studies.right_article FORMAT:PATH --ranker evidence` loads the reference articles of
a collection on a node of its own, and searches all of them for each citance:

- *retrieval*: BM25 over whole articles, all of them;
- *none*: the same, each article with its best span by the vector space model;
- *RANKER*: the first articles, ordered by the ranker's support, each with its best passage;
- *RANKER, out of fold* (`--folds 5`): the same by rankers trained on the other articles. The
  shipped rankers were trained on `scisumm/train` and `evidence-inference/train`, so on these only
  this line says what to expect of other articles.

A sentence is right if a passage has a sentence that an annotator has marked.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from elasticsearch import Elasticsearch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.node import own_node
from citespan.deploy.client import connect
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.read_collection import read_collection, split_articles
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.load import load_articles
from citespan.pipelines.ranking.article_ranking import DEPTH, ArticleEvidence, find_articles
from citespan.pipelines.ranking.model import RankerModel
from citespan.pipelines.ranking.pair import count_terms
from citespan.pipelines.ranking.ranker import Ranker, find_ranker
from citespan.pipelines.requests import SearchAll
from citespan.pipelines.retrieval.article_search import ArticleFilter, search_articles
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.training.family import assign_folds, make_folds
from citespan.pipelines.training.ranker_examples import TrainingData
from citespan.pipelines.training.ranker_fitting import (
    calibrate,
    leave_out,
    score_out_of_fold,
    train_trees,
)

_SUCCESSES = (1, 5)


@dataclass
class Ranks:
    """The ranks of what is right, from 1; 0 where it was not found."""

    articles: list[int] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """Return mean reciprocal ranks and success."""
        return {
            f"{target} {name}": value
            for target, ranks in (("article", self.articles), ("sentence", self.sentences))
            if ranks
            for name, value in _describe(np.array(ranks)).items()
        }


def _describe(ranks: NDArray[np.int64]) -> dict[str, float]:
    found = ranks > 0
    reciprocal = np.where(found, 1 / np.maximum(ranks, 1), 0.0)
    success = {f"success at {k}": float((found & (ranks <= k)).mean()) for k in _SUCCESSES}
    return {"MRR": float(reciprocal.mean())} | success


def train_folds(
    articles: Mapping[str, Article], citances: Sequence[Citance], folds: int
) -> list[Ranker]:
    """Return for each citance the ranker that has not seen its article, calibrated on what others
    that have not seen them say of the other articles."""
    data = TrainingData(articles, citances).make_examples()
    numbers = assign_folds([example.group for example in data.examples], folds)
    scored = score_out_of_fold(data, folds)
    of_fold = []
    for fold in make_folds(numbers):
        known = sorted({data.examples[place].article for place in fold.train})
        counts = count_terms(data.articles[article] for article in known)
        trees = train_trees(data, fold.train)
        calibration = calibrate(leave_out(scored, fold.number))
        of_fold.append(
            RankerModel("fold", counts, trees.ensemble, calibration, f"fold {fold.number}")
        )
    return [of_fold[fold] for fold in numbers]


def main() -> None:
    """Load the collection, search, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", metavar="FORMAT:PATH")
    parser.add_argument("--ranker", default="evidence")
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--depth", type=int, default=DEPTH, help="articles to rank")
    parser.add_argument("--only", type=int, help="so many citances, every n-th")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    collection = read_collection(arguments.collection)
    articles = split_articles(collection)
    step = max(1, len(collection.citances) // arguments.only) if arguments.only else 1
    citances = collection.citances[::step]
    shipped = find_ranker(arguments.ranker)
    systems: dict[str, Sequence[Ranker | None]] = {
        "none": [None] * len(citances),
        arguments.ranker: [shipped] * len(citances),
    }
    if arguments.folds:
        trained = train_folds(articles, collection.citances, arguments.folds)
        systems[f"{arguments.ranker}, out of fold"] = trained[::step]
    with own_node():
        client = connect()
        load_articles(client, articles.values(), DocumentSettings((), "sentences"))
        found = {"retrieval": _rank_by_retrieval(client, citances, len(articles))}
        for name, rankers in systems.items():
            found[name] = _rank(client, citances, rankers, articles, arguments.depth)
    figures = {name: ranks.figures() for name, ranks in found.items()}
    if arguments.json:
        print(json.dumps({"citances": len(citances), "articles": len(articles), **figures}))
        return
    table = Table("system", *figures["none"], title=f"{len(citances):,} of {len(articles):,}")
    for name, own in figures.items():
        table.add_row(name, *(f"{own[key]:.3f}" if key in own else "" for key in figures["none"]))
    Console().print(table)


def _rank_by_retrieval(client: Elasticsearch, citances: Sequence[Citance], most: int) -> Ranks:
    ranks = Ranks()
    for citance in citances:
        request = SearchAll().make_corpus_request(citance.text)
        found = search_articles(Catalogue(client), request.searched, ArticleFilter(), most)
        ranks.articles.append(
            _place([article.entry.article for article in found], citance.article_id)
        )
    return ranks


def _rank(
    client: Elasticsearch,
    citances: Sequence[Citance],
    rankers: Sequence[Ranker | None],
    articles: Mapping[str, Article],
    depth: int,
) -> Ranks:
    ranks = Ranks()
    for citance, ranker in zip(track(citances, "searching"), rankers, strict=True):
        request = SearchAll(top=depth, depth=depth).make_corpus_request(citance.text)
        found = find_articles(client, replace(request, ranker=ranker))
        ids = [article.evidence.article for article in found]
        ranks.articles.append(_place(ids, citance.article_id))
        gold = Outcome(citance, articles[citance.article_id], ()).gold_sentences
        right = [_is_right(article, citance, gold) for article in found]
        ranks.sentences.append(_place(right, True))
    return ranks


def _is_right(article: ArticleEvidence, citance: Citance, gold: frozenset[int]) -> bool:
    return article.evidence.article == citance.article_id and any(
        gold & set(range(passage.first_sentence, passage.last_sentence + 1))
        for passage in article.evidence
    )


def _place(items: Sequence[object], wanted: object) -> int:
    return items.index(wanted) + 1 if wanted in items else 0


if __name__ == "__main__":
    main()

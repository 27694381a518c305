"""How many candidate sentences a ranker needs: the share of marked sentences among them.

`python -m studies.candidate_depth scisumm:DATA/train tac2014:DATA/train` starts a node of its
own, indexes the articles for experiments, and prints recall at each depth for each model.
"""

import argparse
import sys

from rich.console import Console
from rich.table import Table

from benchmarks.node import own_node
from citespan.deploy.client import connect
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.evaluation.experiment_index import ExperimentIndex
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.read_collection import read_collection, split_articles
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.request import request_candidates
from citespan.pipelines.retrieval.search import search_many

_DEPTHS = (10, 25, 50, 100, 200, 10_000)


def main() -> None:
    """Print one table for each collection."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collections", nargs="+", metavar="FORMAT:PATH")
    arguments = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 120)
    with own_node():
        for name in arguments.collections:
            console.print(_measure(name))


def _measure(name: str) -> Table:
    collection = read_collection(name)
    articles = split_articles(collection)
    client = connect()
    entries = ExperimentIndex(client).ensure(collection.articles, [SpanLengths()], []).entries
    gold = [
        Outcome(citance, articles[citance.article_id], ()).gold_sentences
        for citance in collection.citances
    ]
    table = Table("model", *(f"{depth:,}" for depth in _DEPTHS), title=name)
    for model in models:

        def request(citance: Citance, model=model):  # type: ignore[no-untyped-def]
            terms = parse("baseline").terms(citance.text, Context())
            return request_candidates(entries[citance.article_id], terms, model, _DEPTHS[-1])

        found = list(search_many(client, [request(one) for one in collection.citances]))
        recalls = []
        for depth in _DEPTHS:
            hits = sum(
                len(marked & {span.first_sentence for span in spans[:depth]})
                for marked, spans in zip(gold, found, strict=True)
            )
            recalls.append(hits / sum(map(len, gold)))
        table.add_row(model.name, *(f"{one:.3f}" for one in recalls))
    return table


if __name__ == "__main__":
    main()

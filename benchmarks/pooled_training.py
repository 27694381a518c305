"""Whether one ranker trained on several collections is as good as one trained on each.

`python -m benchmarks.pooled_training FORMAT:PATH FORMAT:PATH` cross-validates a ranker on each
collection alone, and one on all of them together, whose figures are then given for the topics of
each collection. Probabilities are fitted to the other folds of the collection in both cases.
"""

import argparse
import json

from rich.console import Console
from rich.table import Table

from citespan.pipelines.evaluation.read_collection import read_collection, split_articles
from citespan.pipelines.training.ranker_examples import make_examples
from citespan.pipelines.training.ranker_figures import (
    Figures,
    cross_validate,
    measure_out_of_fold,
)
from citespan.pipelines.training.ranker_fitting import score_out_of_fold

_MEASURES = ("sentence_f1_micro", "success_1", "mrr_10")


def main() -> None:
    """Train, measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collections", nargs="+", metavar="FORMAT:PATH")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    read = [read_collection(name) for name in arguments.collections]
    articles = [split_articles(one) for one in read]
    citances = [one.citances for one in read]
    pooled = make_examples(
        {name: article for some in articles for name, article in some.items()},
        [citance for some in citances for citance in some],
    )
    scored = iter(score_out_of_fold(pooled))
    found: dict[str, dict[str, Figures]] = {}
    for name, own, some in zip(arguments.collections, articles, citances, strict=True):
        data = make_examples(own, some)
        theirs = [next(scored) for _ in data.examples]
        found[name] = {
            "alone": cross_validate(own, some),
            "pooled": measure_out_of_fold(own, some, data, theirs),
        }
    rows = [
        {
            "collection": name,
            "trained": trained,
            **{one: figures.scores["ranker"][one].value for one in _MEASURES},
        }
        for name, both in found.items()
        for trained, figures in both.items()
    ]
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    table = Table(*rows[0], title="The ranker out of fold")
    for row in rows:
        table.add_row(
            *(f"{one:.3f}" if isinstance(one, float) else str(one) for one in row.values())
        )
    Console().print(table)


if __name__ == "__main__":
    main()

"""Whether features of concepts in common with the query make a better ranker.

`python -m benchmarks.concept_features FORMAT:PATH --vocabulary FOLDER` cross-validates a ranker on
a collection as it is trained for citespan, and once more with a family of features of the concepts
of a vocabulary that both the query and a sentence name, in whatever words.
"""

import argparse
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from citespan.pipelines.evaluation.read_collection import read_collection, split_articles
from citespan.pipelines.ranking import model
from citespan.pipelines.ranking.analysed_article import AnalysedArticle, Floats
from citespan.pipelines.ranking.features.families import FAMILIES, feature_names
from citespan.pipelines.ranking.features.family import Family
from citespan.pipelines.ranking.pair import Pair
from citespan.pipelines.ranking.query_parts import Contents, find_matcher
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.training.ranker_figures import Figures, cross_validate

_MEASURES = ("sentence_f1_micro", "success_1", "mrr_10")
_NAMES = ("shared_concepts", "shared_concepts_share", "shared_concepts_idf")


class _Concepts:
    """The concepts of queries and articles."""

    def __init__(self, vocabulary: Path) -> None:
        matcher = find_matcher(Options(vocabulary=vocabulary))
        assert matcher is not None
        self._matcher = matcher
        self._in_article = lru_cache(None)(self._find_in_article)
        self.queries = self.with_concepts = 0

    def _find_in_article(self, article: AnalysedArticle) -> Sequence[frozenset[int]]:
        return [Contents.of(text, self._matcher).concepts for text in article.texts]

    def compute(self, pair: Pair) -> Sequence[Floats | float]:
        """Return the features: how many concepts of the query a sentence names, the share of them
        that this is, and the same weighted by their idf among the sentences."""
        asked = sorted(Contents.of(pair.query.text, self._matcher).concepts)
        self.queries += 1
        self.with_concepts += bool(asked)
        named = self._in_article(pair.article)
        there = np.array([[one in some for one in asked] for some in named], dtype=np.float64)
        there = there.reshape(len(named), len(asked))
        idf = np.log1p((len(named) - there.sum(axis=0) + 0.5) / (there.sum(axis=0) + 0.5))
        shared = there.sum(axis=1)
        return [shared, shared / max(len(asked), 1), there @ idf / max(idf.sum(), 1e-9)]


def main() -> None:
    """Train, measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(
        "benchmarks.concept_features",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("collection", metavar="FORMAT:PATH")
    parser.add_argument("--vocabulary", type=Path, required=True, help="as `vocabulary build` made")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    read = read_collection(arguments.collection)
    articles = split_articles(read)
    concepts = _Concepts(arguments.vocabulary)
    found: dict[str, Figures] = {"none": cross_validate(articles, read.citances)}
    FAMILIES["concepts"] = Family("concepts", "concepts in common", _NAMES, concepts.compute)
    model._PLACES.update({name: place for place, name in enumerate(feature_names(FAMILIES))})
    found["concepts"] = cross_validate(articles, read.citances)
    rows = [
        {
            "features added": added,
            **{one: figures.scores["ranker"][one].value for one in _MEASURES},
        }
        for added, figures in found.items()
    ]
    if arguments.json:
        share = concepts.with_concepts / concepts.queries
        print(json.dumps({"queries_with_concepts": share, "rows": rows}, indent=1))
        return
    table = Table(*rows[0], title="The ranker out of fold")
    for row in rows:
        table.add_row(
            *(f"{one:.3f}" if isinstance(one, float) else str(one) for one in row.values())
        )
    Console().print(table)


if __name__ == "__main__":
    main()

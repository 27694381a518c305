"""How well the support of articles tells what citations are about: real ones, of a linked corpus.

Run as `python -m studies.linked_doubt` where `citespan link` has run, as over articles of PubMed
Central. Each linked citation is asked of the article that its authors cite, of some random others,
and of the one, of those that the two are not, that is most similar to it by BM25 over all articles.
No ranker has been trained on these.
"""

import argparse
import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
from elasticsearch import Elasticsearch
from elasticsearch.helpers import scan
from rich.console import Console
from rich.progress import track
from rich.table import Table

from citespan import search
from citespan.deploy.client import connect
from citespan.es_mappings import links
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.doubt_figures import describe_support
from citespan.pipelines.ranking.ranker import find_ranker
from citespan.pipelines.requests import SearchAll
from citespan.pipelines.retrieval.article_search import ArticleFilter, search_articles
from citespan.pipelines.store.catalogue import Catalogue

_RANDOM = 5
_SIMILAR = 4  # of which two may be the citing and the cited article


def main() -> None:
    """Ask, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranker", default="evidence")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    ranker = find_ranker(arguments.ranker)
    if ranker is None:
        raise InputError("--ranker none has no doubt")
    client = connect()
    ids = sorted(version.entry.article for version in Catalogue(client).scan(["article"]))
    generator = random.Random(0)
    right, wrong, hardest = list[float](), list[float](), list[float]()
    for link in track(list(read_links(client)), "asking", console=Console(stderr=True)):
        own = {link["citing"], link["cited"]}
        others = generator.sample(
            [identifier for identifier in ids if identifier not in own], _RANDOM
        )
        asked = [link["cited"], *others, _find_similar(client, link["query"], own)]
        first, *random_ones, most_similar = (
            search(link["query"], article=article, ranker=arguments.ranker, client=client).support
            for article in asked
        )
        right.append(first)
        wrong += random_ones
        hardest.append(most_similar)
    repeated = np.repeat(right, _RANDOM)
    figures = describe_support(
        repeated,
        {"random": np.array(wrong), "hardest": np.repeat(hardest, _RANDOM)},
        np.full(len(repeated), ranker.threshold),
    )
    if arguments.json:
        print(json.dumps({"citations": len(right), "threshold": ranker.threshold, **figures}))
        return
    table = Table("article asked", "told apart (AUROC)", "found", title=f"{len(right)} links")
    table.add_row("the cited one", "", f"{1 - figures['right_below_threshold']:.1%}")
    for kind, area in figures["auroc"].items():
        below = figures["wrong_below_threshold"][kind]
        table.add_row(f"{kind} other", f"{area:.3f}", f"{1 - below:.1%}")
    Console().print(table)


def read_links(client: Elasticsearch) -> Iterator[dict[str, Any]]:
    """Return the documents of all links, in the order of their ids.

    Raises:
        InputError: if no citation is linked.
    """
    client.indices.refresh(index=links.INDEX)
    found = sorted(scan(client, index=links.INDEX), key=lambda hit: str(hit["_id"]))
    if not found:
        raise InputError("no citation is linked; run `citespan link`")
    return (hit["_source"] for hit in found)


def _find_similar(client: Elasticsearch, query: str, without: set[str]) -> str:
    request = SearchAll().make_corpus_request(query)
    catalogue, similar = Catalogue(client), ArticleFilter(full_texts=True)
    found = search_articles(catalogue, request.searched, similar, _SIMILAR)
    return next(
        str(article.entry.article) for article in found if article.entry.article not in without
    )


if __name__ == "__main__":
    main()

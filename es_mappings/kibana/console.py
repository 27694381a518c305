"""A page of requests for Kibana's console: ad-hoc querying of the span indices.

Each request stands on its own, as `METHOD path` and an indented body, with a comment above it.
"""

import json
from collections.abc import Iterable
from typing import Any

from citespan.es_mappings import articles
from citespan.es_mappings.index_name import ALL_SPANS
from citespan.es_mappings.similarity import Similarity
from citespan.es_mappings.synonyms import UMLS

_SHOWN = ["article", "first_sentence", "last_sentence", "section", "text"]


def console_page(model_names: Iterable[str], article: str, words: str) -> str:
    """The page.

    Args:
        model_names: of all retrieval models; each must be among those the article is indexed
            for, or its request finds nothing.
        article: the id that the examples ask for.
        words: what they search for.
    """
    requests: list[tuple[str, str, dict[str, Any]]] = [
        (
            "Which articles are loaded, for which models",
            f"GET {articles.INDEX}/_search",
            {"query": {"match_all": {}}, "sort": ["article"], "size": 100},
        )
    ]
    for name in model_names:
        field = Similarity(name, {}).field
        requests.append(
            (
                f"The best spans of one article, scored by {name}",
                f"GET {ALL_SPANS}/_search",
                {"_source": _SHOWN, "query": _in_article(article, {"match": {field: words}})},
            )
        )
    umls = {"match": {f"text.{UMLS}": words}}
    requests += [
        (
            "The same with the synonyms of its concepts, if it was indexed with --vocabulary",
            f"GET {ALL_SPANS}/_search",
            {"_source": _SHOWN, "query": _in_article(article, umls)},
        ),
        (
            "Spans of all articles, with the matches marked",
            f"GET {ALL_SPANS}/_search",
            {
                "_source": _SHOWN,
                "query": {"match": {"text": words}},
                "highlight": {"fields": {"text": {"number_of_fragments": 0}}},
            },
        ),
        (
            "Why the best span scores what it scores",
            f"GET {ALL_SPANS}/_search",
            {
                "size": 1,
                "explain": True,
                "query": _in_article(article, {"match": {"text": words}}),
            },
        ),
        (
            "The sentences of one article in order",
            f"GET {ALL_SPANS}/_search",
            {
                "size": 1000,
                "_source": _SHOWN,
                "query": {
                    "bool": {"filter": [{"term": {"article": article}}, {"term": {"length": 1}}]}
                },
                "sort": ["first_sentence"],
            },
        ),
        (
            "All spans of one article in order",
            f"GET {ALL_SPANS}/_search",
            {
                "size": 1000,
                "_source": _SHOWN,
                "query": {"bool": {"filter": [{"term": {"article": article}}]}},
                "sort": ["first_sentence", "last_sentence"],
            },
        ),
        (
            "How many spans each section has",
            f"GET {ALL_SPANS}/_search",
            {
                "size": 0,
                "query": {"bool": {"filter": [{"term": {"article": article}}]}},
                "aggs": {"sections": {"terms": {"field": "section", "size": 100}}},
            },
        ),
    ]
    parts = [
        f"# {comment}\n{line}\n{json.dumps(body, indent=2, ensure_ascii=False)}\n"
        for comment, line, body in requests
    ]
    return "\n".join(parts)


def _in_article(article: str, query: dict[str, Any]) -> dict[str, Any]:
    return {"bool": {"must": [query], "filter": [{"term": {"article": article}}]}}

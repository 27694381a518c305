"""A page of requests for Kibana's console: ad-hoc querying of spans, citations and links.

Each request stands on its own, as `METHOD path` and an indented body, with a comment above it.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from citespan.es_mappings import articles, citations, links
from citespan.es_mappings.index_name import ALL_SPANS
from citespan.es_mappings.similarity import Similarity
from citespan.es_mappings.synonyms import UMLS

_SHOWN = ["article", "first_sentence", "last_sentence", "section", "text"]


def make_console_page(model_names: Iterable[str], article: str, words: str) -> str:
    """Return the page.

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
    requests += _ask_about_citations(article, words)
    parts = [
        f"# {comment}\n{line}\n{json.dumps(body, indent=2, ensure_ascii=False)}\n"
        for comment, line, body in requests
    ]
    return "\n".join(parts)


def _ask_about_citations(article: str, words: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield what people ask about citations and links: comment, method and path, body."""
    supported = {"term": {"verdict": "supported"}}
    search = f"GET {links.INDEX}/_search"
    yield (
        "The sentences that are cited most, each as ARTICLE#NUMBER, with one of the passages",
        search,
        {
            "size": 0,
            "query": {"bool": {"filter": [supported]}},
            "aggs": {
                "sentences": {
                    "terms": {"field": "sentences", "size": 20},
                    "aggs": {
                        "passage": {"top_hits": {"size": 1, "_source": ["passages.text", "cited"]}}
                    },
                }
            },
        },
    )
    yield (
        "What one article is cited for: by whom, in which words, and the passages",
        search,
        {
            "size": 100,
            "_source": ["citing", "section", "query", "support", "passages.text"],
            "query": {"bool": {"filter": [{"term": {"cited": article}}]}},
            "sort": [{"support": "desc"}],
        },
    )
    yield (
        "Citations without evidence in the article cited, the most doubtful first",
        search,
        {
            "size": 100,
            "_source": ["citing", "cited", "verdict", "support", "query"],
            "query": {"bool": {"must_not": [supported]}},
            "sort": [{"support": "asc"}],
        },
    )
    yield (
        "The articles that are cited most, and how their citations are judged",
        search,
        {
            "size": 0,
            "aggs": {
                "cited": {
                    "terms": {"field": "cited", "size": 20},
                    "aggs": {"verdicts": {"terms": {"field": "verdict"}}},
                }
            },
        },
    )
    yield (
        "Citing sentences about something, of all articles, with what they cite",
        f"GET {citations.INDEX}/_search",
        {
            "_source": ["article", "section", "text", "marker", "author", "year", "title", "doi"],
            "query": {"match": {"text": words}},
        },
    )
    yield (
        "The first authors that are cited most, indexed or not, and by how many articles",
        f"GET {citations.INDEX}/_search",
        {
            "size": 0,
            "aggs": {
                "authors": {
                    "terms": {"field": "author", "size": 20},
                    "aggs": {"articles": {"cardinality": {"field": "article"}}},
                }
            },
        },
    )


def _in_article(article: str, query: dict[str, Any]) -> dict[str, Any]:
    return {"bool": {"must": [query], "filter": [{"term": {"article": article}}]}}

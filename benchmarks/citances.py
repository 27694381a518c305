"""Sentences of articles, which stand for citances of them: as long, and about them."""

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.retrieval.search import search
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.layout import layout_of
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters

_FEWEST_TERMS = 5
_WARM_UP = 100


def jats_articles(folder: Path) -> Iterator[Article]:
    """The articles of a folder of JATS files."""
    reader = readers["jats"]
    for unit in reader.find(folder):
        yield from (reading for reading in reader.read(unit) if isinstance(reading, Article))


def requests_on(
    client: Elasticsearch, articles: Sequence[Article], count: int
) -> list[SearchRequest]:
    """Searches in indexed articles, each by a random sentence of the article."""
    entries: Mapping[str, ArticleEntry] = Catalogue(client).entries(
        [article.id for article in articles]
    )
    generator = random.Random(0)
    requests: list[SearchRequest] = []
    while len(requests) < count:
        article = generator.choice(articles)
        sentence = generator.choice(split_article(article, splitters[DEFAULT]))
        citance = article.text[sentence.start : sentence.end]
        terms = parse("baseline").terms(citance, Context())
        if len(terms) >= _FEWEST_TERMS:
            requests.append(SearchRequest(entries[article.id], terms, models["vsm"]))
    return requests


def latencies(client: Elasticsearch, requests: Sequence[SearchRequest]) -> list[float]:
    """The seconds that each search takes, on a warm server."""
    for request in requests[:_WARM_UP]:
        search(client, request)
    found = []
    for request in requests:
        started = time.perf_counter()
        search(client, request)
        found.append(time.perf_counter() - started)
    return found


def draw_words(
    client: Elasticsearch, entry: ArticleEntry, terms: int, generator: random.Random
) -> str:
    """Return the words of an article from a random sentence on, up to so many terms; "" if there
    are fewer."""
    [documents] = layout_of(entry).reader.read_articles(client, [entry])
    texts = [str(document["text"]).strip() for document in documents.values()]
    words = " ".join(texts[generator.randrange(len(texts)) :]).split()
    begun = (" ".join(words[:size]) for size in range(terms, len(words)))
    enough = (text for text in begun if len(parse("baseline").terms(text, Context())) >= terms)
    return next(enough, "")


def percentiles(seconds: Sequence[float]) -> tuple[float, float]:
    """The median and the 99th percentile, in milliseconds."""
    p50, p99 = np.percentile(np.array(seconds) * 1000, [50, 99])
    return float(p50), float(p99)

"""What queries find with an article's own synonym rules, beside those of the whole vocabulary.

The same sentences are searched for in two indices of the same article. None may find less; one
may find more where the whole vocabulary has a longer term that Lucene takes first
(`pipelines/indexing/documents/synonym_rules.py`).
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from elasticsearch import Elasticsearch, helpers

from benchmarks.row import Row
from citespan.es_mappings import spans
from citespan.es_mappings.index_name import CITESPAN, edition
from citespan.es_mappings.synonyms import UMLS, SynonymRule
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.indexing.documents.synonym_rules import ConceptSynonyms
from citespan.pipelines.retrieval.model import similarities
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters

_ARTICLES = 6
_QUERIES = 50  # an article's
_SEED = 2015
_FIELDS = similarities([])


def compared(
    client: Elasticsearch, synonyms: ConceptSynonyms, articles: Sequence[Article]
) -> list[Row]:
    """One row: how many queries found the same, more, and less."""
    chance = random.Random(_SEED)
    texts = [_sentences(article) for article in articles]
    every = [sentence for some in texts for sentence in some]
    whole = synonyms.all_rules()
    counts: Counter[str] = Counter()
    for article, its in list(zip(articles, texts, strict=True))[:_ARTICLES]:
        own = synonyms.rules_for(article.text)
        with _index(client, "own", own, its) as mine, _index(client, "whole", whole, its) as all_:
            for query in chance.sample(every, _QUERIES):
                found, expected = (_found(client, index, query) for index in (mine, all_))
                less, more = expected - found, found - expected
                counts["less" if less else "more" if more else "same"] += 1
    return [
        Row(
            "sentences searched for, with an article's own rules",
            f"{counts['same']} find the same, {counts['more']} more, {counts['less']} less",
            f"{len(whole)} rules of the whole vocabulary",
            wanted="none less",
        )
    ]


def _sentences(article: Article) -> list[str]:
    found = split_article(article, splitters[DEFAULT])
    return [article.text[sentence.start : sentence.end] for sentence in found]


@contextmanager
def _index(
    client: Elasticsearch, name: str, rules: Sequence[SynonymRule], texts: Sequence[str]
) -> Iterator[str]:
    index = CITESPAN.own_index("spans", edition("bench", name))
    client.indices.create(
        index=index, mappings=spans.mapping(_FIELDS, True), settings=spans.settings(_FIELDS, rules)
    )
    documents = ({"_id": str(at), "text": text} for at, text in enumerate(texts))
    helpers.bulk(client, documents, index=index, refresh=True)
    try:
        yield index
    finally:
        client.indices.delete(index=index)


def _found(client: Elasticsearch, index: str, query: str) -> set[str]:
    hits = client.search(
        index=index, query={"match": {f"text.{UMLS}": query}}, size=10_000, source=False
    )
    return {hit["_id"] for hit in hits["hits"]["hits"]}

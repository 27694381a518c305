"""The naive way to load the same spans: one index at a time, Elasticsearch's default settings,
all four models' fields, `helpers.bulk` with its defaults. Same reader, splitter, analysis and
documents.

Run as `python -m benchmarks.naive_loader FOLDER`; prints the number of articles and spans.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elasticsearch import helpers

from citespan.deploy.client import connect
from citespan.es_mappings import spans
from citespan.es_mappings.analysis import analysis
from citespan.es_mappings.index_name import CITESPAN, edition
from citespan.es_mappings.spans import ALL_SPANS
from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.indexing.documents.windows import SpanLengths, windows
from citespan.pipelines.retrieval.model import models, similarities
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters


def main() -> None:
    """Load a folder of JATS files."""
    client = connect()
    reader = readers["jats"]
    counts = {"articles": 0, "spans": 0}
    for unit in reader.find(Path(sys.argv[1])):
        for article in reader.read(unit):
            assert isinstance(article, Article)
            split = split_article(article, splitters[DEFAULT])
            index = CITESPAN.own_index("spans", edition(article.id, "naive"))
            client.indices.create(index=index, mappings=_mapping(), settings=_settings())
            written, _ = helpers.bulk(client, _documents(article, split), index=index)
            counts["articles"] += 1
            counts["spans"] += written
    client.indices.refresh(index=ALL_SPANS)
    print(json.dumps(counts))


def _mapping() -> dict[str, Any]:
    fields = spans.mapping(similarities(models.names()))["properties"]
    return {"properties": {"text": fields["text"]}}


def _settings() -> dict[str, Any]:
    similarity = {s.name: dict(s.settings) for s in similarities(models.names())}
    return {"index": {"similarity": similarity, "analysis": analysis()}}


def _documents(article: Article, split: tuple[Sentence, ...]) -> Iterator[dict[str, Any]]:
    for first, last in windows(len(split), SpanLengths()):
        start, end = split[first].start, split[last].end
        section = [s for s in article.sections if s.start <= start][-1]
        yield {
            "_id": f"{first}-{last}",
            "article": article.id,
            "section": section.title or section.kind.capitalize(),
            "first_sentence": first,
            "last_sentence": last,
            "length": last - first + 1,
            "start": start,
            "end": end,
            "text": article.text[start:end],
        }


if __name__ == "__main__":
    main()

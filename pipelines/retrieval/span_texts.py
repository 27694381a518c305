"""The texts of spans, from either layout."""

from collections.abc import Sequence

from elasticsearch import Elasticsearch
from elasticsearch.dsl import Search
from elasticsearch.dsl.query import Ids

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.spans import span_id
from citespan.pipelines.indexing.documents.joints import span_text
from citespan.pipelines.indexing.sentence_texts import sentences
from citespan.pipelines.retrieval.merge import ScoredSpan


def span_texts(
    client: Elasticsearch, entry: ArticleEntry, spans: Sequence[ScoredSpan]
) -> list[str]:
    """The text of each span.

    Raises:
        CitespanError: if a sentence is gone.
    """
    if entry.layout == "sentences":
        numbers = [range(one.first_sentence, one.last_sentence + 1) for one in spans]
        [texts] = sentences(client, [(entry, [n for some in numbers for n in some])])
        return ["".join(str(texts[n]["text"]) for n in some).rstrip() for some in numbers]
    ids = [span_id(span.first_sentence, span.last_sentence) for span in spans]
    body = Search().query(Ids(values=ids)).source(["text", "joints"]).extra(size=len(ids))
    hits = client.search(index=entry.index, **body.to_dict())["hits"]["hits"]
    found = {hit["_id"]: span_text(hit["_source"]) for hit in hits}
    return [found[identifier] for identifier in ids]

"""Span indices: one for each reference article, a document for each span.

One index per article makes document frequencies the article's own (paper A, section 2.1).

What each field keeps, and why:

- `text`: indexed with positions (phrases need them) and norms (all models need lengths); the
  other models' fields are sub-fields of it, made only for the models asked for, since each one
  costs as much as `text` itself.
- `text.umls`: the same as `text`, with queries expanded by the synonyms of the article's
  concepts; made only with a vocabulary. Quoted text is not expanded (`es_mappings/synonyms.py`).
- `article`: a keyword, so that a search over all span indices can be narrowed to one article.
- `section`: a keyword, for filters and counts in Kibana.
- `first_sentence`, `last_sentence`: doc values to sort by, which breaks ties the same way on
  every run; a filter on them works on the doc values, so they are not indexed.
- `length`: indexed, to look at spans of one length only.
- `start`, `end`: only read with the span: neither indexed nor doc values.
- `joints`: where a space was put between sentences that have none; only read with the span
  (`pipelines/layouts/spans/missing_spaces.py`).
- `white_space`: what stands between a span of one sentence and the next sentence, unless it is one
  space, so that an article can be put together from its single sentences.
- `_source`: kept whole, for looking around. The default codec makes it larger than the best one,
  by a third, but a ranker reads articles faster.
"""

from collections.abc import Iterable
from typing import Any

from elasticsearch.dsl import Document, Integer, Keyword, Short, Text, mapped_field

from citespan.es_mappings.analysis import ANALYZER, SYNONYM_ANALYZER, analysis
from citespan.es_mappings.index_body import loaded_index_settings, strict_mapping
from citespan.es_mappings.index_name import CITESPAN
from citespan.es_mappings.similarity import MAIN, Similarity
from citespan.es_mappings.synonyms import UMLS, SynonymRule, synonym_analysis

VERSION = 5
LAYOUT = "spans"
SPANS_PREFIX = CITESPAN.own_index(LAYOUT, "")
ALL_SPANS = CITESPAN.own_index(LAYOUT, "*")


class Span(Document):
    """One to five consecutive sentences of an article, with the vector-space field only."""

    article: str = mapped_field(Keyword())
    section: str = mapped_field(Keyword(ignore_above=1024))
    first_sentence: int = mapped_field(Integer(index=False))
    last_sentence: int = mapped_field(Integer(index=False))
    length: int = mapped_field(Short(doc_values=False))
    start: int = mapped_field(Integer(index=False, doc_values=False))
    end: int = mapped_field(Integer(index=False, doc_values=False))
    joints: list[int] = mapped_field(Integer(index=False, doc_values=False))
    white_space: str = mapped_field(Keyword(index=False, doc_values=False))
    text: str = mapped_field(Text(analyzer=ANALYZER, similarity=MAIN))


def mapping(similarities: Iterable[Similarity], with_synonyms: bool = False) -> dict[str, Any]:
    """The mapping, with a sub-field of `text` for each similarity but the vector space, and one
    for queries that are to be expanded by synonyms."""
    body = strict_mapping(Span, VERSION)
    fields: dict[str, Any] = {
        similarity.name: {"type": "text", "analyzer": ANALYZER, "similarity": similarity.name}
        for similarity in similarities
        if similarity.name != MAIN
    }
    if with_synonyms:
        fields[UMLS] = {
            "type": "text",
            "analyzer": ANALYZER,
            "search_analyzer": SYNONYM_ANALYZER,
            "search_quote_analyzer": ANALYZER,
            "similarity": MAIN,
        }
    if fields:
        body["properties"]["text"]["fields"] = fields
    return body


def settings(
    similarities: Iterable[Similarity], synonyms: Iterable[SynonymRule] | None = None
) -> dict[str, Any]:
    """The settings.

    Args:
        synonyms: the rules of the article's concepts; None where there is no vocabulary.
    """
    with_synonyms = {} if synonyms is None else synonym_analysis(synonyms)
    return loaded_index_settings(
        similarity={similarity.name: dict(similarity.settings) for similarity in similarities},
        analysis={
            part: things | with_synonyms.get(part, {}) for part, things in analysis().items()
        },
    )


def span_id(first_sentence: int, last_sentence: int) -> str:
    """The document id of a span: the same on every load."""
    return f"{first_sentence}-{last_sentence}"

"""The catalogue: one index that knows which articles are loaded, and how.

An entry is written only after all spans of its article are, so an article without one is not
loaded, whatever an interrupted load has left behind.
"""

from typing import Any

from elasticsearch.dsl import Date, Document, Integer, Keyword, Text, mapped_field

from citespan.es_mappings.index_body import index_settings, strict_mapping

INDEX = "citespan-articles"
VERSION = 2


class ArticleEntry(Document):
    """How one article is loaded.

    `content` is the hash of all that was indexed of it; `index` is where its spans or sentences
    are; `shortest` and `longest` bound its spans, in sentences.

    In the layout `spans`, `models` are those with a field in the index, and `vocabulary` says
    whose synonyms `text.umls` has, "" for none. In the layout `sentences`, `edition` is what its
    sentences are found by, and `lengths` are theirs, in terms.
    """

    article: str = mapped_field(Keyword())
    also_known_as: list[str] = mapped_field(Keyword())
    title: str = mapped_field(Text())
    source: str = mapped_field(Keyword(index=False, doc_values=False))
    content: str = mapped_field(Keyword(index=False, doc_values=False))
    layout: str = mapped_field(Keyword())
    index: str = mapped_field(Keyword())
    mapping_version: int = mapped_field(Integer())
    models: list[str] = mapped_field(Keyword())
    vocabulary: str = mapped_field(Keyword())
    edition: str = mapped_field(Keyword(doc_values=False))
    lengths: list[int] = mapped_field(Integer(index=False, doc_values=False))
    shortest: int = mapped_field(Integer(index=False))
    longest: int = mapped_field(Integer(index=False))
    characters: int = mapped_field(Integer(index=False))
    sentences: int = mapped_field(Integer(index=False))
    spans: int = mapped_field(Integer(index=False))
    loaded: str = mapped_field(Date())


def mapping() -> dict[str, Any]:
    """The mapping of the catalogue."""
    return strict_mapping(ArticleEntry, VERSION)


def settings() -> dict[str, Any]:
    """The settings of the catalogue."""
    return index_settings()

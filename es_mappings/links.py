"""Citations with what the cited article has for them: one document for each citation of an indexed
article by another.

The id of a document is made of the citing article and the citation, so linking again overwrites and
never doubles. A link counts only while the catalogue's entries of both articles have the hashes
that are in it: `citing_content` and `cited_content`.

`sentences` are the ids of the sentences of the passages, each as the article, "#" and the number of
the sentence, by which Kibana and Elasticsearch count how often each is cited.
"""

from typing import Any

from elasticsearch.dsl import (
    Date,
    Document,
    Float,
    InnerDoc,
    Integer,
    Keyword,
    Object,
    Text,
    mapped_field,
)

from citespan.es_mappings.analysis import ANALYZER, analysis
from citespan.es_mappings.index_body import COMPRESSED, loaded_index_settings, strict_mapping
from citespan.es_mappings.index_name import CITESPAN, slug

INDEX = CITESPAN.links
VERSION = 1


class PassageObject(InnerDoc):
    """A passage of the cited article; `start` and `end` are offsets into its text."""

    rank: int = mapped_field(Integer(index=False, doc_values=False))
    first_sentence: int = mapped_field(Integer(index=False, doc_values=False))
    last_sentence: int = mapped_field(Integer(index=False, doc_values=False))
    start: int = mapped_field(Integer(index=False, doc_values=False))
    end: int = mapped_field(Integer(index=False, doc_values=False))
    section: str = mapped_field(Keyword(ignore_above=1024))
    text: str = mapped_field(Text(analyzer=ANALYZER))
    probability: float = mapped_field(Float())


class LinkDocument(Document):
    """One citation of an indexed article.

    `citation`, `number`, `section`, `start`, `end`, `text`, `query` and `reference` are those of
    the citation; `found_by` says whether an identifier or the title has led to the cited article.
    `verdict` is "supported", "weak" or "none" by `support`, the probability that the article has
    evidence, against the `threshold` of the ranker.
    """

    citing: str = mapped_field(Keyword())
    citing_title: str = mapped_field(Text())
    cited: str = mapped_field(Keyword())
    cited_title: str = mapped_field(Text())
    citation: str = mapped_field(Keyword(doc_values=False))
    number: int = mapped_field(Integer(index=False))
    section: str = mapped_field(Keyword(ignore_above=1024))
    start: int = mapped_field(Integer(index=False, doc_values=False))
    end: int = mapped_field(Integer(index=False, doc_values=False))
    text: str = mapped_field(Text(analyzer=ANALYZER))
    query: str = mapped_field(Text(index=False))
    reference: str = mapped_field(Keyword(ignore_above=1024))
    found_by: str = mapped_field(Keyword())
    verdict: str = mapped_field(Keyword())
    support: float = mapped_field(Float())
    threshold: float = mapped_field(Float(index=False))
    sentences: list[str] = mapped_field(Keyword(multi=True))
    passages: list[PassageObject] = mapped_field(Object(PassageObject))
    ranker: str = mapped_field(Keyword())
    ranker_version: str = mapped_field(Keyword())
    citing_content: str = mapped_field(Keyword(index=False, doc_values=False))
    cited_content: str = mapped_field(Keyword(index=False, doc_values=False))
    linked: str = mapped_field(Date())


def mapping() -> dict[str, Any]:
    """The mapping."""
    return strict_mapping(LinkDocument, VERSION)


def settings() -> dict[str, Any]:
    """The settings."""
    return loaded_index_settings(**COMPRESSED, analysis=analysis())


def link_id(article: str, citation: str) -> str:
    """The document id of a link: the same on every run.

    Args:
        article: the one that cites.
        citation: the id of the citation in it.
    """
    return f"{slug(article)}:{citation}"

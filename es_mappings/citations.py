"""The citations of all articles: one document for each reference that a marker of a sentence cites.

Citations are written and deleted with the edition of the article that cites, and like its sentences
they count only if the catalogue names that edition. What is known of the reference is what
`pipelines/citations/resolution.py` needs to find the article that it names.

What each field keeps, and why:

- `edition`: what every reader filters by; indexed, no doc values.
- `article`, `section`, `pmid`, `pmcid`, `doi`, `author`, `year`, `journal`: for filters and counts
  in Kibana.
- `number`: doc values, to sort by: the place of the citation in the article.
- `text`, `title`: the sentence and the title of the reference, to be searched.
- `query`: what the citation says by itself: its clause without markers; only read.
"""

from typing import Any

from elasticsearch.dsl import Document, Integer, Keyword, Text, mapped_field

from citespan.es_mappings.analysis import ANALYZER, analysis
from citespan.es_mappings.index_body import COMPRESSED, loaded_index_settings, strict_mapping
from citespan.es_mappings.index_name import CITESPAN

INDEX = CITESPAN.citations
VERSION = 1


class CitationDocument(Document):
    """One citation of an article.

    `citation` is its id in the article; `start` and `end` are the offsets of the sentence,
    `marker_start` and `marker_end` those of the marker, into the article's text. `reference` is the
    key of the entry of the reference list, missing where the list has no such entry; `name` is what
    the marker calls it; `author` is the first.
    """

    edition: str = mapped_field(Keyword(doc_values=False))
    article: str = mapped_field(Keyword())
    number: int = mapped_field(Integer(index=False))
    citation: str = mapped_field(Keyword(doc_values=False))
    section: str = mapped_field(Keyword(ignore_above=1024))
    start: int = mapped_field(Integer(index=False, doc_values=False))
    end: int = mapped_field(Integer(index=False, doc_values=False))
    text: str = mapped_field(Text(analyzer=ANALYZER))
    query: str = mapped_field(Text(index=False))
    marker: str = mapped_field(Keyword(index=False, doc_values=False))
    marker_start: int = mapped_field(Integer(index=False, doc_values=False))
    marker_end: int = mapped_field(Integer(index=False, doc_values=False))
    name: str = mapped_field(Keyword(index=False, doc_values=False))
    reference: str = mapped_field(Keyword(ignore_above=1024))
    author: str = mapped_field(Keyword(ignore_above=1024))
    title: str = mapped_field(Text())
    year: int | None = mapped_field(Integer())
    journal: str = mapped_field(Keyword(ignore_above=1024))
    pmid: str = mapped_field(Keyword(ignore_above=1024))
    pmcid: str = mapped_field(Keyword(ignore_above=1024))
    doi: str = mapped_field(Keyword(ignore_above=1024))


def mapping() -> dict[str, Any]:
    """The mapping; documents without routing are refused."""
    return strict_mapping(CitationDocument, VERSION) | {"_routing": {"required": True}}


def settings() -> dict[str, Any]:
    """The settings."""
    return loaded_index_settings(**COMPRESSED, analysis=analysis())

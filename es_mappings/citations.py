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

from dataclasses import dataclass
from typing import Annotated, Any

from elasticsearch.dsl import Integer, Keyword, Text

from citespan.es_mappings.analysis import ANALYZER, analysis
from citespan.es_mappings.index_body import (
    COMPRESSED,
    count_shards,
    loaded_index_settings,
    record_mapping,
)
from citespan.es_mappings.index_name import CITESPAN

INDEX = CITESPAN.citations
VERSION = 2
ARTICLE_BYTES = 16_000
"""As in `es_mappings/articles.py`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCitation:
    """One citation of an article, which is also its document; what is not known is not in that.

    Attributes:
        number: its place among the citations of the article, from 0.
        citation: its id in the article.
        start, end, marker_start, marker_end: the offsets of the sentence and of the marker into the
            article's text.
        name: what the marker calls the entry of the reference list.
        reference: the key of that entry; None if the list has no such entry.
        author: the first.
    """

    edition: Annotated[str, Keyword(doc_values=False)]
    article: Annotated[str, Keyword()]
    number: Annotated[int, Integer(index=False)]
    citation: Annotated[str, Keyword(doc_values=False)]
    section: Annotated[str, Keyword(ignore_above=1024)]
    start: Annotated[int, Integer(index=False, doc_values=False)]
    end: Annotated[int, Integer(index=False, doc_values=False)]
    text: Annotated[str, Text(analyzer=ANALYZER)]
    query: Annotated[str, Text(index=False)]
    marker: Annotated[str, Keyword(index=False, doc_values=False)]
    marker_start: Annotated[int, Integer(index=False, doc_values=False)]
    marker_end: Annotated[int, Integer(index=False, doc_values=False)]
    name: Annotated[str, Keyword(index=False, doc_values=False)]
    reference: Annotated[str | None, Keyword(ignore_above=1024)] = None
    author: Annotated[str, Keyword(ignore_above=1024)] = ""
    title: Annotated[str, Text()] = ""
    year: Annotated[int | None, Integer()] = None
    journal: Annotated[str, Keyword(ignore_above=1024)] = ""
    pmid: Annotated[str, Keyword(ignore_above=1024)] = ""
    pmcid: Annotated[str, Keyword(ignore_above=1024)] = ""
    doi: Annotated[str, Keyword(ignore_above=1024)] = ""


def mapping() -> dict[str, Any]:
    """The mapping; documents without routing are refused."""
    return record_mapping(StoredCitation, VERSION) | {"_routing": {"required": True}}


def settings(articles: int = 0) -> dict[str, Any]:
    """The settings for the citations of so many articles."""
    shards = count_shards(articles, ARTICLE_BYTES)
    return loaded_index_settings(shards, **COMPRESSED, analysis=analysis())

"""Citances: what others say when they cite an article, one document for each article that is cited.

Searches of all articles find an article by these words as by its own text. Anchor texts serve web
search in the same way; for scientific articles, see A. Ritchie, S. Teufel, S. Robertson, "Using
terms from citations for IR: some first results", ECIR 2008.

All that is said of an article is one field of one document, since BM25 counts the terms of a field
together. It is no field of the catalogue's entry: that is written with the text of its article by a
load, and would have to be written again, text and all, whenever an article elsewhere cites it. So
loads and links never write the same document, and an article that is replaced keeps what others
say.

A document is made of the links to its article (`es_mappings/links.py`) and of nothing else, whole
each time. `links` and `linked`, their number and the mean of the times at which they were made,
tell whether it is up to date (`pipelines/indexing/writing/citances.py`).
"""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from elasticsearch.dsl import Double, Integer, Keyword, Text

from citespan.es_mappings.analysis import ANALYZER, analysis
from citespan.es_mappings.index_body import count_shards, loaded_index_settings, record_mapping
from citespan.es_mappings.index_name import CITESPAN

INDEX = CITESPAN.citances
VERSION = 1
ARTICLE_BYTES = 800
"""As in `es_mappings/links.py`, of articles of which a third is cited or more."""
TEXT: Final = "citances.text"
CITING: Final = "citances.citing"
KEYS: Final = ("citances.clause", "citances.sentence")


@dataclass(frozen=True, slots=True)
class Citance:
    """What one article says of another where it cites it.

    Attributes:
        citing: the id of the article that cites.
        text: the clause that the citation stands for, without markers.
        clause, sentence: keys of the clause and of the whole sentence, by which a search for
            either knows it again.
    """

    citing: Annotated[str, Keyword(doc_values=False)]
    text: Annotated[str, Text(analyzer=ANALYZER, index_options="freqs")]
    clause: Annotated[str, Keyword(doc_values=False)]
    sentence: Annotated[str, Keyword(doc_values=False)]


@dataclass(frozen=True, slots=True)
class ArticleCitances:
    """What others say of an article.

    Attributes:
        article: the id of the one that is cited.
        citances: in the order of the citing articles and their texts, none twice.
        articles: how many articles they are from.
        links: how many links to the article they were made of.
        linked: the mean of the times of these, in milliseconds since 1970.
    """

    article: Annotated[str, Keyword()]
    citances: tuple[Citance, ...]
    articles: Annotated[int, Integer(index=False)]
    links: Annotated[int, Integer(index=False)]
    linked: Annotated[float, Double(index=False)]


def mapping() -> dict[str, Any]:
    """The mapping."""
    return record_mapping(ArticleCitances, VERSION)


def settings(articles: int = 0) -> dict[str, Any]:
    """The settings for what is said of so many articles."""
    return loaded_index_settings(count_shards(articles, ARTICLE_BYTES), analysis=analysis())

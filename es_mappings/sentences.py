"""Sentence indices: shared by all articles, a document for each sentence.

Spans exist at query time only. A request asks for every term of the query by name, under a
similarity that returns how often it occurs; all that a retrieval model needs follows from that
and from the sentences' lengths, which the catalogue has
(`pipelines/retrieval/window_scores.py`).

Several indices may stand behind the alias `citespan-sentences`, each of several shards; an
article's sentences are all in one shard, by routing.

An *edition* is an article with a certain content. Searches ask for the edition that the
catalogue names, so that an article is replaced in one step: by writing its entry.

What each field keeps, and why:

- `text`: the sentence and the white space behind it, so that spans can be put together again.
  Indexed with positions (phrases need them) and without norms (lengths come from the catalogue).
- `edition`: what every search filters by; indexed, no doc values.
- `article`, `section`: keywords for filters and counts in Kibana.
- `number`: doc values, to sort by.
- `start`, `end`: only read with the sentence: neither indexed nor doc values.
- `_source`: kept whole, by the default codec: a search without a ranker reads single sentences, for
  each of which the best codec unpacks a block of 240 kB. `deploy/sizing.md` has both.
"""

from typing import Any

from elasticsearch.dsl import Document, Integer, Keyword, Text, mapped_field

from citespan.es_mappings.analysis import ANALYZER, analysis
from citespan.es_mappings.index_body import loaded_index_settings, strict_mapping
from citespan.es_mappings.index_name import CITESPAN

VERSION = 2
LAYOUT = "sentences"
SENTENCES = CITESPAN.shared(LAYOUT)
ARTICLE_BYTES = 40_000
"""As in `es_mappings/articles.py`."""
FREQUENCY = "frequency"
"""The similarity by which a term scores how often it occurs, times its boost."""


class SentenceDocument(Document):
    """One sentence of an article."""

    edition: str = mapped_field(Keyword(doc_values=False))
    article: str = mapped_field(Keyword())
    section: str = mapped_field(Keyword(ignore_above=1024))
    number: int = mapped_field(Integer(index=False))
    start: int = mapped_field(Integer(index=False, doc_values=False))
    end: int = mapped_field(Integer(index=False, doc_values=False))
    text: str = mapped_field(Text(analyzer=ANALYZER, similarity=FREQUENCY, norms=False))


def mapping() -> dict[str, Any]:
    """The mapping; documents without routing are refused."""
    return strict_mapping(SentenceDocument, VERSION) | {"_routing": {"required": True}}


def settings(shards: int = 1) -> dict[str, Any]:
    """The settings of one of the indices."""
    script = {"source": "return query.boost * doc.freq;"}
    return loaded_index_settings(
        shards, similarity={FREQUENCY: {"type": "scripted", "script": script}}, analysis=analysis()
    )

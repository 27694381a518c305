"""The catalogue: one index that knows which articles are loaded, and how.

An entry is written only after all spans of its article are, so an article without one is not
loaded, whatever an interrupted load has left behind.

The entry also has the whole text of its article, indexed and nothing else, so that one search finds
the articles that a citing sentence may be about (`pipelines/retrieval/article_search.py`): in
either layout, by document frequencies of the whole corpus, and never an edition that the catalogue
does not name. Only frequencies and lengths are indexed, which BM25 needs; positions would double
the size.
"""

from bisect import bisect_right
from typing import Any, Self

from elasticsearch.dsl import Date, Document, InnerDoc, Integer, Keyword, Object, Text, mapped_field

from citespan.es_mappings.analysis import ANALYZER, GREEK_NAMES, analysis
from citespan.es_mappings.index_body import count_shards, index_settings, strict_mapping

INDEX = "citespan-articles"
VERSION = 12
TEXT = "text"
_OBJECTS = ("notices", "source")
_FOLDED = "folded"
_ORDER = Keyword(normalizer=_FOLDED, index=False, ignore_above=1024)
"""What titles are sorted by, whatever their case and accents."""
ARTICLE_BYTES = 22_000
"""What an article of PubMed Central takes on average, as in deploy/sizing.md."""


class Source(InnerDoc):
    """Where an article was read from.

    `corpus` is the load's name for the place; `unit` is the file, archive or folder there that is
    read as a whole, and `path` says as well where in it, as in "/a/b.tar!c.xml" or "/a/d.jsonl:3".
    `digest` is of the bytes there that became this content of the article, and of how they were
    read (`pipelines/indexing/reading/unchanged.py`); it is missing where they hold more than it.
    """

    corpus: str = mapped_field(Keyword())
    unit: str = mapped_field(Keyword(doc_values=False))
    path: str = mapped_field(Keyword(index=False, doc_values=False))
    digest: str = mapped_field(Keyword(doc_values=False))


class StoredNotice(InnerDoc):
    """What a later publication says of an article (`pipelines/corpus/notices.py`)."""

    kind: str = mapped_field(Keyword())
    by: str = mapped_field(Keyword(index=False, doc_values=False))


class ArticleEntry(Document):
    """How one article is loaded.

    `content` is the hash of all that was indexed of it; `index` is where its spans or sentences
    are; `shortest` and `longest` bound its spans, in sentences. Its `citations` are documents of
    their own (`es_mappings/citations.py`), of the same edition.

    The text is no part of it, since `_source` lacks it: whoever writes an entry gives both
    (`Catalogue.put`).

    `found_by` has the keys by which references are resolved (`pipelines/corpus/publication.py`);
    `authors`, `year`, `journal` and the three identifiers are missing where the format does not
    have them.

    Of an article with an index of its own, `models` are those with a field there, and `vocabulary`
    says whose synonyms `text.umls` has, "" for none. In shared indices, `edition` is what its
    sentences are found by, and `lengths` are theirs, in terms.

    `notices` are those of later publications. An article that is a notice itself has the kind of it
    in `notice`, and in `notice_of` the keys of the article that it is about.

    `pages` is missing where the format has none: of each stretch of the text, the offset that it
    begins at and the number of its page, one behind the other.
    """

    article: str = mapped_field(Keyword())
    also_known_as: list[str] = mapped_field(Keyword())
    title: str = mapped_field(Text(fields={"order": _ORDER}))
    authors: list[str] = mapped_field(Keyword(ignore_above=1024, multi=True))
    year: int | None = mapped_field(Integer())
    journal: str = mapped_field(Keyword(ignore_above=1024))
    pmid: str = mapped_field(Keyword())
    pmcid: str = mapped_field(Keyword())
    doi: str = mapped_field(Keyword(ignore_above=1024))
    notices: list[StoredNotice] = mapped_field(Object(StoredNotice, multi=True))
    notice: str = mapped_field(Keyword())
    notice_of: list[str] = mapped_field(Keyword(ignore_above=1024, doc_values=False, multi=True))
    found_by: list[str] = mapped_field(Keyword(ignore_above=1024, doc_values=False, multi=True))
    source: list[Source] = mapped_field(Object(Source, multi=True))
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
    citations: int = mapped_field(Integer(index=False))
    pages: list[int] = mapped_field(Integer(index=False, doc_values=False))
    loaded: str = mapped_field(Date())

    @classmethod
    def from_es(cls, hit: Any) -> Self:
        """Return the entry of a hit; its fields are as stored, except those that are objects here.

        The library looks up each field and reads the date, which takes ten times as long.
        """
        entry = super().from_es({**hit, "_source": {}})
        for name, value in hit["_source"].items():
            is_object = name in _OBJECTS
            entry[name] = cls._doc_type.mapping[name].deserialize(value) if is_object else value
        return entry

    def find_page(self, offset: int) -> int | None:
        """Return the page that an offset into the text is on; None if it has no pages."""
        pages = list(self.pages or ())
        at = bisect_right(pages[::2], offset) - 1
        return pages[2 * at + 1] if at >= 0 else None


def mapping() -> dict[str, Any]:
    """The mapping of the catalogue."""
    body = strict_mapping(ArticleEntry, VERSION)
    body["properties"][TEXT] = Text(analyzer=ANALYZER, index_options="freqs").to_dict()
    return body | {"_source": {"excludes": [TEXT]}}


def settings(articles: int = 0) -> dict[str, Any]:
    """The settings of the catalogue of so many articles."""
    folded = {"char_filter": [GREEK_NAMES], "filter": ["lowercase", "asciifolding"]}
    analysers = analysis() | {"normalizer": {_FOLDED: folded}}
    return index_settings(count_shards(articles, ARTICLE_BYTES), analysis=analysers)

"""The index of Medline abstracts: one for all, a document for each, its id the PMID.

Unlike an article's spans, abstracts compete with each other for a question, so they share an
index and its document frequencies. A document is written as a whole and is its own entry in the
catalogue: what a load must know of it (`content`, `version`, `revised`) is in its `_source`.

What each field keeps, and why:

- `title`, `text`: indexed with positions and norms, under BM25; `text` is the title, a blank
  line, the abstract, and what offsets refer to.
- `sentences`: those of the abstract, without the title's, as offsets into `text`, in order. `zone`
  is the sentence's zone, absent where it is not known; `zone_from` is "label" for that of a
  structured abstract's section and "model" for one that was predicted, with the `probability` of
  that. The zones are indexed, so that abstracts can be counted and filtered by them; offsets and
  probabilities are only read with the document.
- `zoned_by`: the model that predicted zones, absent where labels give them all; for counts.
- `sections`: labels and NLM's categories as in the record, for display; not indexed.
- `article`, `found_by`, `authors`, `journal`, `pmcid`, `doi`: as in the catalogue of articles
  (`es_mappings/articles.py`), by whose queries abstracts are found too; `article` is the PMID.
- `pmid`, `also_known_as`, `mesh`, `year`, `languages`, `publication_types`: for filters and counts
  in Kibana; `year` as a short, which sorts as well.
- `notices`, `notice`, `notice_of`: as in the catalogue of articles; searches leave out those with a
  `notice` that retracts or doubts another.
- `other_abstracts`: those in further languages, kept but not searched, since the analysis is
  English.
- `deleted`: true for a citation that Medline has deleted, which keeps what an older copy of it is
  compared with, and nothing that a search finds. Its `version` is that of the deletion, `revised`
  and `content` are those of what was deleted.
- `unit`: the file that the document was made of, as it was then, and the `place` in it, by which a
  load knows what it is still going to read; not indexed.
- `_source` is kept whole, under `best_compression` (zstd).
"""

from typing import Any

from elasticsearch.dsl import (
    Boolean,
    Date,
    Document,
    Float,
    InnerDoc,
    Integer,
    Keyword,
    Object,
    Short,
    Text,
    mapped_field,
)

from citespan.es_mappings.analysis import ANALYZER, analysis
from citespan.es_mappings.articles import StoredNotice
from citespan.es_mappings.index_body import COMPRESSED, loaded_index_settings, strict_mapping

INDEX = "citespan-abstracts"
ALL = f"{INDEX}*"
"""The pattern that matches all indices of abstracts."""
VERSION = 8


class AbstractSentence(InnerDoc):
    """One sentence of an abstract, as offsets into its `text`."""

    start: int = mapped_field(Integer(index=False, doc_values=False))
    end: int = mapped_field(Integer(index=False, doc_values=False))
    zone: str | None = mapped_field(Keyword())
    zone_from: str | None = mapped_field(Keyword())
    probability: float | None = mapped_field(Float(index=False, doc_values=False))


class AbstractDocument(Document):
    """One abstract; see the module's docstring."""

    pmid: str = mapped_field(Keyword())
    also_known_as: list[str] = mapped_field(Keyword(ignore_above=1024))
    title: str = mapped_field(Text(analyzer=ANALYZER))
    authors: list[str] = mapped_field(Keyword(ignore_above=1024, multi=True))
    journal: str = mapped_field(Keyword(ignore_above=1024))
    pmcid: str = mapped_field(Keyword())
    doi: str = mapped_field(Keyword(ignore_above=1024))
    found_by: list[str] = mapped_field(Keyword(ignore_above=1024, doc_values=False, multi=True))
    text: str = mapped_field(Text(analyzer=ANALYZER))
    sections: list[dict[str, Any]] = mapped_field(Object(enabled=False))
    sentences: list[AbstractSentence] = mapped_field(Object(AbstractSentence))
    zoned_by: str | None = mapped_field(Keyword())
    mesh: list[str] = mapped_field(Keyword(ignore_above=1024))
    year: int | None = mapped_field(Short())
    languages: list[str] = mapped_field(Keyword(ignore_above=1024))
    publication_types: list[str] = mapped_field(Keyword(ignore_above=1024))
    notices: list[StoredNotice] = mapped_field(Object(StoredNotice, multi=True))
    notice: str = mapped_field(Keyword())
    notice_of: list[str] = mapped_field(Keyword(ignore_above=1024, doc_values=False, multi=True))
    other_abstracts: list[dict[str, str]] = mapped_field(Object(enabled=False))
    deleted: bool | None = mapped_field(Boolean())
    unit: dict[str, Any] = mapped_field(Object(enabled=False))
    version: int = mapped_field(Integer(index=False, doc_values=False))
    revised: str = mapped_field(Keyword(index=False, doc_values=False))
    source: str = mapped_field(Keyword(index=False, doc_values=False))
    content: str = mapped_field(Keyword(index=False, doc_values=False))
    mapping_version: int = mapped_field(Integer())
    loaded: str = mapped_field(Date())


def mapping() -> dict[str, Any]:
    """The mapping of the index of abstracts."""
    body = strict_mapping(AbstractDocument, VERSION)
    body["properties"]["article"] = {"type": "alias", "path": "pmid"}
    return body


def settings() -> dict[str, Any]:
    """The settings."""
    return loaded_index_settings(**COMPRESSED, analysis=analysis())

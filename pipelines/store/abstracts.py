"""Abstracts as the catalogue shows them: each is an article that has a title and an abstract alone.

An abstract is its own entry: an `ArticleEntry` is made of its document when it is read, in the
layout `abstracts`, whose edition is the hash of its content. Only the index of abstracts that are
in no collection is read; a collection is searched alone.
"""

from collections.abc import Mapping
from typing import Any, Final

from citespan.es_mappings import abstracts
from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.store.layout import ABSTRACTS
from citespan.pipelines.store.paging import SentenceDocuments

READ: Final = (
    *("pmid", "also_known_as", "title", "authors", "year", "journal", "pmcid", "doi"),
    *("notices", "notice", "notice_of"),
    *("sentences.start", "sentences.end", "source", "content", "mapping_version"),
)
"""The fields of a document that an entry is made of."""
_LONGEST = 5
"""Sentences of the longest span: as many as articles have by default."""


def is_abstract(entry: ArticleEntry) -> bool:
    """Return whether an entry is of an abstract."""
    return bool(entry.layout == ABSTRACTS.name)


def make_entry(document: Mapping[str, Any]) -> ArticleEntry:
    """Return the entry of an abstract.

    Args:
        document: its fields `READ`.
    """
    title, sentences = document.get("title", ""), document.get("sentences", ())
    pmid = document["pmid"]
    source = {
        "article": pmid,
        "also_known_as": document.get("also_known_as", []),
        "title": title,
        "authors": document.get("authors", []),
        "year": document.get("year"),
        "journal": document.get("journal", ""),
        "pmid": pmid,
        "pmcid": document.get("pmcid", ""),
        "doi": document.get("doi", ""),
        "notices": document.get("notices", []),
        "notice": document.get("notice", ""),
        "notice_of": document.get("notice_of", []),
        "source": [{"path": document.get("source", "")}],
        "content": document["content"],
        "layout": ABSTRACTS.name,
        "index": abstracts.INDEX,
        "mapping_version": document["mapping_version"],
        "edition": document["content"],
        "shortest": 1,
        "longest": _LONGEST,
        "characters": sentences[-1]["end"] if sentences else len(title),
        "sentences": len(sentences) + bool(title),
        "spans": 0,
        "citations": 0,
    }
    return ArticleEntry.from_es({"_index": abstracts.INDEX, "_id": pmid, "_source": source})


def divide_document(document: Mapping[str, Any]) -> SentenceDocuments:
    """Return the title of an abstract and its sentences, as those of an article are stored.

    Args:
        document: its fields `title`, `text`, `sections` and `sentences`.
    """
    text, title = document["text"], document.get("title", "")
    sections = document.get("sections", ())
    places = [(0, len(title), "Title")] if title else []
    places += [
        (sentence["start"], sentence["end"], _name_section(sections, sentence["start"]))
        for sentence in document.get("sentences", ())
    ]
    ends = [*(start for start, _, _ in places[1:]), len(text)]
    return {
        number: {"start": start, "end": end, "section": section, "text": text[start:behind]}
        for number, ((start, end, section), behind) in enumerate(zip(places, ends, strict=True))
    }


def _name_section(sections: list[Mapping[str, Any]], start: int) -> str:
    """Return the heading of the section that an offset is in, as those of articles are nested."""
    labels = (
        section["label"] for section in sections if section["start"] <= start < section["end"]
    )
    return " / ".join(filter(None, ("Abstract", next(labels, ""))))

"""Articles as they are read from the index to be ranked: whole, and once for many queries."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.ranking.selection import Positions
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.store.layout import divide_by_layout, layout_of
from citespan.pipelines.store.paging import SentenceDocuments

_MOST_KEPT = 128

_kept: OrderedDict[tuple[str, str], "StoredArticle"] = OrderedDict()
_lock = Lock()


@dataclass(frozen=True, eq=False)
class StoredArticle:
    """An edition of an article of N sentences, which is the same as itself alone.

    Attributes:
        starts, ends: (N,), where the sentences are in the article's text, in characters.
    """

    sentences: ArticleSentences
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    @cached_property
    def positions(self) -> Positions:
        """Where the sentences stand, for selection."""
        return Positions.of(self.sentences)

    def text(self, first: int, last: int) -> str:
        """Return the text of sentences, both included; those outside the article are left out."""
        return "".join(self.sentences.texts[max(0, first) : last + 1]).rstrip()

    def text_beside(self, number: int, step: int) -> str:
        """Return the text of the sentence `step` from another; "" if that is of another section."""
        sections, beside = self.sentences.sections, number + step
        same = 0 <= beside < len(sections) and sections[beside] == sections[number]
        return self.text(beside, beside) if same else ""


def read_stored_articles(
    client: Elasticsearch, entries: Sequence[ArticleEntry]
) -> list[StoredArticle]:
    """Return the articles of entries; those used last are kept for the next call.

    An edition never changes, so what is kept is never out of date.

    Raises:
        ArticleGoneError: if an article's documents are gone.
        CitespanError: if its single sentences are not stored.
    """
    wanted = {(str(entry.index), str(entry.edition)): entry for entry in entries}
    with _lock:
        found = {key: _kept[key] for key in wanted if key in _kept}
    missing = divide_by_layout(
        (key for key in wanted if key not in found), lambda key: layout_of(wanted[key]).name
    )
    for keys in missing.values():
        reader = layout_of(wanted[keys[0]]).reader
        documents = reader.read_articles(client, [wanted[key] for key in keys])
        found |= {key: _store(read) for key, read in zip(keys, documents, strict=True)}
    with _lock:
        for key, article in found.items():
            _kept[key] = article
            _kept.move_to_end(key)
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return [found[str(entry.index), str(entry.edition)] for entry in entries]


def _store(documents: SentenceDocuments) -> StoredArticle:
    ordered = list(documents.values())
    return StoredArticle(
        ArticleSentences(
            tuple(str(document["text"]) for document in ordered),
            tuple(document["section"] for document in ordered),
        ),
        tuple(document["start"] for document in ordered),
        tuple(document["end"] for document in ordered),
    )

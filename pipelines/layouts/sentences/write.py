"""Writing articles of the layout `sentences`.

The indices behind its alias have as many shards as the expected articles need; each article is in
one of them.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import orjson
from elasticsearch import Elasticsearch

from citespan.es_mappings import sentences as mappings
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_body import count_shards
from citespan.es_mappings.index_name import IndexNames, slug
from citespan.es_mappings.sentences import LAYOUT
from citespan.pipelines.batches import batched
from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.documents.content import name_sections
from citespan.pipelines.indexing.documents.prepared import Documents, Edition
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.store.analysis import server_lengths
from citespan.pipelines.store.edition import (
    EDITION,
    Place,
    Stored,
    delete_documents,
    find_short,
    make_action,
    write_edition,
)
from citespan.pipelines.store.index_versions import require_versions
from citespan.pipelines.store.operation import join_pieces
from citespan.pipelines.store.server import Server, create_index
from citespan.pipelines.text import lucene

_ANALYSED_AT_ONCE = 50  # about what fits into one request, which is the unit of repetition
_SHARDS_OF_AN_INDEX = 8

group_articles = 256


def build(article: Article, sentences: Sequence[Sentence], settings: DocumentSettings) -> Documents:
    """Return the documents of all sentences, and their lengths as far as they are known here."""
    texts = [article.text[sentence.start : sentence.end] for sentence in sentences]
    lengths = [lucene.count_terms(text) for text in texts]
    return Documents(
        list(join_pieces(_build_sentences(article, sentences))),
        lengths,
        [text for text, length in zip(texts, lengths, strict=True) if length is None],
    )


def describe(settings: DocumentSettings) -> dict[str, Any]:
    """Return nothing that depends on the settings: all models can search sentences."""
    return {"models": [], "vocabulary": ""}


def is_current(entry: ArticleEntry, settings: DocumentSettings) -> bool:
    """Whether the documents are as the settings require: they always are."""
    return True


def check_capacity(client: Elasticsearch, names: IndexNames, articles: int) -> None:
    """Check nothing: any number of articles fits into shared indices."""


def ensure(server: Server, names: IndexNames, articles: int) -> None:
    """Create the indices that so many articles need, beside the existing ones.

    Args:
        articles: how many are expected in all, those already loaded included.

    Raises:
        OtherVersionError: if one of the existing ones is of another mapping version.
    """
    server.call(lambda: require_versions(server.client, names.shared(LAYOUT), names=names))
    present = server.call(lambda: find_sentence_indices(server.client, names))
    missing = count_shards(articles, mappings.ARTICLE_BYTES) - sum(present.values())
    number = 0
    while missing > 0:
        name = names.shared_index(LAYOUT, number)
        number += 1
        if name in present:
            continue
        shards = math.ceil(missing / math.ceil(missing / _SHARDS_OF_AN_INDEX))
        body = {
            "mappings": mappings.mapping(),
            "settings": mappings.settings(shards),
            "aliases": {names.shared(LAYOUT): {}},
        }
        server.delete_stray(name)
        server.call(lambda: create_index(server.client, name, **body))  # noqa: B023
        missing -= shards


def choose_indices(
    server: Server, names: IndexNames, editions: Sequence[Edition], group: str
) -> list[str]:
    """Return for each edition the index that the article is in, or belongs in."""
    indices = server.call(lambda: find_sentence_indices(server.client, names))
    if not indices:
        raise _deleted(names.shared(LAYOUT))
    present = [edition.previous.entry.index if edition.previous else "" for edition in editions]
    return [
        str(index) if index in indices else assign_index(slug(edition.article.id), indices)
        for edition, index in zip(editions, present, strict=True)
    ]


def write(
    server: Server, editions: Sequence[Edition], settings: DocumentSettings
) -> dict[str, str]:
    """Write all sentences; return the reason for each article that is refused."""
    refused = server.sender.send(
        operation
        for edition in editions
        for operation in write_edition(
            edition.place.index,
            edition.article.id,
            edition.place.edition,
            edition.article.documents.pieces,
        )
    )
    used = sorted({edition.place.index for edition in editions})
    server.refresh(used)
    server.require_indices(used)
    return {
        key: f"Elasticsearch refused a sentence of it: {reason}" for key, reason in refused.items()
    }


def count_lengths(server: Server, editions: Sequence[Edition]) -> dict[str, list[int]]:
    """Return the number of terms of each sentence, by the article's id."""
    texts = [text for edition in editions for text in edition.article.documents.unmeasured]
    measured: list[int] = []
    for some in batched(texts, _ANALYSED_AT_ONCE):
        index = editions[0].place.index
        measured += server.call(partial(server_lengths, server.client, index, some))
    answers = iter(measured)
    return {
        edition.article.id: [
            next(answers) if length is None else length
            for length in edition.article.documents.lengths
        ]
        for edition in editions
    }


def find_incomplete(server: Server, places: Sequence[Place]) -> set[Place]:
    """Return the places where sentences are missing."""
    wanted = {_describe(place): place for place in places}
    return {wanted[short] for short in find_short(server, list(wanted))}


def delete(server: Server, places: Iterable[Place]) -> None:
    """Delete the sentences."""
    delete_documents(server, [_describe(place) for place in places])


def _build_sentences(article: Article, sentences: Sequence[Sentence]) -> Iterator[bytes]:
    """Yield for each sentence two lines of a bulk request: action and document."""
    names = name_sections(article, sentences)
    heads = {
        name: b'{"edition":"%s",' % EDITION
        + orjson.dumps({"article": article.id, "section": name})[1:-1]
        for name in set(names)
    }
    pair = make_action(article.id) + b'\n%s,"number":%d,"start":%d,"end":%d,"text":%s}'
    # Each text includes the white space up to the next sentence.
    ends = [*(sentence.start for sentence in sentences[1:]), sentences[-1].end]
    for number, ((start, end), name, after) in enumerate(zip(sentences, names, ends, strict=True)):
        text = orjson.dumps(article.text[start:after])
        yield pair % (number, heads[name], number, start, end, text)


def _describe(place: Place) -> Stored:
    return Stored(place.article, place.index, place.edition, place.sentences)


def _deleted(indices: str) -> CitespanError:
    return CitespanError(
        f"{indices} was deleted, or removed from its alias, during the load; load again with "
        "`restart`"
    )


def find_sentence_indices(client: Elasticsearch, names: IndexNames) -> dict[str, int]:
    """Return the indices behind the alias, with the number of shards of each."""
    if not client.indices.exists_alias(name=names.shared(LAYOUT)):
        return {}
    found = client.indices.get_settings(
        index=names.shared(LAYOUT), filter_path="*.settings.index.number_of_shards"
    )
    return {
        name: int(index["settings"]["index"]["number_of_shards"])
        for name, index in sorted(found.items())
    }


def assign_index(slug: str, indices: Mapping[str, int]) -> str:
    """Return the index that a new article belongs in, by rendezvous hashing.

    Each index gets a share of the articles in proportion to its shards, and adding an index moves
    no article between the others.

    Args:
        slug: of the article's id.
        indices: their numbers of shards, by name.
    """

    def score(index: str) -> float:
        digest = hashlib.blake2b(f"{index} {slug}".encode(), digest_size=8).digest()
        drawn = (int.from_bytes(digest) + 1) / (2**64 + 1)
        return -indices[index] / math.log(drawn)

    return max(sorted(indices), key=score)

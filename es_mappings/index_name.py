"""Which index holds what of an article."""

import hashlib
import re

SPANS_PREFIX = "citespan-spans-"
ALL_SPANS = SPANS_PREFIX + "*"
SENTENCES = "citespan-sentences"
"""The alias of all sentence indices."""
_LONGEST_SLUG = 180  # Elasticsearch takes names of up to 255 bytes
_UNSAFE = re.compile(r"[^a-z0-9._]+")


def slug(article_id: str) -> str:
    """The id as part of an index name: readable, valid, and different for different ids.

    An id that is a valid name part stays as it is. Any other is lower-cased, has a hyphen in
    place of what Elasticsearch refuses, and ends in eight digits of the id's SHA-256, which
    keep "PMC12" apart from "pmc12" and "a/b" from "a:b".
    """
    safe = _UNSAFE.sub("-", article_id.lower()).strip("-._")[:_LONGEST_SLUG]
    if safe == article_id:
        return safe
    digest = hashlib.sha256(article_id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe}-{digest}".lstrip("-")


def spans_index(article_id: str, made_for: str) -> str:
    """The name of the index of an article's spans, as long as it is made just so.

    Args:
        made_for: a hash of the spans and of what the index is made with, so that an article
            that is replaced is there until another index is full.
    """
    return f"{SPANS_PREFIX}{slug(article_id)}~{made_for[:8]}"


def sentences_index(number: int) -> str:
    """The name of the sentence index of that number, from 0."""
    return f"{SENTENCES}-{number:03}"


def edition(article_id: str, content: str) -> str:
    """What the sentences of an article with that content are told from all others by.

    Args:
        content: the hash of what is indexed of it.
    """
    return f"{slug(article_id)}-{content[:12]}"

"""Which index holds an article's spans."""

import hashlib
import re

SPANS_PREFIX = "citespan-spans-"
ALL_SPANS = SPANS_PREFIX + "*"
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


def spans_index(article_id: str) -> str:
    """The name of the index of the article's spans."""
    return SPANS_PREFIX + slug(article_id)

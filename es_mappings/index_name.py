"""Names of indices, and of what they store about an article."""

import hashlib
import re
from dataclasses import dataclass

_LONGEST_SLUG = 180  # Elasticsearch takes index names of up to 255 bytes
GENERATION = 8
"""Characters of the ending that a rebuild gives to the names of its indices."""
_UNSAFE = re.compile(r"[^a-z0-9._]+")


@dataclass(frozen=True, slots=True)
class IndexNames:
    """The names of all indices that one catalogue describes.

    Attributes:
        prefix: what all of them begin with, in lower case.
        generation: what the names of indices end in that a rebuild makes, beside those that are
            searched; "" for these, whose names are aliases after a rebuild.
    """

    prefix: str
    generation: str = ""

    @property
    def _ending(self) -> str:
        return f"~{self.generation}" if self.generation else ""

    @property
    def articles(self) -> str:
        """The catalogue of articles."""
        return f"{self.prefix}-articles{self._ending}"

    @property
    def citations(self) -> str:
        """The citations of all articles."""
        return f"{self.prefix}-citations{self._ending}"

    @property
    def links(self) -> str:
        """The citations whose evidence has been looked for."""
        return f"{self.prefix}-links{self._ending}"

    @property
    def citances(self) -> str:
        """What others say of each article that is cited."""
        return f"{self.prefix}-citances{self._ending}"

    def shared(self, layout: str) -> str:
        """Return the alias of all indices that the articles of a layout share."""
        return f"{self.prefix}-{layout}{self._ending}"

    def shared_index(self, layout: str, number: int) -> str:
        """Return the name of the shared index of that number, from 0."""
        return f"{self.prefix}-{layout}-{number:03}{self._ending}"

    def own_index(self, layout: str, edition: str) -> str:
        """Return the name of an edition's own index, or the pattern of those of many."""
        return f"{self.prefix}-{layout}-{edition}"


CITESPAN = IndexNames("citespan")
"""Where users' articles are."""
EXPERIMENTS = IndexNames("citespan-experiments")
"""Where experiments index their collections, so that they never change users' articles."""


def numbered_id(edition: str, number: int | str) -> str:
    """Return the document id of a sentence or a citation of an article's edition.

    Args:
        number: from 0, or what stands in its place.
    """
    return f"{edition}-{number}"


def slug(article_id: str) -> str:
    """Return the id as part of an index name: readable, valid, and different for different ids.

    An id that is a valid name part stays as it is. Any other is lower-cased, has a hyphen in
    place of what Elasticsearch refuses, and ends in eight digits of the id's SHA-256, which
    keep "PMC12" apart from "pmc12" and "a/b" from "a:b".
    """
    safe = _UNSAFE.sub("-", article_id.lower()).strip("-._")[:_LONGEST_SLUG]
    if safe == article_id:
        return safe
    digest = hashlib.sha256(article_id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe}-{digest}".lstrip("-")


def edition(article_id: str, group: str) -> str:
    """Return the identity of an article as one group of one load writes it.

    No other group and no other load shares it, so deleting an edition never deletes what
    somebody else has written, even if the article has the same content.

    Args:
        group: identifies the group and its load.
    """
    return f"{slug(article_id)}~{group}"


def slug_of(edition: str) -> str:
    """Return the slug of the article that an edition is of."""
    return edition.rpartition("~")[0]

"""What is indexed of an article in every layout."""

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from importlib.metadata import version
from operator import attrgetter

from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.text.splitter import Splitter

# As tuples, which Python writes faster than data classes.
_OF_REFERENCE = attrgetter(
    *(known.name for known in fields(Reference) if known.name != "publication"),
    *(f"publication.{known.name}" for known in fields(Publication)),
)


def hash_content(article: Article, splitter: Splitter) -> str:
    """Return a hash that changes with anything of the article that is indexed.

    Sentences that are still to be found are represented by what they depend on, the splitter's
    name, citespan's version and the places of links, so an article that is loaded already
    need not be split to see that. So are its citations, by its links and its reference list.
    """
    if article.sentences is None:
        links = [link[:2] for link in article.links]
        sentences = f"{splitter.name} {_find_version()} {links}"
    else:
        sentences = repr([(s.start, s.end) for s in article.sentences])
    digest = hashlib.sha256()
    for part in (
        article.id,
        article.title,
        article.text,
        repr([(s.title, s.start, s.end, s.kind) for s in article.sections]),
        sentences,
        repr(article.also_known_as),
        repr(article.publication),
        repr([tuple(link) for link in article.links]),
        repr(article.links_elsewhere),
        repr([_OF_REFERENCE(reference) for reference in article.references]),
        repr(article.reference_list.problems),
        repr(article.pages) if article.pages else "",
    ):
        digest.update(part.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()


@cache
def _find_version() -> str:
    return version("citespan")


def name_sections(article: Article, sentences: Sequence[Sentence]) -> list[str]:
    """Return the section of each sentence: its title, or its kind if it has no title."""
    starts = [section.start for section in article.sections]
    places = [bisect_right(starts, sentence.start) - 1 for sentence in sentences]
    return [article.sections[at].name if at >= 0 else "" for at in places]

"""Which indexed article a reference names.

An identifier decides where there is one. Otherwise an article is the one that is named if its
title is nearly the same, its first author has the same surname, and it appeared in the same year
or in a year beside it, since an article that is first published online often gets another year in
print; a long title that is the same decides without the author. Where several articles fit, none
is chosen. An abstract is the one that is named if no full text is, so a paper that is indexed as
both is its full text.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

from elasticsearch import Elasticsearch
from elasticsearch.dsl.query import Terms
from elasticsearch.helpers import scan

from citespan.es_mappings.citations import StoredCitation
from citespan.es_mappings.index_name import CITESPAN, IndexNames
from citespan.pipelines.batches import batched
from citespan.pipelines.corpus.publication import Publication, normalise_title
from citespan.pipelines.store.abstracts import is_abstract
from citespan.pipelines.store.catalogue import Catalogue, read_entry, read_publication

THRESHOLD: Final = 0.9
"""The least similarity of two titles: twice the letters that they share in order, over the letters
of both, white space, punctuation and case aside (Ratcliff and Obershelp; `difflib`)."""
SHORTEST_TITLE: Final = 12
"""In letters. A shorter title, such as "Editorial", tells nothing."""
LONG_TITLE: Final = 40
"""In letters. Two titles of this length are one where the other goes on behind or before it, and
decide alone where one of the authors is a group or missing."""
TELLING_TITLE: Final = 60
"""In letters. Equal titles of this length decide alone, whatever the authors."""
AUTHOR_THRESHOLD: Final = 0.8
"""The least similarity of two surnames, measured as titles are."""
_YEARS_APART = 1  # `Publication.keys` are shared as far
_ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_NUMBERS = re.compile(r"\d+|\b(?:i{1,3}|iv|vi{0,3}|ix|x)\b")
# What tells the publications of one study apart, and those about another publication.
_KINDS = re.compile(
    r"protocol|rationale|design|pilot|follow|secondary|results?|errat|correct|corrigend|retract"
    r"|repl(?:y|ies)|respon|comment|editorial|letter|update|second|third"
)
_SERIES = re.compile(r".{0,5}|(?:part|\d).*|i{1,3}")


@dataclass(frozen=True, slots=True)
class IndexedArticle:
    """An indexed article, by its id in the catalogue; `is_abstract` if it has no full text."""

    id: str
    publication: Publication
    is_abstract: bool = False


LookUp = Callable[[Collection[str]], Mapping[str, Sequence[IndexedArticle]]]
"""Returns the indexed articles that have each of some `Publication.keys`; a key that none has may
be missing."""

Outcome = Literal[
    "identifier", "title", "ambiguous", "not indexed", "unidentifiable", "itself", "notice"
]


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a reference was found to be.

    Attributes:
        outcome: "identifier" or "title" says by what the article was found; "ambiguous", that
            several fit; "not indexed", that none does; "unidentifiable", that the reference has
            neither an identifier nor a title and author to go by; "itself", that it is the article
            that has the reference; "notice", that it retracts or doubts another article, so that
            it is no evidence.
        article: its id; None unless one was found.
        candidates: the ids of all that fit, sorted.
        publication: what the index has of the article; None unless one was found.
    """

    outcome: Outcome
    article: str | None = None
    candidates: tuple[str, ...] = ()
    publication: Publication | None = None


def make_look_up(candidates: Iterable[IndexedArticle]) -> LookUp:
    """Return what looks candidates up in memory."""
    by_key: dict[str, list[IndexedArticle]] = {}
    for candidate in candidates:
        for key in candidate.publication.keys:
            by_key.setdefault(key, []).append(candidate)
    return lambda keys: {key: by_key[key] for key in keys if key in by_key}


def resolve(
    references: Sequence[Publication], look_up: LookUp, citing: str = "", own: Collection[str] = ()
) -> list[Resolution]:
    """Return what each reference is, in their order. All are looked up at once.

    Args:
        citing: the id of the article that has these references, if it is indexed. It is found by
            an identifier alone: a title like its own is that of an abstract or a protocol.
        own: the identifiers of that article.
    """
    wanted = dict.fromkeys(key for reference in references for key in reference.keys)
    found = look_up(list(wanted)) if wanted else {}
    resolved = []
    for reference in references:
        resolution = _resolve(reference, found, citing)
        is_itself = not set(own).isdisjoint(reference.identifiers) or (
            citing and resolution.article == citing
        )
        resolved.append(Resolution("itself") if is_itself else resolution)
    return resolved


def _resolve(
    reference: Publication, found: Mapping[str, Sequence[IndexedArticle]], citing: str
) -> Resolution:
    """Return which full text a reference names, or else which abstract."""
    named = {key: found[key] for key in reference.keys if key in found}
    for abstracts in (False, True) if named else ():
        same = {
            candidate.id: candidate
            for key in reference.identifiers
            for candidate in named.get(key, ())
            if candidate.is_abstract == abstracts
        }
        if same:
            return _choose(same, "identifier")
        rest = {
            candidate.id: candidate
            for candidates in named.values()
            for candidate in candidates
            if candidate.is_abstract == abstracts
            and candidate.id != citing
            and candidate.publication.is_evidence
            and is_same_publication(reference, candidate.publication)
        }
        if rest:
            return _choose(rest, "title")
    is_known = reference.identifiers or (
        len(normalise_title(reference.title)) >= SHORTEST_TITLE and reference.first_author
    )
    return Resolution("not indexed" if is_known else "unidentifiable")


def _choose(
    fitting: Mapping[str, IndexedArticle], outcome: Literal["identifier", "title"]
) -> Resolution:
    if len(fitting) > 1:
        return Resolution("ambiguous", None, tuple(sorted(fitting)))
    [(identifier, article)] = fitting.items()
    if not article.publication.is_evidence:
        return Resolution("notice", None, (identifier,), article.publication)
    return Resolution(outcome, identifier, (identifier,), article.publication)


def is_same_publication(work: Publication, other: Publication) -> bool:
    """Whether two descriptions are of one publication, judged by title, first author and year.

    Identifiers of one kind that differ say that they are not.
    """
    for kind in ("pmid", "pmcid", "doi"):
        first, second = getattr(work, kind), getattr(other, kind)
        if first and second and first != second:
            return False
    if work.year is None or other.year is None or abs(work.year - other.year) > _YEARS_APART:
        return False
    if _has_same_author(work, other):
        return _is_same_title(work.title, other.title)
    # Lists name the group that has written it, its first member, or nobody; or they are wrong.
    are_persons = _names_person(work) and _names_person(other)
    title = normalise_title(work.title)
    return (
        work.year == other.year
        and len(title) >= (TELLING_TITLE if are_persons else LONG_TITLE)
        and title == normalise_title(other.title)
    )


def _names_person(publication: Publication) -> bool:
    return "," in publication.authors[0] if publication.authors else False


def _has_same_author(work: Publication, other: Publication) -> bool:
    names = sorted((work.first_author, other.first_author))
    if not all(names):
        return False
    return names[0] == names[1] or _measure_similarity(*names) >= AUTHOR_THRESHOLD


def _is_same_title(title: str, other: str) -> bool:
    shorter, longer = sorted(
        (normalise_title(title), normalise_title(other)), key=lambda t: (len(t), t)
    )
    if len(shorter) < SHORTEST_TITLE:
        return False
    if shorter == longer:
        return True
    if set(_KINDS.findall(shorter)) != set(_KINDS.findall(longer)):
        return False
    if len(shorter) >= LONG_TITLE and (longer.startswith(shorter) or longer.endswith(shorter)):
        # A subtitle, the number of a trial or the name of a group goes on; or it is a series.
        return _SERIES.fullmatch(longer.replace(shorter, "", 1)) is None
    return _list_numbers(title) == _list_numbers(other) and (
        _measure_similarity(*sorted((shorter, longer))) >= THRESHOLD
    )


def _list_numbers(title: str) -> list[str]:
    """Return the numbers in a title, which are all that differs between the parts of a series."""
    found = _NUMBERS.findall(title.lower())
    return [str(_ROMAN.index(number)) if number in _ROMAN else number for number in found]


def _measure_similarity(text: str, other: str) -> float:
    return SequenceMatcher(None, text, other, autojunk=False).ratio()


_KEYS_AT_ONCE = 10_000
_MOST_KNOWN = 400_000  # keys that are remembered, of some 150 bytes each
_FIELDS = [
    *("article", "title", "authors", "year", "journal", "pmid", "pmcid", "doi"),
    *("notices", "notice", "notice_of"),
    *("layout", "content", "mapping_version"),
]


def make_catalogue_look_up(client: Elasticsearch, names: IndexNames = CITESPAN) -> LookUp:
    """Return what looks keys up in the catalogue, as of its last refresh; it finds nothing where
    nothing is indexed.

    Args:
        names: of the indices; those of users' articles unless stated otherwise.
    """
    catalogue = Catalogue(client, names)

    def look_up(keys: Collection[str]) -> Mapping[str, Sequence[IndexedArticle]]:
        found: dict[str, dict[tuple[str, bool], IndexedArticle]] = {}
        for some in batched(keys, _KEYS_AT_ONCE):
            for candidate in _find(catalogue, some):
                for key in candidate.publication.keys:
                    found.setdefault(key, {})[candidate.id, candidate.is_abstract] = candidate
        return {key: list(found[key].values()) for key in keys if key in found}

    return look_up


def remember(look_up: LookUp) -> LookUp:
    """Return what looks up each key once, since many articles cite the same ones. Several threads
    may use it."""
    known: dict[str, Sequence[IndexedArticle]] = {}

    def look_up_new(keys: Collection[str]) -> Mapping[str, Sequence[IndexedArticle]]:
        if len(known) > _MOST_KNOWN:
            known.clear()  # perhaps while another thread looks up others
        found = {key: same for key in keys if (same := known.get(key)) is not None}
        missing = [key for key in keys if key not in found]
        new = look_up(missing)
        known.update({key: new.get(key, ()) for key in missing})
        return {**found, **new}

    return look_up_new


def _find(catalogue: Catalogue, keys: Sequence[str]) -> Iterator[IndexedArticle]:
    asked = catalogue.address(Terms("found_by", list(keys)))
    query = {"query": asked["query"], "_source": _FIELDS}
    hits = scan(catalogue.client, index=asked["index"], query=query, ignore_unavailable=True)
    entries = [read_entry(hit) for hit in hits]
    full = catalogue.find_full_texts(entries)  # whose identifiers may be others
    for entry in entries:
        alone = is_abstract(entry) and entry.article not in full
        article = full.get(entry.article, "") if is_abstract(entry) else ""
        yield IndexedArticle(article or entry.article, read_publication(entry), alone)


def read_reference(citation: StoredCitation) -> Publication:
    """Return what is known of the reference of a citation, of its authors the first."""
    return Publication(
        authors=(citation.author,) if citation.author else (),
        title=citation.title,
        year=citation.year,
        journal=citation.journal,
        pmid=citation.pmid,
        pmcid=citation.pmcid,
        doi=citation.doi,
    )

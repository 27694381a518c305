"""What is wrong with the entries of a reference list, as far as it can be told without the network.

An entry is compared with the article that its identifier names: title, first author and year. Lists
shorten, translate and misspell, so that what is small is let pass; `resolution.md` has the figures.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from typing import Final, Literal, get_args

from citespan.pipelines.citations.resolution import (
    LONG_TITLE,
    SHORTEST_TITLE,
    IndexedArticle,
    is_same_publication,
)
from citespan.pipelines.corpus.notices import Notice, is_retracted, split_retracted_title
from citespan.pipelines.corpus.publication import Publication, is_named_as_group, normalise_title
from citespan.pipelines.corpus.reference_identifiers import find_malformed
from citespan.pipelines.corpus.references import Reference

FaultKind = Literal[
    "retracted",
    "expression of concern",
    "other work",
    "differs",
    "malformed",
    "unknown",
    "twice",
    "corrected",
]
KINDS: Final[tuple[FaultKind, ...]] = get_args(FaultKind)
"""In the order of reports."""

TITLE_THRESHOLD: Final = 0.6
"""The least similarity of the titles of one work, measured as `resolution` does."""
WORDS_THRESHOLD: Final = 0.6
"""The least share of the shorter title's words that are in the longer one, if these are alike."""
SURNAME_THRESHOLD: Final = 0.7
"""The least similarity of the surnames of one author."""
YEARS_APART: Final = 1
_MOST_ALIKE = 20
"""Entries whose titles begin or end alike, with which another one is compared."""


@dataclass(frozen=True, slots=True)
class EntryFault:
    """One thing that is wrong with an entry, or that a reader of it has to know.

    Attributes:
        kind: "retracted", "expression of concern", "corrected": what later publications say of the
            work; "other work": the identifier names one whose title and author are others;
            "differs": its title, author or year is another; "malformed": no identifier has this
            form; "unknown": a list of known identifiers has not got it; "twice": the list names
            the same work before.
        field: what is wrong: "title", "author", "year", or the identifier.
        written: what the entry has there.
        found: what the article has there; the notice; the label of the entry with the same work.
        article: the id of the article that the entry was compared with; "" if there is none.
        meant: the id of an indexed article whose title, first author and year fit; "" for none.
    """

    kind: FaultKind
    field: str
    written: str = ""
    found: str = ""
    article: str = ""
    meant: str = ""

    def __str__(self) -> str:
        said = self._say()
        return f"{said}; did you mean {self.meant}?" if self.meant else said

    def _say(self) -> str:
        match self.kind:
            case "differs":
                return (
                    f"the {self.field} differs: “{self.written}” in the list, “{self.found}” in "
                    f"{self.article}"
                )
            case "other work":
                return f"{self.field} is of another work: “{self.found}” ({self.article})"
            case "malformed":
                return f"{self.field} is no {self.written}"
            case "unknown":
                return f"{self.field} is not in {self.found}"
            case "twice":
                return f"the same work as {self.found}: {self.written}"
        return self.found

    def to_json(self) -> dict[str, str]:
        """Return it as an object for JSON, with the line that people read as "says"."""
        return {**asdict(self), "says": str(self)}


def compare_entry(entry: Publication, article: Publication) -> list[tuple[str, str, str]]:
    """Return in what an entry is not the article: (field, in the entry, in the article).

    What either of the two lacks is not compared, nor are titles in two languages.
    """
    found = []
    if _differs_in_title(entry.title, article.title):
        found.append(("title", entry.title, article.title))
    if _differs_in_author(entry, article):
        found.append(("first author", entry.authors[0], article.authors[0]))
    if entry.year and article.year and abs(entry.year - article.year) > YEARS_APART:
        found.append(("year", str(entry.year), str(article.year)))
    return found


_WORD = re.compile(r"\w{3,}")
_BRACKETED = re.compile(r"\s*\[.*\]\.?\s*", re.DOTALL)
# Words of German, French, Spanish, Italian, Portuguese and Dutch titles that English has not.
_FOREIGN = frozenset(
    (
        *("der", "die", "das", "und", "bei", "mit", "von", "zur", "eine", "einer", "für", "im"),
        *("le", "la", "les", "des", "du", "et", "chez", "une", "dans", "par", "sur", "avec"),
        *("el", "los", "las", "del", "en", "con", "una", "para", "por", "il", "della", "di"),
        *("nel", "nella", "e", "do", "da", "dos", "em", "een", "het", "van", "bij", "de", "och"),
    )
)
_FEWEST_FOREIGN = 2


def _differs_in_title(first: str, other: str) -> bool:
    if _BRACKETED.fullmatch(first) or _BRACKETED.fullmatch(other):
        return False  # translated
    first, other = split_retracted_title(first)[0], split_retracted_title(other)[0]
    shorter, longer = sorted((normalise_title(first), normalise_title(other)), key=len)
    if len(shorter) < SHORTEST_TITLE or shorter in longer:
        return False
    if _is_foreign(first) != _is_foreign(other):
        return False
    if SequenceMatcher(None, shorter, longer, autojunk=False).ratio() >= TITLE_THRESHOLD:
        return False
    return _share_words(first, other) < WORDS_THRESHOLD


def _is_foreign(title: str) -> bool:
    words = set(re.findall(r"\w+", title.lower()))
    return len(words & _FOREIGN) >= _FEWEST_FOREIGN


def _share_words(first: str, other: str) -> float:
    """Return the share of the shorter title's words that begin as words of the longer one do."""
    words = [{word[:5] for word in _WORD.findall(title.lower())} for title in (first, other)]
    shorter, longer = sorted(words, key=len)
    return len(shorter & longer) / len(shorter) if shorter else 1.0


_SPELLINGS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})
_UMLAUT = re.compile(r"(?<=[aou])e")
_PREPRINTS = (
    *("10.1101/", "10.21203/", "10.31234/", "10.31219/", "10.2139/", "10.20944/"),
    *("10.48550/", "10.26434/", "10.36227/", "10.22541/"),
)
"""What the DOIs of preprints begin with: they are of other versions of the same work."""


def _differs_in_author(first: Publication, other: Publication) -> bool:
    if not (_names_person(first) and _names_person(other)):
        return False
    names = [each.first_author.translate(_SPELLINGS) for each in (first, other)]
    plain = [_UMLAUT.sub("", name) for name in names]
    for shorter, longer in (sorted(names, key=len), sorted(plain, key=len)):
        if shorter in longer:  # of two surnames, lists have one
            return False
        if SequenceMatcher(None, shorter, longer, autojunk=False).ratio() >= SURNAME_THRESHOLD:
            return False
    return True


def _names_person(publication: Publication) -> bool:
    first = publication.authors[0] if publication.authors else ""
    return "," in first and not is_named_as_group(first)


@dataclass(frozen=True, slots=True)
class KnownIdentifiers:
    """A list of identifiers that exist, as a user has it.

    Attributes:
        source: its name for messages.
        kinds: of those in it, such as "pmid"; of others it says nothing.
        found: those of the entries that it has, such as "pmid:12".
    """

    source: str
    kinds: frozenset[str]
    found: frozenset[str]


def find_entry_faults(
    references: Sequence[Reference],
    found: Mapping[str, Sequence[IndexedArticle]],
    notices: Sequence[Sequence[Notice]] = (),
    known: KnownIdentifiers | None = None,
) -> dict[str, tuple[EntryFault, ...]]:
    """Return what is wrong with each entry of a list, by its key; entries without a fault have
    none.

    Args:
        found: the indexed articles that have each of the `Publication.keys` of all entries.
        notices: what is said of each entry's work; none for no notices.
        known: None for no such list.
    """
    seen: dict[str, list[Reference]] = {}
    faults: dict[str, tuple[EntryFault, ...]] = {}
    said = notices or [()] * len(references)
    for reference, own in zip(references, said, strict=True):
        every = (
            *_describe_notices(own),
            *_compare_with_named(reference.publication, found),
            *_list_malformed(reference),
            *_list_unknown(reference.publication, known),
            *_find_twice(reference, seen),
        )
        if every:
            faults[reference.key] = every
        for key in reference.publication.keys:
            alike = seen.setdefault(key, [])
            if len(alike) < _MOST_ALIKE:
                alike.append(reference)
    return faults


def _describe_notices(notices: Sequence[Notice]) -> Iterator[EntryFault]:
    for notice in notices:
        kind: FaultKind = "corrected"
        if notice.kind == "expression of concern":
            kind = "expression of concern"
        elif notice.kind == "partly retracted" or (
            notice.kind == "retracted" and is_retracted(notices)
        ):
            kind = "retracted"
        yield EntryFault(kind, "work", notice.kind, str(notice))


def _compare_with_named(
    entry: Publication, found: Mapping[str, Sequence[IndexedArticle]]
) -> Iterator[EntryFault]:
    """Yield how an entry differs from the articles that its identifiers name; and if they name
    none that is indexed, which one its title, author and year do."""
    named: dict[str, tuple[str, IndexedArticle]] = {}
    for key in entry.identifiers:
        for candidate in found.get(key, ()):
            named.setdefault(candidate.id, (key, candidate))
    for key, candidate in named.values():
        differing = compare_entry(entry, candidate.publication)
        fields = {field for field, _, _ in differing}
        if fields >= {"title", "first author"} or fields >= {"title", "year"}:
            meant = _find_meant(entry, found, named)
            about = describe(candidate.publication)
            yield EntryFault("other work", key, key, about, candidate.id, meant.id if meant else "")
        elif differing:
            meant = _find_meant(entry, found, named)
            for field, written, other in differing:
                yield EntryFault(
                    "differs", field, written, other, candidate.id, meant.id if meant else ""
                )
    if named or entry.doi.startswith(_PREPRINTS):
        return
    meant = _find_meant(entry, found, named)
    if meant is not None:
        yield from _compare_identifiers(entry, meant)
        for field, written, other in compare_entry(entry, meant.publication):
            yield EntryFault("differs", field, written, other, meant.id)


def _compare_identifiers(entry: Publication, meant: IndexedArticle) -> Iterator[EntryFault]:
    """Yield the first identifier of an entry that is not that of the article which its title, first
    author and year fit."""
    for kind in ("pmid", "pmcid", "doi"):
        written, right = getattr(entry, kind), getattr(meant.publication, kind)
        if written and right and written != right:
            both = (f"{kind}:{written}", f"{kind}:{right}")
            yield EntryFault("differs", "identifier", *both, meant.id, meant.id)
            return


def _find_meant(
    entry: Publication, found: Mapping[str, Sequence[IndexedArticle]], named: Mapping[str, object]
) -> IndexedArticle | None:
    """Return the only indexed article whose title, first author and year an entry has, whatever its
    identifiers; None if there is none, or several."""
    bare = replace(entry, pmid="", pmcid="", doi="")
    fitting = {
        candidate.id: candidate
        for key in bare.keys
        for candidate in found.get(key, ())
        if candidate.id not in named
        and candidate.publication.is_evidence
        and is_same_publication(bare, replace(candidate.publication, pmid="", pmcid="", doi=""))
    }
    return fitting.popitem()[1] if len(fitting) == 1 else None


def describe(publication: Publication) -> str:
    """Return a title with its first author and year in a line."""
    author = publication.authors[0].partition(",")[0] if publication.authors else ""
    dated = ", ".join(filter(None, (author, str(publication.year or ""))))
    return f"{publication.title} ({dated})" if dated else publication.title


def _list_malformed(reference: Reference) -> Iterator[EntryFault]:
    said = reference.publication
    names = {"PMID: ": said.pmid, "PMCID: ": said.pmcid, "doi:": said.doi}
    written = "; ".join(f"{name}{value}" for name, value in names.items() if value)
    for identifier in dict.fromkeys((*find_malformed(reference.text), *find_malformed(written))):
        kind, _, written = identifier.partition(" ")
        yield EntryFault("malformed", written, kind)


def _list_unknown(entry: Publication, known: KnownIdentifiers | None) -> Iterator[EntryFault]:
    if known is not None:
        for key in entry.identifiers:
            if key.partition(":")[0] in known.kinds and key not in known.found:
                yield EntryFault("unknown", key, key, known.source)


def _find_twice(
    reference: Reference, seen: Mapping[str, Sequence[Reference]]
) -> Iterator[EntryFault]:
    """Yield that an entry before names the same work, if one does."""
    entry = reference.publication
    for key in entry.keys:
        for other in seen.get(key, ()):
            label = other.label or other.key
            if key in entry.identifiers:
                same = not _differs_in_title(entry.title, other.publication.title)
                # Chapters of a book may share a DOI, and PubMed has none of them.
                if same or not key.startswith("doi:"):
                    yield EntryFault("twice", "entry", f"both have {key}", label)
                    return
            elif _names_same_work(entry, other.publication):
                yield EntryFault("twice", "entry", "title, first author and year", label)
                return


def _names_same_work(first: Publication, other: Publication) -> bool:
    """Whether two entries of a list are of one work; a short title, such as that of a letter and
    the reply to it, is not enough for it where the years are two."""
    is_long = len(normalise_title(first.title)) >= LONG_TITLE
    return (is_long or first.year == other.year) and is_same_publication(first, other)

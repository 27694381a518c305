"""What is known of a publication beside its text, and the keys by which it is found again."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypedDict

from citespan.pipelines.corpus.notices import RETRACTING, Notice

_LONGEST_KEY = 300
_REMEMBERED = 16_384  # titles: a reference is looked up, and then compared
_BEGINNING, _END = 20, 40  # letters; many titles end with "a randomized controlled trial"
_NOT_LETTERS = re.compile(r"[\W_]+")
_YEAR = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)(?:\d{4})?(?!\d)")
_INITIALS = re.compile(r"(?<=\w{2})\s[A-Z](?:[.-]?[A-Z]){0,3}\.?$")
_PARTICLES = re.compile(
    r"^(?:(?:van|von|den?|der|del|della|di|da|dos?|du|la|le|el|al|bin|ten|ter|zu)[\s-])+(?=\w)",
    re.IGNORECASE,
)
_GROUP = re.compile(
    r"(?i)\b(?:academy|agency|associations?|bureau|cent(?:er|re)s?|collaborat\w{2,5}|college"
    r"|commission|committee|consortium|council|department|federation|foundation|group|institutes?"
    r"|international|investigators|members?|ministry|network|offices?|organi[sz]ations?|panel"
    r"|programme|project|services?|society|statistics|task force|team|trialists|union|united"
    r"|university|world)\b"
)
_GREEK_LETTERS = str.maketrans(
    {c: unicodedata.name(c).rpartition(" ")[2].lower() for c in "αβγδεζηθικλμνξοπρστυφχψω"}
)


@dataclass(frozen=True, slots=True)
class Publication:
    """A publication as its own front matter describes it, or the reference list of another.

    Attributes:
        authors: in order, each as "Surname, Given names", or the name of a group.
        journal: its title, or in references its abbreviation; of a book, the publisher.
        pmid: digits, or "".
        pmcid: as in "PMC12", or "".
        doi: in lower case, or "".
        notices: what later publications say of it, such as that it is retracted.
        notice: what it says of an earlier one, if it is a notice itself, such as "retracted".
        notice_of: the identifiers of that one, such as "pmid:123".
    """

    authors: tuple[str, ...] = ()
    title: str = ""
    year: int | None = None
    journal: str = ""
    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    notices: tuple[Notice, ...] = ()
    notice: str = ""
    notice_of: tuple[str, ...] = ()

    def complete(self, other: "Publication") -> "Publication":
        """Return this publication with all that it lacks taken from another form of it."""
        return Publication(
            *(getattr(self, name) or getattr(other, name) for name in Publication.__slots__)
        )

    @property
    def is_evidence(self) -> bool:
        """False for what retracts or doubts another publication, and has no findings itself."""
        return self.notice not in RETRACTING

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Keys of its identifiers, such as "pmid:123"; a publication has each of them alone."""
        kinds = {"pmid": self.pmid, "pmcid": self.pmcid, "doi": self.doi}
        return tuple(f"{kind}:{value}" for kind, value in kinds.items() if value)

    @property
    def keys(self) -> tuple[str, ...]:
        """Its identifiers, and keys that others may share: how its title begins and how it ends,
        each with its year and with the year before, so that years that are one apart share a key.
        """
        title = normalise_title(self.title)
        if not title or self.year is None:
            return self.identifiers
        ends = (f"begins:{title[:_BEGINNING]}", f"ends:{title[-_END:]}")
        return (*self.identifiers, *(f"{end}:{self.year - i}" for end in ends for i in (0, 1)))

    @property
    def first_author(self) -> str:
        """The surname of the first author without particles ("van der"), or the name of a group,
        as `normalise_title` makes it; "" where no author is named."""
        return normalise_surname(self.authors[0]) if self.authors else ""


class Identifiers(TypedDict, total=False):
    """The identifiers of a `Publication`, as keywords."""

    pmid: str
    pmcid: str
    doi: str


def normalise_surname(author: str) -> str:
    """Return the surname of an author ("Surname, Given names") without particles and initials, or
    the name of a group, as `normalise_title` makes it."""
    surname = _INITIALS.sub("", author.partition(",")[0])
    return normalise_title(_PARTICLES.sub("", surname))


def is_named_as_group(author: str) -> bool:
    """Whether an author has a word of groups' names, such as "Committee"."""
    return _GROUP.search(author) is not None


def join_name(surname: str, given: str) -> str:
    """Return an author as "Surname, Given names"; either may be ""."""
    return f"{surname}, {given}" if surname and given else surname or given


def find_year(written: str) -> int | None:
    """Return the first year in a date, such as "2005", "May 2005" or "20050531"."""
    found = _YEAR.search(written[:100])
    return int(found[1]) if found else None


def describe_notices(publication: Publication) -> dict[str, Any]:
    """Return the fields of an index for what a publication is to others, and others to it."""
    return {
        "notices": [{"kind": notice.kind, "by": notice.by} for notice in publication.notices],
        "notice": publication.notice,
        "notice_of": list(publication.notice_of),
    }


@lru_cache(_REMEMBERED)
def normalise_title(title: str) -> str:
    """Return a title without all that differs between reference lists: case, accents, punctuation,
    spaces and the spelling of Greek letters; at most 300 characters."""
    bare = title.lower()
    if not title.isascii():
        plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", title).casefold())
        bare = "".join(c for c in plain if not unicodedata.combining(c)).translate(_GREEK_LETTERS)
    return _NOT_LETTERS.sub("", bare)[:_LONGEST_KEY]

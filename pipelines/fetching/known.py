"""What services know of an article."""

import re
from dataclasses import asdict, dataclass, field
from typing import Any

from citespan.pipelines.corpus.publication import Publication

_CREATIVE_COMMONS = re.compile(
    r"creativecommons\.org/(?:licenses/([a-z-]{2,20})|publicdomain/(zero|mark))/?(\d\.\d)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Known:
    """An article that a service knows.

    Attributes:
        is_open: whether its full text is in the open-access subset; None if that is not known.
        licence: such as "cc by 4.0"; "" if none is stated.
    """

    publication: Publication = field(default_factory=Publication)
    is_open: bool | None = None
    licence: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as the journal stores it."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Known":
        """Return what `to_json` has stored."""
        written = stored["publication"]
        publication = Publication(**{**written, "authors": tuple(written["authors"])})
        return cls(publication, stored["is_open"], stored["licence"])


def describe_licence(written: str) -> str:
    """Return a licence in few words: that of a Creative Commons address, or the text itself."""
    found = _CREATIVE_COMMONS.search(written[:2000])
    if found is None:
        return " ".join(written.split())[:60].lower()
    kind = {"zero": "cc0", "mark": "public domain"}.get((found[2] or "").lower())
    return " ".join(filter(None, (kind or f"cc {found[1].lower()}", found[3])))

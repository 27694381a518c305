"""What later publications say of an article: that it is retracted, corrected or doubted.

The words are those of JATS (`@article-type`, `@related-article-type`, with those of PubMed
Central), of PubMed (`CommentsCorrections/@RefType` or tags as RIN, publication types) and of
Retraction Watch.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypedDict

NoticeKind = Literal[
    "retracted",
    "partly retracted",
    "expression of concern",
    "corrected",
    "corrected and republished",
    "retracted and republished",
    "reinstated",
]

RETRACTING: Final[frozenset[NoticeKind]] = frozenset(
    ("retracted", "partly retracted", "expression of concern")
)
"""Publications that say this of another are never evidence themselves."""


class Notice(NamedTuple):
    """What is said of an article.

    Attributes:
        by: an identifier of the publication that says so, such as "pmid:12"; "" if it is not known.
        date: its date, as it is written there.
        reason: why, as far as it is known.
        source: who has told of it, where that is neither the article nor its record in PubMed.
    """

    kind: str
    by: str = ""
    date: str = ""
    reason: str = ""
    source: str = ""

    def __str__(self) -> str:
        said = f"{self.kind} by {self.by}" if self.by else self.kind
        more = "; ".join(filter(None, (self.date, self.reason, self.source)))
        return f"{said} ({more})" if more else said

    def to_json(self) -> dict[str, str]:
        """Return it as an object for JSON."""
        return self._asdict()


def merge_notices(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Return each thing that is said once, as whoever tells most of it tells it.

    A later reinstatement takes no notice away: both are returned.
    """
    found: dict[str, Notice] = {}
    for notice in notices:
        known = found.get(notice.kind)
        if known is None or sum(map(bool, notice)) > sum(map(bool, known)):
            found[notice.kind] = notice
    return tuple(found.values())


def is_retracted(notices: Collection[Notice]) -> bool:
    """Whether an article is retracted, and neither republished nor reinstated since."""
    kinds = {notice.kind for notice in notices}
    return "retracted" in kinds and "reinstated" not in kinds


_OF_TYPES: Final[Mapping[str, NoticeKind]] = {
    "retraction": "retracted",
    "partial-retraction": "partly retracted",
    "expression-of-concern": "expression of concern",
    "correction": "corrected",
    "retraction of publication": "retracted",
    "retraction notice": "retracted",
    "expression of concern": "expression of concern",
    "published erratum": "corrected",
}
_SAID_OF_OTHERS: Final[Mapping[str, NoticeKind]] = {
    "retracted-article": "retracted",
    "partial-retraction": "partly retracted",
    "partially-retracted-article": "partly retracted",
    "object-of-concern": "expression of concern",
    "corrected-article": "corrected",
    "RetractionOf": "retracted",
    "PartialRetractionOf": "partly retracted",
    "ExpressionOfConcernFor": "expression of concern",
    "ErratumFor": "corrected",
    "CorrectedandRepublishedFrom": "corrected and republished",
    "RetractedandRepublishedFrom": "retracted and republished",
    "ROF": "retracted",
    "PROF": "partly retracted",
    "ECF": "expression of concern",
    "EFR": "corrected",
    "CRF": "corrected and republished",
    "RRF": "retracted and republished",
}
_SAID_BY_OTHERS: Final[Mapping[str, NoticeKind]] = {
    "retraction-forward": "retracted",
    "partial-retraction-forward": "partly retracted",
    "object-of-concern-forward": "expression of concern",
    "expression-of-concern-forward": "expression of concern",
    "correction-forward": "corrected",
    "retraction": "retracted",
    "expression-of-concern": "expression of concern",
    "correction": "corrected",
    "RetractionIn": "retracted",
    "PartialRetractionIn": "partly retracted",
    "ExpressionOfConcernIn": "expression of concern",
    "ErratumIn": "corrected",
    "CorrectedandRepublishedIn": "corrected and republished",
    "RetractedandRepublishedIn": "retracted and republished",
    "RIN": "retracted",
    "PRIN": "partly retracted",
    "ECI": "expression of concern",
    "EIN": "corrected",
    "CRI": "corrected and republished",
    "RRI": "retracted and republished",
}
_RETRACTED_PUBLICATION = "retracted publication"
OF_RETRACTION_WATCH: Final[Mapping[str, NoticeKind]] = {
    "retraction": "retracted",
    "expression of concern": "expression of concern",
    "correction": "corrected",
    "reinstatement": "reinstated",
}

# "RETRACTED ARTICLE: ...", "Retracted: ...", "WITHDRAWN: ...", "[Retracted] ..."
_RETRACTED_TITLE = re.compile(
    r"\s*(?:\[\s*)?(?:retracted|withdrawn)(?:\s+(?:article|chapter|paper))?\s*(?:[\]:–—]\s*|-\s+)",
    re.IGNORECASE,
)


def split_retracted_title(title: str) -> tuple[str, bool]:
    """Return a title without a word before it that says that the article is retracted, and whether
    it has one."""
    marked = _RETRACTED_TITLE.match(title)
    return (title[marked.end() :], True) if marked else (title, False)


class NoticeFields(TypedDict):
    """The fields of a `Publication` that say what it is to others, and others to it."""

    notices: tuple[Notice, ...]
    notice: str
    notice_of: tuple[str, ...]


def read_notices(
    types: Iterable[str], related: Iterable[tuple[str, Sequence[str]]], title: str
) -> NoticeFields:
    """Return what a record tells of retractions, corrections and concerns.

    Args:
        types: of the publication, in capital or small letters.
        related: (how they are related, identifiers such as "pmid:12") of other publications.
    """
    named = {type_.lower() for type_ in types}
    own: str = next((kind for type_, kind in _OF_TYPES.items() if type_ in named), "")
    notices: list[Notice] = []
    about: list[str] = []
    for kind, identifiers in related:
        if kind in _SAID_OF_OTHERS:
            own = own or _SAID_OF_OTHERS[kind]
            about += identifiers
        elif kind in _SAID_BY_OTHERS:
            notices.append(Notice(_SAID_BY_OTHERS[kind], next(iter(identifiers), "")))
    if _RETRACTED_PUBLICATION in named or (split_retracted_title(title)[1] and not own):
        notices.append(Notice("retracted"))
    return NoticeFields(
        notices=merge_notices(notices), notice=own, notice_of=tuple(dict.fromkeys(about))
    )

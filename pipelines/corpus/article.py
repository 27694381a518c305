"""An article as every later stage sees it: one text, with offsets into it."""

from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Link, Reference, ReferenceList

SectionKind = Literal["title", "abstract", "body", "caption"]


class Sentence(NamedTuple):
    """`text[start:end]` of its article, without white space at either end."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of the article's text. `title` joins nested headings with " / "."""

    title: str
    start: int
    end: int
    kind: SectionKind = "body"

    @property
    def name(self) -> str:
        """Its title, or its kind if it has no title."""
        return self.title or self.kind.capitalize()


class PageStart(NamedTuple):
    """From this offset into an article's text on, up to the next one, the text is on that page."""

    offset: int
    page: int


@dataclass(frozen=True, slots=True)
class Article:
    """One article.

    Attributes:
        id: unique within a collection.
        text: all that can be cited, in reading order; a blank line stands between
            paragraphs and never inside one. Headings are not part of it.
        sections: in order of their start, without overlap.
        sentences: those that the format brings itself, in order; None where the text is
            still to be split.
        also_known_as: other identifiers by which a user may ask for it.
        publication: authors, year, journal and identifiers, as far as the format has them.
        links: from its text to its reference list, in order of their start, without overlap.
        links_elsewhere: the names that its other links have, from what is not text, such as cells
            of tables; one item for each link.
        reference_list: what it cites, and what of it can't be read.
        pages: where its text is printed, in order of the offsets; empty where the format has no
            pages. Captions and footnotes may go back a page.
        source: the file that it was read from, and the place in it, for messages.
        digest: of the bytes that it was read from and of how they are read, for a load to know them
            again; "" where they hold more than this article, or not all of it.
    """

    id: str
    title: str
    text: str
    source: str
    sections: tuple[Section, ...] = ()
    sentences: tuple[Sentence, ...] | None = None
    also_known_as: tuple[str, ...] = ()
    publication: Publication = field(default_factory=Publication)
    links: tuple[Link, ...] = ()
    links_elsewhere: tuple[tuple[str, ...], ...] = ()
    reference_list: ReferenceList = field(default_factory=ReferenceList, repr=False)
    pages: tuple[PageStart, ...] = ()
    digest: str = field(default="", repr=False, compare=False)

    @property
    def references(self) -> tuple[Reference, ...]:
        """Its reference list, in order."""
        return self.reference_list.references


_LONGEST_REASON: Final = 800  # characters


@dataclass(frozen=True, slots=True)
class Rejected:
    """An input that did not become an article, and why.

    Attributes:
        source: the file, and where it helps the place in it ("articles.jsonl:17").
        reason: one line that says what is wrong and what to do; of a long one, which quotes the
            input, the beginning and the end.
        outcome: "skipped" for what is sound but not to be indexed, "quarantined" for what
            is broken.
    """

    source: str
    reason: str
    outcome: Literal["skipped", "quarantined"] = "quarantined"

    def __post_init__(self) -> None:
        if len(self.reason) > _LONGEST_REASON:
            cut = f"{self.reason[: _LONGEST_REASON // 2]} … {self.reason[-_LONGEST_REASON // 4 :]}"
            object.__setattr__(self, "reason", cut)

    def to_json(self) -> dict[str, str]:
        """Return it as the lists of `--json` have it."""
        return {"path": self.source, "reason": self.reason}

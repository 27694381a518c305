"""An article as every later stage sees it: one text, with offsets into it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

SectionKind = Literal["title", "abstract", "body", "caption"]


@dataclass(frozen=True, slots=True)
class Sentence:
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
        read_references: reads the entries of its reference list, which a load does without.
        source: the file that it was read from, and the place in it, for messages.
    """

    id: str
    title: str
    text: str
    source: str
    sections: tuple[Section, ...] = ()
    sentences: tuple[Sentence, ...] | None = None
    also_known_as: tuple[str, ...] = ()
    read_references: Callable[[], tuple[str, ...]] = field(default=tuple, repr=False, compare=False)

    @property
    def references(self) -> tuple[str, ...]:
        """The entries of its reference list, as text."""
        return self.read_references()


@dataclass(frozen=True, slots=True)
class Rejected:
    """An input that did not become an article, and why.

    Attributes:
        source: the file, and where it helps the place in it ("articles.jsonl:17").
        reason: one line that says what is wrong and what to do.
        outcome: "skipped" for what is sound but not to be indexed, "quarantined" for what
            is broken.
    """

    source: str
    reason: str
    outcome: Literal["skipped", "quarantined"] = "quarantined"

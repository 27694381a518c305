"""Paragraphs laid out as the text and sections of an article."""

from collections.abc import Iterable
from dataclasses import dataclass

from citespan.pipelines.corpus.article import Section, SectionKind

MAX_HEADING = 500


@dataclass(frozen=True, slots=True)
class Heading:
    """Where a paragraph stands.

    Paragraphs in a row with the same heading (not merely an equal one) form one section.
    `title` is cut at 500 characters, so that hostile nesting can't make it grow.
    """

    title: str
    kind: SectionKind = "body"

    def below(self, title: str, kind: SectionKind | None = None) -> "Heading":
        """The heading of a part of this one; `kind` is kept unless given."""
        if not title and kind in (None, self.kind):
            return self
        joined = " / ".join(part for part in (self.title, title) if part)
        return Heading(joined[:MAX_HEADING], kind or self.kind)


def collapsed(text: str) -> str:
    """`text` with every run of white space as one space, and none at either end."""
    return " ".join(text.split())


def lay_out(paragraphs: Iterable[tuple[Heading, str]]) -> tuple[str, tuple[Section, ...]]:
    """The text, a blank line between paragraphs, and its sections.

    Paragraphs must hold no blank line; empty ones are left out.
    """
    texts: list[str] = []
    sections: list[Section] = []
    current: Heading | None = None
    start = end = 0
    for heading, text in paragraphs:
        if not text:
            continue
        begins = end + 2 if texts else 0
        if heading is not current:
            if current is not None:
                sections.append(Section(current.title, start, end, current.kind))
            current, start = heading, begins
        end = begins + len(text)
        texts.append(text)
    if current is not None:
        sections.append(Section(current.title, start, end, current.kind))
    return "\n\n".join(texts), tuple(sections)

"""The text and sections of an article, laid out from paragraphs or found in plain text, and what
paragraphs of all formats have: white space, and numbers above the line.
"""

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from citespan.pipelines.corpus.article import Section, SectionKind

MAX_HEADING = 500
PARAGRAPH_BREAK = 2
"""Characters of the blank line between two paragraphs."""

_LONGEST_TITLE = 300
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
RAISED_DIGIT = "[⁰¹²³⁴⁵⁶⁷⁸⁹]"
"""A pattern of one of Unicode's superscripts."""
_RAISED_DIGIT = re.compile(RAISED_DIGIT)
_SHOWN = re.compile(r"[^\s\ufeff]")
_RAISED = re.compile(r"[\s\d,;‐‑‒–—−()-]+")
_DIGIT = re.compile(r"\d")
_BRACKETS = str.maketrans("", "", "()")


@dataclass(frozen=True, slots=True)
class Heading:
    """Where a paragraph stands.

    Paragraphs in a row with the same heading (not merely an equal one) form one section.
    `title` is cut at 500 characters, so that hostile nesting can't make it grow.
    """

    title: str
    kind: SectionKind = "body"

    def below(self, title: str, kind: SectionKind | None = None) -> "Heading":
        """Return the heading of a part of this one; `kind` is kept unless given."""
        if not title and kind in (None, self.kind):
            return self
        joined = " / ".join(part for part in (self.title, title) if part)
        return Heading(joined[:MAX_HEADING], kind or self.kind)


class Outline:
    """The headings that a place in a text stands below, where headings have levels.

    Args:
        abstract: what the abstract may be called, in lower case.
    """

    def __init__(self, abstract: Container[str] = ("abstract",)) -> None:
        self._abstract = abstract
        self._titles: dict[int, str] = {}

    def enter(self, level: int, title: str) -> Heading:
        """Return the heading of what follows a title; lower levels stand above higher ones."""
        above = {other: text for other, text in self._titles.items() if other < level}
        self._titles = above | {level: title}
        heading = Heading("")
        for text in self._titles.values():
            is_abstract = text.rstrip(" .:—–-").lower() in self._abstract
            heading = heading.below(text, "abstract" if is_abstract else None)
        return heading


def collapse_space(text: str) -> str:
    """`text` with every run of white space as one space, and none at either end."""
    return " ".join(text.split())


def raise_numbers(text: str) -> str:
    """Return what stands above the line, such as "1, 2", with Unicode's superscripts and without
    spaces and brackets, as in "1)", by which citation markers are told from other numbers; other
    text as it is."""
    if not _RAISED.fullmatch(text):
        return text
    bare = text.translate(_BRACKETS) if _DIGIT.search(text) else text
    numbers = "".join(bare.split()).translate(_SUPERSCRIPTS)
    return numbers + " " if text[-1].isspace() else numbers


def is_byline(text: str) -> bool:
    """Whether a paragraph above all others is a line of authors or of their addresses, with
    raised numbers that tell which address is whose and cite nothing."""
    is_sentence = _RAISED_DIGIT.sub("", text).rstrip(", ").endswith((".", "?", "!"))
    return bool(_RAISED_DIGIT.match(text) or (_RAISED_DIGIT.search(text) and not is_sentence))


def collapse_places(text: str, collapsed: str, places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Find where places in a text are once its white space is collapsed.

    Args:
        collapsed: what `collapse_space` makes of `text`.
        places: offsets into `text`, in ascending order.

    Yields:
        Of each, where the word before it ends, and where the next word starts.
    """
    if collapsed == text:
        for place in places:
            behind = place > 0 and text[place - 1] == " "
            before = place > 0 and not behind and text[place : place + 1] == " "
            yield place - behind, place + before
        return
    ended = position = 0
    after_space = True
    for place in places:
        part = text[position:place]
        words = len(collapse_space(part))
        if words:
            ended += words + (ended > 0 and (after_space or part[0].isspace()))
        if part:
            after_space = part[-1].isspace()
        position = place
        spaced = after_space or text[place : place + 1].isspace()
        yield ended, ended + (ended > 0 and spaced)


def lay_out(paragraphs: Iterable[tuple[Heading, str]]) -> tuple[str, tuple[Section, ...]]:
    """Return the text, a blank line between paragraphs, and its sections.

    Paragraphs must hold no blank line; empty ones are left out.
    """
    texts: list[str] = []
    sections: list[Section] = []
    current: Heading | None = None
    start = end = 0
    for heading, text in paragraphs:
        if not text:
            continue
        begins = end + PARAGRAPH_BREAK if texts else 0
        if heading is not current:
            if current is not None:
                sections.append(Section(current.title, start, end, current.kind))
            current, start = heading, begins
        end = begins + len(text)
        texts.append(text)
    if current is not None:
        sections.append(Section(current.title, start, end, current.kind))
    return "\n\n".join(texts), tuple(sections)


def split_title(text: str) -> tuple[str, tuple[Section, ...]]:
    """Return the title and the sections of a text that is not blank: title and body, or body alone.

    The first line is a title if a blank line follows it, it is no longer than 300 characters
    and no full stop ends it.
    """
    first = _SHOWN.search(text)
    start, end = first.start() if first is not None else 0, len(text.rstrip())
    stop = text.find("\n", start)
    title = text[start : max(stop, start)].rstrip()
    next_stop = text.find("\n", stop + 1)
    if stop < 0 or next_stop < 0 or text[stop:next_stop].strip() or len(title) > _LONGEST_TITLE:
        return "", (Section("", start, end),)
    if title.endswith("."):
        return "", (Section("", start, end),)
    sections = [Section("", start, start + len(title), "title")]
    rest = len(text) - len(text[next_stop:].lstrip())
    if rest < end:
        sections.append(Section("", rest, end))
    return title, tuple(sections)

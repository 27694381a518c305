"""The title of a plain text: its first line, where it looks like one."""

from citespan.pipelines.corpus.article import Section

_LONGEST = 300


def titled(text: str) -> tuple[str, tuple[Section, ...]]:
    """The title and the sections of a text that is not blank: title and body, or body alone.

    The first line is a title if a blank line follows it, it is no longer than 300 characters
    and no full stop ends it.
    """
    start = len(text) - len(text.lstrip("\ufeff \t\r\n"))
    end = len(text.rstrip())
    stop = text.find("\n", start)
    title = text[start : max(stop, start)].rstrip()
    next_stop = text.find("\n", stop + 1)
    if stop < 0 or next_stop < 0 or text[stop:next_stop].strip() or len(title) > _LONGEST:
        return "", (Section("", start, end),)
    if title.endswith("."):
        return "", (Section("", start, end),)
    sections = [Section("", start, start + len(title), "title")]
    rest = len(text) - len(text[next_stop:].lstrip())
    if rest < end:
        sections.append(Section("", rest, end))
    return title, tuple(sections)

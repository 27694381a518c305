"""One JSON object of the JSON Lines format as an article."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, cast

from citespan.pipelines.corpus.article import Article, Rejected, Section, SectionKind, Sentence
from citespan.pipelines.corpus.paragraphs import Heading, collapsed, lay_out
from citespan.pipelines.errors import InputError

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_KINDS = ("abstract", "body", "caption")
_FORMS = ("text", "paragraphs", "sections")


def article_of(line: Any, source: str) -> Article | Rejected:
    """The article that a line describes, by the schema of the jsonl reader.

    Raises:
        InputError: naming the key that doesn't fit the schema.
    """
    if not isinstance(line, dict):
        raise InputError("not a JSON object")
    identifier = line.get("id")
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        identifier = str(identifier)
    if not isinstance(identifier, str) or not identifier.strip():
        raise InputError('"id" is missing or not a string')
    title = collapsed(_string(line, "title"))
    text, sections = _text(line, title)
    if not text.strip():
        return Rejected(source, "no text", "skipped")
    return Article(
        id=identifier.strip(),
        title=title,
        text=text,
        source=source,
        sections=sections,
        sentences=_sentences(line, text),
        also_known_as=tuple(_strings(line, "also_known_as")),
        read_references=partial(tuple, _strings(line, "references")),
    )


def _text(line: dict[str, Any], title: str) -> tuple[str, tuple[Section, ...]]:
    forms = [form for form in _FORMS if line.get(form) is not None]
    if len(forms) > 1:
        raise InputError(f'"{forms[0]}" and "{forms[1]}" are both given; give one')
    if not forms:
        return "", ()
    if forms == ["text"]:
        text = _string(line, "text")
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        return text, (Section("", start, end),) if start < end else ()
    paragraphs = list(_body(line, forms[0]))
    if not any(text for _, text in paragraphs):
        return "", ()
    return lay_out([(Heading("", "title"), title), *paragraphs])


def _body(line: dict[str, Any], form: str) -> Iterator[tuple[Heading, str]]:
    if form == "paragraphs":
        heading = Heading("")
        for text in _strings(line, "paragraphs"):
            yield heading, collapsed(text)
        return
    if not isinstance(line["sections"], list):
        raise InputError('"sections" is not a list')
    for section in line["sections"]:
        if not isinstance(section, dict):
            raise InputError('"sections" holds something else than objects')
        kind = section.get("kind", "body")
        if kind not in _KINDS:
            raise InputError(f'"kind" of a section is none of {", ".join(_KINDS)}')
        heading = Heading(collapsed(_string(section, "title")), cast(SectionKind, kind))
        texts = _BLANK_LINE.split(_string(section, "text")) + _strings(section, "paragraphs")
        for text in texts:
            yield heading, collapsed(text)


def _sentences(line: dict[str, Any], text: str) -> tuple[Sentence, ...] | None:
    pairs = line.get("sentences")
    if pairs is None:
        return None
    if line.get("text") is None:
        raise InputError('"sentences" are offsets into "text", which is missing')
    if not isinstance(pairs, list):
        raise InputError('"sentences" is not a list')
    found = []
    last = 0
    for number, pair in enumerate(pairs, 1):
        match pair:
            case [int(start), int(end)] if last <= start < end <= len(text):
                written = text[start:end]
            case _:
                raise InputError(f'"sentences" number {number} is not [start, end] in order')
        bare = written.strip()
        if not bare or _BLANK_LINE.search(bare):
            raise InputError(f'"sentences" number {number} is blank or spans paragraphs')
        start += len(written) - len(written.lstrip())
        found.append(Sentence(start, start + len(bare)))
        last = end
    return tuple(found)


def _string(line: dict[str, Any], key: str) -> str:
    value = line.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f'"{key}" is not a string')
    return value


def _strings(line: dict[str, Any], key: str) -> list[str]:
    values = line.get(key)
    if values is None:
        return []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise InputError(f'"{key}" is not a list of strings')
    return values

r"""The .bbl files that biblatex reads: references as biber has taken them out of `.bib` files.

What BibTeX itself writes is text with `\bibitem`, which `readers/latex.py` reads.
"""

import re
from collections.abc import Iterator

from citespan.pipelines.corpus.bibliographies.bibtex import MOST_ENTRIES, find_end, make_reference
from citespan.pipelines.corpus.references import Reference

_ENTRY = re.compile(r"\\entry\{([^{}]{1,200})\}\{[^{}]{0,40}\}")
_END = re.compile(r"\\(?:endentry|entry|enddatalist)(?![A-Za-z])")
_PART = re.compile(
    r"\\(?:(field|name|list)\{([a-z]{1,40})\}(?:\{[^{}]{0,200}\}){0,2}[\s%]*+(?=\{)"
    r"|verb\{([a-z]{1,40})\}\s*+\\verb[ \t]([^\n]{0,500})\n)"
)
_NAME_PART = re.compile(r"(prefix|family|given|suffix)=(?=\{)")
_DELIMITER = re.compile(r"\\bibnamedelim[a-z]\s?")


def parse_bbl(text: str, source: str) -> Iterator[Reference | str]:
    """Yield the references of a file, and a line for each entry that is broken; nothing of what
    BibTeX has written.

    Args:
        source: the file's name for messages.
    """
    known = set[str]()  # each list of a file that prints several has its entries
    start = 0
    while begun := _ENTRY.search(text, start):
        ended = _END.search(text, begun.end())
        start = ended.start() if ended is not None else len(text)
        if begun[1] in known:
            continue
        known.add(begun[1])
        if len(known) > MOST_ENTRIES:
            yield f"{source}: more than {MOST_ENTRIES:,} entries; the rest is left out"
            return
        try:
            yield make_reference(begun[1], _read_fields(text[begun.end() : start]))
        except ValueError as error:
            yield f"{source}: entry '{begun[1]}' {error}; it is left out"


def _read_fields(entry: str) -> dict[str, str]:
    """Return the fields of an entry as a `.bib` file has them.

    Raises:
        ValueError: saying what is wrong with the entry.
    """
    fields: dict[str, str] = {}
    position = 0
    while found := _PART.search(entry, position):
        command, name, verbatim, value = found.groups()
        position = found.end()
        if command:
            value, position = _take_group(entry, position)
        if command == "name":
            people = [_write_name(person) for person in _split_groups(value)]
            value = " and ".join(filter(None, people))
        elif command == "list":
            value = next(_split_groups(value), "")
        fields.setdefault(name or verbatim, value)
    return fields


def _write_name(person: str) -> str:
    parts: dict[str, str] = {}
    position = 0
    while name := _NAME_PART.search(person, position):
        value, position = _take_group(person, name.end())
        parts[name[1]] = _DELIMITER.sub(" ", value)
    surname = " ".join(filter(None, (parts.get("prefix"), parts.get("family"))))
    return f"{surname}, {parts['given']}" if "given" in parts else f"{{{surname}}}"


def _split_groups(text: str) -> Iterator[str]:
    """Yield what each pair of outer braces holds."""
    position = text.find("{")
    while position >= 0:
        inside, end = _take_group(text, position)
        yield inside
        position = text.find("{", end)


def _take_group(text: str, start: int) -> tuple[str, int]:
    """Return what the braces at `start` hold, and where the text behind them begins.

    Raises:
        ValueError: if they do not close.
    """
    end = find_end(text, start, len(text))
    return text[start + 1 : end], end + 1

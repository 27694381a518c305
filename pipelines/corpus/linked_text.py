"""What readers of manuscripts share: citation commands made numbers, and bibliographies."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from stat import S_ISREG

from citespan.pipelines.corpus.bibliographies.bibliography import ENDINGS, read_bibliography
from citespan.pipelines.corpus.files import STANDARD_INPUT
from citespan.pipelines.corpus.inline_text import LinkedParagraph
from citespan.pipelines.corpus.paragraphs import Heading, collapse_places, collapse_space
from citespan.pipelines.corpus.references import Link, Reference, ReferenceList
from citespan.pipelines.errors import InputError


@dataclass
class CitedKeys:
    """The keys that a manuscript cites, numbered in the order of their first citation.

    A citation command becomes what a reader of the printed page sees: "[1, 2]". Within a paragraph
    that is still to be laid out, `mark` puts it between control characters, which `lay` removes.
    """

    numbers: dict[str, int] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)

    def mark(self, keys: Iterable[str]) -> str:
        """Return the marker of some keys, to be laid out; "" for no key."""
        shown = []
        for key in dict.fromkeys(filter(None, map(str.strip, keys))):
            if key not in self.numbers:
                self.keys.append(key)
                self.numbers[key] = len(self.keys)
            shown.append(f"\x02{self.numbers[key]}\x03")
        return f"[{', '.join(shown)}]" if shown else ""

    def lay(self, heading: Heading, written: str) -> LinkedParagraph:
        """Return a paragraph with white space collapsed and the links of its markers."""
        parts, edges, names, end, length = [], [], [], 0, 0
        for found in _MARKED.finditer(written):
            parts += [written[end : found.start()], found[1]]
            length += found.start() - end
            edges += [length, length + len(found[1])]
            names.append((self.keys[int(found[1]) - 1],))
            length += len(found[1])
            end = found.end()
        flat = "".join([*parts, written[end:]])
        text = collapse_space(flat)
        places = list(collapse_places(flat, text, edges))
        links = tuple(
            Link(places[2 * at][1], places[2 * at + 1][0], name) for at, name in enumerate(names)
        )
        return LinkedParagraph(heading, text, links)

    def label(self, listed: ReferenceList) -> ReferenceList:
        """Return references labelled with the numbers of their keys, those that are cited."""
        numbered = (
            replace(reference, label=str(self.numbers.get(reference.key, "")))
            for reference in listed.references
        )
        return replace(listed, references=tuple(numbered))


_MARKED = re.compile("\x02(\\d+)\x03")


def remove_controls(text: str) -> str:
    """Return a text without the characters that mark citations."""
    return text.replace("\x02", " ").replace("\x03", " ")


def read_bibliographies(manuscript: Path, names: Sequence[str], listed: str) -> ReferenceList:
    """Return the references of a reference manager's files, which must lie in the manuscript's
    folder or below it.

    Args:
        names: as the manuscript writes them; ".bib" is added to one without any of `ENDINGS`.
        listed: where it names them, for messages.
    """
    references: list[Reference] = []
    problems: list[str] = []
    for name in names:
        known = name.lower().endswith(ENDINGS)
        try:
            file = find_beside(manuscript, name if known else f"{name}.bib", listed)
        except InputError as error:
            problems.append(str(error))
            continue
        try:
            found = read_bibliography(file, name)
        except InputError as error:
            problems.append(f"{name}: {error}")
            continue
        references += found.references
        problems += found.problems
    return ReferenceList(tuple(references), tuple(problems))


def find_beside(manuscript: Path, name: str, listed: str) -> Path:
    """Return a file that a manuscript names, which must lie in its folder or below it.

    Args:
        listed: where it is named, for messages.

    Raises:
        InputError: if it lies elsewhere, or is missing.
    """
    folder = manuscript.parent.resolve()
    is_there = False
    try:
        file = (folder / name).resolve()
        with suppress(FileNotFoundError, NotADirectoryError):
            # `is_file` does not raise what is wrong with a name from Python 3.14 on
            is_there = file.is_relative_to(folder) and S_ISREG(file.stat().st_mode)
    except (OSError, ValueError) as error:  # such as a name of 300 letters
        raise InputError(f"{listed} names {name[:80]!r}, which is no name of a file") from error
    if manuscript == STANDARD_INPUT or not file.is_relative_to(folder):
        raise InputError(f"{listed} names {name}, which is not in the manuscript's folder")
    if not is_there:
        raise InputError(f"{file.name}, which {manuscript.name} names, is missing")
    return file

"""Word's documents, .docx: one article a file.

The text is that of the paragraphs, of footnotes and endnotes behind the paragraph that refers to
them, and of tables of words, row by row. Headings are those by their style, and short paragraphs in
bold or in capitals. Tables of numbers, comments, text boxes, deleted text, and the authors and
addresses above the first sentence that have raised numbers are not text. Other raised numbers
become Unicode's superscripts, in which markers are recognised.

References are the paragraphs below a line "References" or the like; where Word itself numbers them,
their numbers are counted. Where there are none, footnotes or endnotes are the references if most of
them read as such, and their numbers are markers. The fields by which reference managers cite are
read as what they show, and their records complete the references.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.bibliographies.word_fields import add_records, read_word_fields
from citespan.pipelines.corpus.file_reader import ManuscriptReader
from citespan.pipelines.corpus.files import STANDARD_INPUT
from citespan.pipelines.corpus.inline_text import LinkedParagraph, make_article
from citespan.pipelines.corpus.paragraphs import (
    RAISED_DIGIT,
    Heading,
    Outline,
    collapse_space,
    is_byline,
    raise_numbers,
)
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.reference_section import follows_references, is_reference_heading
from citespan.pipelines.corpus.reference_text import are_references, read_entries
from citespan.pipelines.corpus.xml import find_child, local_name, parse
from citespan.pipelines.corpus.zip_file import read_members
from citespan.pipelines.errors import InputError

_DOCUMENT, _STYLES = "word/document.xml", "word/styles.xml"
_NOTES = ("word/endnotes.xml", "word/footnotes.xml")
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_NOT_TEXT = frozenset(("del", "moveFrom", "pPr", "rPr", "txbxContent"))
_CONTAINERS = frozenset(
    ("body", "customXml", "endnote", "footnote", "ins", "sdt", "sdtContent", "smartTag")
)
_SPACES = frozenset(("br", "cr", "p", "tab"))
_MARKS = frozenset(("endnoteReference", "footnoteReference"))
_LETTERS = re.compile(r"[^\W\d_]{2}")
_ENDS_RAISED = re.compile(rf"{RAISED_DIGIT}\Z")
# neither the caption of a table nor a sentence, and nothing that cites
_UNSTYLED_HEADING = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?\s+)?[^\d\[\]]{1,100}(?<![.;,])")
_LONGEST_TITLE = 300
_TITLE_LEVEL = 0
_UNSTYLED_LEVEL = 9  # of a heading without a style, below all that have one


@readers.register
class DocxReader(ManuscriptReader):
    """Reads files called .docx."""

    name = "docx"
    description = "Word's documents (.docx), an article a file"
    self_contained = True

    def looks_like(self, file: Path) -> bool:
        return file.suffix.lower() == ".docx"

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:
        if file == STANDARD_INPUT or not self.looks_like(file):
            yield self.skip(file, source, "a Word document by its name (.docx)")
            return
        members = read_members(file, _choose_parts, "save it again as .docx")
        if _DOCUMENT not in members:
            raise InputError(f"not a Word document: it has no {_DOCUMENT}")
        parts = {part: parse(data) for part, data in members.items()}
        styles = _read_style_names(parts[_STYLES]) if _STYLES in parts else {}
        notes = [parts[part] for part in _NOTES if part in parts]
        yield _read_article(parts[_DOCUMENT], styles, _Notes(notes), file.stem, source)


class _Notes:
    """The footnotes and endnotes of a document that the text has not referred to yet.

    Args:
        may_be_list: whether the references may be footnotes or endnotes.

    Attributes:
        roots: of the files that they are in.
        cited: the references that the text has referred to, in that order.
        pending: the other notes that the last paragraph has referred to.
    """

    def __init__(self, roots: Sequence[etree._Element], *, may_be_list: bool = True) -> None:
        self.roots = roots
        self.cited: list[str] = []
        self.pending: list[str] = []
        self._texts = {f"{local_name(root.tag)[:-1]}Reference": _read_notes(root) for root in roots}
        lists = {mark: len(of) for mark, of in self._texts.items() if are_references(of.values())}
        self.list_mark = max(lists, key=lists.__getitem__, default="") if may_be_list else ""

    def show(self, reference: etree._Element) -> str:
        """Return the number that the text shows of a note if it is a reference, else ""; each note
        counts once."""
        mark = local_name(reference.tag)
        text = self._texts.get(mark, {}).pop(reference.get(f"{_WORD}id") or "", "")
        if not text:
            return ""
        if mark != self.list_mark:
            self.pending.append(text)
            return ""
        self.cited.append(text)
        return raise_numbers(str(len(self.cited)))


def _read_notes(root: etree._Element) -> dict[str, str]:
    """Return the texts of notes by their ids."""
    found = {}
    for note in root:
        blocks = (_read(paragraph, {}) for paragraph in _find_paragraphs(note))
        text = " ".join(block.text for block in blocks if block.text)
        if text:
            found[note.get(f"{_WORD}id") or ""] = text
    return found


def _choose_parts(names: Iterable[str]) -> list[str]:
    return [part for part in names if part in (_DOCUMENT, _STYLES, *_NOTES)]


def _read_style_names(root: etree._Element) -> dict[str, str]:
    """Return the names of styles by their ids: ids are in the language of the author's Word, the
    names of Word's own styles in English."""
    names = ((style.get(f"{_WORD}styleId"), find_child(style, "name")) for style in root)
    return {id_: name.get(f"{_WORD}val") or "" for id_, name in names if id_ and name is not None}


def _read_article(
    root: etree._Element, styles: dict[str, str], notes: _Notes, name: str, source: str
) -> Article | Rejected:
    body = find_child(root, "body")
    blocks = list(_read_blocks(body, styles, notes)) if body is not None else []
    title = ""
    if blocks:
        level, first, _ = blocks[0]
        if level == _TITLE_LEVEL or (len(first) <= _LONGEST_TITLE and not first.endswith(".")):
            title = blocks.pop(0).text
    paragraphs: list[LinkedParagraph] = []
    entries: list[str] = []
    outline, heading = Outline(), Heading("")
    for level, text, is_item in blocks:
        if level is not None or is_reference_heading(text):
            heading = outline.enter(level or 1, text)
        elif is_reference_heading(heading.title) and follows_references(text):
            outline, heading = Outline(), Heading("")
            paragraphs.append(LinkedParagraph(heading, text))
        elif is_reference_heading(heading.title):
            entries.append(f"{len(entries) + 1}. {text}" if is_item else text)
        elif paragraphs or heading.title or not is_byline(text):
            paragraphs.append(LinkedParagraph(heading, text))
    known = Publication(title=title)
    written = [body] if body is not None else []
    if notes.list_mark and (entries or any(read_word_fields(*written))):
        others = _Notes(notes.roots, may_be_list=False)
        return _read_article(root, styles, others, name, source)
    entries += [f"{number}. {text}" for number, text in enumerate(notes.cited, 1)]
    cited = read_word_fields(*written, *notes.roots)
    references = add_records(read_entries(entries), cited)
    return make_article(name, source, known, paragraphs, references)


class _Block(NamedTuple):
    """A paragraph, note or row of a table.

    Attributes:
        level: of a heading, 0 for a title and None for other paragraphs.
        is_item: whether Word numbers it.
    """

    level: int | None
    text: str
    is_item: bool


def _read_blocks(body: etree._Element, styles: dict[str, str], notes: _Notes) -> Iterator[_Block]:
    for paragraph in _find_paragraphs(body):
        block = _read(paragraph, styles, notes)
        if block.text:
            yield block
        yield from (_Block(None, text, False) for text in notes.pending)
        notes.pending.clear()


def _find_paragraphs(body: etree._Element) -> Iterator[etree._Element]:
    """Yield paragraphs, and the rows of tables of words."""
    walker = etree.iterwalk(body, events=("start",))
    for _, node in walker:
        name = local_name(node.tag)
        if name == "p":
            yield node
        elif name == "tbl":
            cells = [cell for text in node.iter("{*}t") for cell in (text.text or "").split()]
            if 2 * sum(_LETTERS.search(cell) is not None for cell in cells) >= len(cells):
                yield from node.iterchildren("{*}tr")
        if name not in _CONTAINERS:
            walker.skip_subtree()


def _read_style(paragraph: etree._Element, styles: dict[str, str]) -> tuple[int | None, bool]:
    """Return the level of a heading by its style, and whether Word numbers it."""
    properties = find_child(paragraph, "pPr")
    if properties is None:
        return None, False
    style = find_child(properties, "pStyle")
    id_ = (style.get(f"{_WORD}val") or "") if style is not None else ""
    named = styles.get(id_, id_).lower()
    level = None
    if named.startswith("heading"):
        level = int(named[-1]) if named[-1] in "123456789" else 1
    elif named == "title":
        level = _TITLE_LEVEL
    return level, find_child(properties, "numPr") is not None


def _read(paragraph: etree._Element, styles: dict[str, str], notes: _Notes | None = None) -> _Block:
    """
    Args:
        notes: of the document; None within a note.
    """
    level, is_item = _read_style(paragraph, styles)
    parts: list[str] = []
    is_raised = is_bold = has_plain = False
    walker = etree.iterwalk(paragraph, events=("start",))
    for _, node in walker:
        name = local_name(node.tag)
        if name in _NOT_TEXT:
            walker.skip_subtree()
        elif name == "r":
            is_raised, is_bold = _read_format(node)
        elif name == "t":
            shown = node.text or ""
            parts.append(raise_numbers(shown) if is_raised else shown)
            has_plain |= not is_bold and not shown.isspace()
        elif name in _SPACES:
            parts.append(" ")
        elif name == "noBreakHyphen":
            parts.append("-")
        elif name in _MARKS and notes is not None:
            number = notes.show(node)
            follows = number and _ENDS_RAISED.search("".join(parts[-1:]))
            parts.append(f",{number}" if follows else number)
    text = collapse_space("".join(parts))
    stands_out = text.isupper() or not has_plain
    if stands_out and level is None and notes is not None and local_name(paragraph.tag) == "p":
        is_heading = _UNSTYLED_HEADING.fullmatch(text) is not None and not is_byline(text)
        level = _UNSTYLED_LEVEL if is_heading else None
    return _Block(level, text, is_item)


def _read_format(run: etree._Element) -> tuple[bool, bool]:
    """Return whether a run is raised, and whether it is bold."""
    properties = find_child(run, "rPr")
    if properties is None:
        return False, False
    aligned, bold = find_child(properties, "vertAlign"), find_child(properties, "b")
    is_raised = aligned is not None and aligned.get(f"{_WORD}val") == "superscript"
    return is_raised, bold is not None and bold.get(f"{_WORD}val") not in ("0", "false", "off")

"""Word's documents, .docx: one article a file.

The text is that of the paragraphs; headings are those by their style. Tables, notes, comments, text
boxes, deleted text, and the authors and addresses above the first sentence that have raised numbers
are not text. Other raised numbers become Unicode's superscripts, in which markers are recognised.
References are the paragraphs below a line "References" or the like; where Word itself numbers them,
their numbers are counted. Where there are none, footnotes or endnotes are the references if most of
them read as such, and their numbers are markers. The fields by which reference managers cite are
read as what they show, and their records complete the references.
"""

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from citespan.pipelines.corpus.article import Article, Rejected, SectionKind
from citespan.pipelines.corpus.bibliographies.word_fields import add_records, read_word_fields
from citespan.pipelines.corpus.file_reader import ManuscriptReader
from citespan.pipelines.corpus.files import MAX_BYTES, STANDARD_INPUT
from citespan.pipelines.corpus.inline_text import LinkedParagraph, make_article
from citespan.pipelines.corpus.paragraphs import Heading, collapse_space, is_byline, raise_numbers
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.reference_text import (
    are_references,
    is_reference_heading,
    read_entries,
)
from citespan.pipelines.corpus.xml import find_child, local_name, parse
from citespan.pipelines.errors import InputError

_DOCUMENT, _STYLES = "word/document.xml", "word/styles.xml"
_NOTES = {"word/endnotes.xml": "endnoteReference", "word/footnotes.xml": "footnoteReference"}
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_NOT_TEXT = frozenset(("del", "moveFrom", "pPr", "rPr", "txbxContent"))
_CONTAINERS = frozenset(
    ("body", "customXml", "endnote", "footnote", "ins", "sdt", "sdtContent", "smartTag")
)
_SPACES = frozenset(("br", "cr", "tab"))
_LONGEST_TITLE = 300
_TITLE_LEVEL = 0


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
        parts = {part: parse(data) for part, data in _unpack(file).items()}
        document = parts[_DOCUMENT]
        names = _read_style_names(parts[_STYLES]) if _STYLES in parts else {}
        read = {_NOTES[part]: root for part, root in parts.items() if part in _NOTES}
        notes = max((_read_notes(*each) for each in read.items()), key=len, default=_Notes())
        yield _read_article(document, names, notes, file.stem, source)


@dataclass
class _Notes:
    """The footnotes or endnotes of a document whose notes are its references.

    Attributes:
        mark: the element by which the text refers to a note.
        texts: of the notes, by their ids.
        root: of all of them.
        cited: ids of the notes that the text refers to, in that order.
    """

    mark: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    root: etree._Element | None = None
    cited: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.texts)

    def number(self, reference: etree._Element) -> str:
        """Return the number that the text shows of a note, "" if there is none."""
        id_ = reference.get(f"{_WORD}id") or ""
        if id_ not in self.texts:
            return ""
        self.cited.append(id_)
        return str(len(self.cited))


def _read_notes(mark: str, root: etree._Element) -> _Notes:
    """Return notes, none if they are no references."""
    paragraphs = ((note.get(f"{_WORD}id") or "", _find_paragraphs(note)) for note in root)
    texts = {id_: " ".join(_read(each, {})[1] for each in some).strip() for id_, some in paragraphs}
    texts = {id_: text for id_, text in texts.items() if text}
    return _Notes(mark, texts, root) if are_references(texts.values()) else _Notes()


def _unpack(file: Path) -> dict[str, bytes]:
    """Return the XML of the document, and of its styles and notes if it has any.

    Raises:
        InputError: if it can't be unpacked, or is larger than any article.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            names = [
                _DOCUMENT,
                *(name for name in (_STYLES, *_NOTES) if name in archive.NameToInfo),
            ]
            parts = {name: archive.open(name).read(MAX_BYTES + 1) for name in names}
    except KeyError as error:
        raise InputError(f"not a Word document: it has no {_DOCUMENT}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError) as error:
        raise InputError("broken or cut off; save it again as .docx") from error
    except (NotImplementedError, RuntimeError) as error:
        raise InputError("encrypted or packed in an unknown way; save it without") from error
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}") from error
    if sum(map(len, parts.values())) > MAX_BYTES:
        raise InputError(f"larger than {MAX_BYTES >> 20} MB when unpacked; split it")
    return parts


def _read_style_names(root: etree._Element) -> dict[str, str]:
    """Return the names of styles by their ids: ids are in the language of the author's Word, the
    names of Word's own styles in English."""
    names = ((style.get(f"{_WORD}styleId"), find_child(style, "name")) for style in root)
    return {id_: name.get(f"{_WORD}val") or "" for id_, name in names if id_ and name is not None}


def _read_article(
    root: etree._Element, styles: dict[str, str], notes: _Notes, name: str, source: str
) -> Article | Rejected:
    body = find_child(root, "body")
    paragraphs_of_body = _find_paragraphs(body) if body is not None else ()
    written = (_read(paragraph, styles, notes) for paragraph in paragraphs_of_body)
    blocks = [(level, text, is_item) for level, text, is_item in written if text]
    title = ""
    if blocks:
        level, first, _ = blocks[0]
        if level == _TITLE_LEVEL or (len(first) <= _LONGEST_TITLE and not first.endswith(".")):
            title = blocks.pop(0)[1]
    paragraphs: list[LinkedParagraph] = []
    entries: list[str] = []
    titles: dict[int, str] = {}
    heading = Heading("")
    for level, text, is_item in blocks:
        if level is not None or is_reference_heading(text):
            titles = {n: t for n, t in titles.items() if n < (level or 1)} | {level or 1: text}
            heading = Heading("")
            for above in titles.values():
                kind: SectionKind = "abstract" if above.lower() == "abstract" else "body"
                heading = heading.below(above, kind)
        elif is_reference_heading(heading.title):
            entries.append(f"{len(entries) + 1}. {text}" if is_item else text)
        elif paragraphs or heading.title or not is_byline(text):
            paragraphs.append(LinkedParagraph(heading, text))
    known = Publication(title=title)
    cited = list(read_word_fields(body)) if body is not None else []
    if notes and (entries or cited):
        return _read_article(root, styles, _Notes(), name, source)
    if notes.root is not None:
        entries = [f"{n}. {notes.texts[id_]}" for n, id_ in enumerate(notes.cited, 1)]
        cited = list(read_word_fields(notes.root))
    references = add_records(read_entries(entries), cited)
    return make_article(name, source, known, paragraphs, references)


def _find_paragraphs(body: etree._Element) -> Iterator[etree._Element]:
    walker = etree.iterwalk(body, events=("start",))
    for _, node in walker:
        name = local_name(node.tag)
        if name == "p":
            yield node
        if name not in _CONTAINERS:
            walker.skip_subtree()


def _read(
    paragraph: etree._Element, styles: dict[str, str], notes: _Notes | None = None
) -> tuple[int | None, str, bool]:
    """Return the level of a heading, 0 for a title and None for other paragraphs; the text; and
    whether Word numbers it."""
    properties = find_child(paragraph, "pPr")
    style = find_child(properties, "pStyle") if properties is not None else None
    id_ = (style.get(f"{_WORD}val") or "") if style is not None else ""
    named = styles.get(id_, id_).lower()
    level = None
    if named.startswith("heading"):
        level = int(named[-1]) if named[-1] in "123456789" else 1
    elif named == "title":
        level = _TITLE_LEVEL
    is_item = properties is not None and find_child(properties, "numPr") is not None
    parts: list[str] = []
    is_raised = False
    walker = etree.iterwalk(paragraph, events=("start",))
    for _, node in walker:
        name = local_name(node.tag)
        if name in _NOT_TEXT:
            walker.skip_subtree()
        elif name == "r":
            is_raised = _is_raised(node)
        elif name == "t":
            shown = node.text or ""
            parts.append(raise_numbers(shown) if is_raised else shown)
        elif name in _SPACES:
            parts.append(" ")
        elif name == "noBreakHyphen":
            parts.append("-")
        elif notes and name == notes.mark:
            number = raise_numbers(notes.number(node))
            follows = bool(number and parts) and parts[-1].isdigit() and not parts[-1].isdecimal()
            parts.append(f",{number}" if follows else number)
    return level, collapse_space("".join(parts)), is_item


def _is_raised(run: etree._Element) -> bool:
    properties = find_child(run, "rPr")
    aligned = find_child(properties, "vertAlign") if properties is not None else None
    return aligned is not None and aligned.get(f"{_WORD}val") == "superscript"

"""Reading the file of a reference manager, of whichever format."""

import re
from io import BufferedIOBase
from pathlib import Path
from urllib.parse import unquote, urlsplit

from citespan.pipelines.corpus.bibliographies.bibtex import parse_bibtex
from citespan.pipelines.corpus.bibliographies.csl_json import parse_csl_json
from citespan.pipelines.corpus.bibliographies.endnote import parse_endnote
from citespan.pipelines.corpus.bibliographies.ris import parse_ris
from citespan.pipelines.corpus.bibliographies.zotero import DATABASE, count_items, read_zotero
from citespan.pipelines.corpus.file_reader import count_records
from citespan.pipelines.corpus.files import (
    MAX_BYTES,
    STANDARD_INPUT,
    read_bytes,
    read_head,
    read_utf8,
)
from citespan.pipelines.corpus.references import ReferenceList
from citespan.pipelines.corpus.xml import find_first_tag
from citespan.pipelines.errors import InputError

ENDINGS = (".bib", ".bibtex", ".ris", ".json", ".xml")
"""Of the files that a manuscript may name as its bibliography."""
_TELLING = {
    ".json": re.compile(
        rb'(?s)\A(?:\xef\xbb\xbf)?\s*(?:\[.{0,9000}?"type"|\{.{0,9000}?"items"\s*:\s*\[)'
    ),
    ".ris": re.compile(rb"^TY  ?-", re.MULTILINE),
}
_STARTS = {
    ".bib": re.compile(rb"(?im)^[^\S\n]*@\s*(?!comment|string|preamble)[a-z]{1,40}\s*[{(]"),
    ".ris": _TELLING[".ris"],
    ".json": re.compile(rb'"(?:type|itemType)"\s*:'),
    ".xml": re.compile(rb"<record>"),
}


def is_bibliography(file: Path) -> bool:
    """Whether a file looks like one, by its name and its first bytes. Never raises."""
    if file == STANDARD_INPUT:
        return False
    ending = _ending(file)
    if ending == ".bib" or file.name == DATABASE:
        return True
    if ending == ".xml":
        start = read_head(file)
        return find_first_tag(start) == "xml" and b"<record" in start
    known = _TELLING.get(ending)
    return known is not None and known.search(read_head(file)) is not None


def read_bibliography(file: Path, source: str) -> ReferenceList:
    """Return the references of a file, by its ending, and a line for each that can't be read.

    Args:
        source: its name for messages.

    Raises:
        InputError: if nothing of it can be read; the message does not name it.
    """
    if file.name == DATABASE:
        return ReferenceList.of(read_zotero(file, source))
    ending = _ending(file)
    if ending in (".json", ".xml"):
        read = parse_csl_json if ending == ".json" else parse_endnote
        return ReferenceList.of(read(read_bytes(file), source))
    parse = parse_ris if ending == ".ris" else parse_bibtex
    text = read_utf8(file, MAX_BYTES).removeprefix("\ufeff")
    return ReferenceList.of(parse(text.replace("\r\n", "\n").replace("\r", "\n"), source))


def count_entries(file: Path) -> int:
    """Return about how many entries a file has, without reading them; at least 1."""
    if file.name == DATABASE:
        try:
            return max(1, count_items(file))
        except InputError:
            return 1
    begins = _STARTS.get(_ending(file))

    def count(content: BufferedIOBase) -> int:
        return len(begins.findall(content.read(MAX_BYTES))) if begins is not None else 1

    return count_records(file, count)


def find_attached(written: str, library: Path) -> Path:
    """Return where a file lies that a library names: by a path, in which its own folder is where a
    relative one begins, by a file's address, or as one that EndNote keeps."""
    folder = library.parent
    scheme, _, path = written.partition("://")
    if scheme == "internal-pdf":
        return folder / f"{library.stem}.Data" / "PDF" / unquote(path)
    if scheme == "file":
        return Path(unquote(urlsplit(written).path))
    return folder / written


def _ending(file: Path) -> str:
    ending = file.suffix.lower()
    return ".bib" if ending == ".bibtex" else ending

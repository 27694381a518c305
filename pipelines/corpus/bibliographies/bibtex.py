"""BibTeX files: their entries as references.

A broken entry is reported with its line and left out; reading goes on at the next "@" that begins
a line. Entries and abbreviations are bounded, so that neither can grow without end: an abbreviation
may be made of others, each twice as long as the one before.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from citespan.pipelines.corpus.identifiers import find_doi, find_pmcid, find_pmid
from citespan.pipelines.corpus.latex_text import remove_latex
from citespan.pipelines.corpus.publication import Publication, find_year
from citespan.pipelines.corpus.references import Reference

_ENTRY = re.compile(r"@\s*([A-Za-z]{1,40})\s*[{(]")
_NEXT = re.compile(r"^[^\S\n]*@", re.MULTILINE)
_KEY = re.compile(r"\s*([^\s,{}()=\"]{1,200})\s*(?=[,})])")
_NAME = re.compile(r"[\s,]*([A-Za-z][\w:.+-]{0,60})\s*=\s*")
_JOINED = re.compile(r"\s*#")
_WORD = re.compile(r"[^\s,#{}\"()]{1,200}")
_NOT_BRACES = re.compile(r"[^{}\\\"]+|\\.|[\"\\]", re.DOTALL)
_BRACE_OR_AND = re.compile(r"\\.|[{}]|(?<!\s)\s++and(?=\s)", re.DOTALL)
_SEMICOLON = re.compile(r"(?<!\\);")
_COLON = re.compile(r"(?<!\\):")
_ESCAPED = re.compile(r"\\([:;\\_&%#$ {}])")
_PARTS_OF_FILE = 3
_ARCHIVES = {"pubmed": "pmid", "pmid": "pmid", "pmc": "pmcid", "pmcid": "pmcid"}
MOST_ENTRIES = 100_000
_LONGEST_VALUE = 100_000
_MOST_EXPANDED = 20_000_000
"""Characters that words and abbreviations may stand for in a whole file."""


@dataclass(slots=True)
class _Parser:
    text: str
    source: str
    strings: dict[str, str] = field(default_factory=dict)
    nexts: list[int] = field(default_factory=list)
    expanded: int = 0

    def parse(self) -> Iterator[Reference | str]:
        self.nexts = [found.start() for found in _NEXT.finditer(self.text)]
        position = looked_at = entries = 0
        line = 1
        while found := _ENTRY.search(self.text, position):
            kind = found[1].lower()
            position = found.end()
            entries += 1
            if entries > MOST_ENTRIES:
                yield f"{self.source}: more than {MOST_ENTRIES:,} entries; the rest is left out"
                return
            if kind in ("comment", "preamble"):
                position = self._skip(position)
                continue
            try:
                if kind == "string":
                    fields, position = self._fields(position)
                    self.strings |= {name.lower(): value for name, value in fields.items()}
                    continue
                key = _KEY.match(self.text, position)
                if key is None:
                    raise ValueError("has no key")
                fields, position = self._fields(key.end())
                yield make_reference(key[1], fields)
            except ValueError as error:
                line += self.text.count("\n", looked_at, found.start())
                looked_at = found.start()
                named = f"entry '{key[1]}'" if kind != "string" and key else f"@{found[1]}"
                yield f"{self.source}:{line}: {named} {error}; it is left out"
                position = self._skip(found.end())

    def _skip(self, position: int) -> int:
        """Return where the next line with an entry begins, or the text ends."""
        after = bisect_left(self.nexts, position)
        return self.nexts[after] if after < len(self.nexts) else len(self.text)

    def _fields(self, position: int) -> tuple[dict[str, str], int]:
        """Return the fields from a position on, and where the entry ends.

        Raises:
            ValueError: saying what is wrong with the entry.
        """
        fields: dict[str, str] = {}
        limit = self._skip(position)
        while named := _NAME.match(self.text, position, limit):
            value, position = self._value(named.end(), limit)
            fields.setdefault(named[1].lower(), value)
        while position < limit and self.text[position] in " \t\r\n,":
            position += 1
        if position >= limit:
            raise ValueError("does not end; a brace is missing")
        if self.text[position] not in "})":
            raise ValueError("has a field that is not NAME = {VALUE}")
        return fields, position + 1

    def _value(self, position: int, limit: int) -> tuple[str, int]:
        parts, length = [], 0
        while True:
            while position < limit and self.text[position].isspace():
                position += 1
            first = self.text[position : position + 1] if position < limit else ""
            if first in ("{", '"') and first:
                end = find_end(self.text, position, limit)
                parts.append(self.text[position + 1 : end])
                position = end + 1
            elif word := _WORD.match(self.text, position, limit):
                parts.append(self.strings.get(word[0].lower(), word[0]))
                self.expanded += len(parts[-1])
                if self.expanded > _MOST_EXPANDED:
                    raise ValueError("uses abbreviations that are too long")
                position = word.end()
            else:
                raise ValueError("has a field without a value")
            length += len(parts[-1])
            if length > _LONGEST_VALUE:
                raise ValueError(f"has a value of more than {_LONGEST_VALUE:,} characters")
            joined = _JOINED.match(self.text, position, limit)
            if joined is None:
                return "".join(parts), position
            position = joined.end()


def find_end(text: str, start: int, limit: int) -> int:
    """Return where the brace or the quotation mark at `start` is closed, before `limit`.

    Raises:
        ValueError: if it is not.
    """
    quoted, depth, position = text[start] == '"', 0, start + 1
    while position < limit:
        character = text[position]
        if character == "{":
            depth += 1
        elif character == "}":
            if depth == 0 and not quoted:
                return position
            depth -= 1
            if depth < 0:
                break
        elif character == '"' and quoted and depth == 0:
            return position
        elif plain := _NOT_BRACES.match(text, position, limit):
            position = plain.end()
            continue
        position += 1
    raise ValueError("has unbalanced braces")


def parse_bibtex(text: str, source: str) -> Iterator[Reference | str]:
    """Yield the references of a BibTeX file, and a line for each entry that is broken.

    Args:
        source: the file's name for messages.
    """
    return _Parser(text, source).parse()


def make_reference(key: str, fields: dict[str, str]) -> Reference:
    """Return the reference of an entry with these fields."""
    plain = {name: remove_latex(value) for name, value in fields.items()}
    # Zotero's BibLaTeX has a PMID as `eprint = {123}, eprinttype = {pubmed}`.
    archive = (plain.get("eprinttype") or plain.get("archiveprefix", "")).lower()
    plain = {_ARCHIVES.get(archive, "eprint"): plain.get("eprint", "")} | plain
    written = plain.get("year") or plain.get("date", "")
    venues = (plain.get(name, "") for name in ("journal", "journaltitle", "booktitle", "publisher"))
    names = _split_names(fields.get("author") or fields.get("editor", ""))
    publication = Publication(
        authors=tuple(filter(None, map(_read_name, names))),
        title=plain.get("title", "").rstrip("."),
        year=find_year(written),
        journal=next(filter(None, venues), ""),
        pmid=find_pmid(plain.get("pmid", "")),
        pmcid=find_pmcid(plain.get("pmcid") or plain.get("pmc", "")),
        doi=find_doi(fields.get("doi", "").replace("\\", "")) or find_doi(plain.get("url", "")),
    )
    named = {"pmid": plain.get("pmid", ""), "doi": fields.get("doi", "")}
    files = tuple(_read_files(fields.get("file", "")))
    return Reference.of(key, publication, written, files, named)


def _read_files(written: str) -> Iterator[str]:
    """Yield the paths of a field `file`: "PATH", or "TITLE:PATH:TYPE" as JabRef, Mendeley and
    Zotero write it; several are separated by semicolons, and a backslash keeps what follows it."""
    for attached in _SEMICOLON.split(written):
        parts = _COLON.split(attached.strip())
        path = parts[1] if len(parts) >= _PARTS_OF_FILE else attached.strip()
        if path:
            yield _ESCAPED.sub(r"\1", path)


def _split_names(written: str) -> Iterator[str]:
    """Yield the names of a list: those between "and", which is part of a name within braces."""
    depth = start = 0
    for found in _BRACE_OR_AND.finditer(written):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth <= 0 and found[0].endswith("and"):
            yield written[start : found.start()]
            start = found.end()
    yield written[start:]


def _read_name(written: str) -> str:
    if written.strip().startswith("{") and written.strip().endswith("}"):
        return remove_latex(written)  # a group, whose name is not to be taken apart
    name = remove_latex(written)
    if "," in name or name.lower() == "others":
        return "" if name.lower() == "others" else name
    given, _, surname = name.rpartition(" ")
    while (particle := given.rpartition(" "))[2][:1].islower():
        given, surname = particle[0], f"{particle[2]} {surname}"
    return f"{surname}, {given}" if given else surname

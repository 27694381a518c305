"""Markdown as Pandoc reads it: one article a file, with citations such as `[@ito2001, p. 3; @ry]`.

Citations become numbers in brackets. References come from the BibTeX files that the front matter
or, beside the file, `_quarto.yml` names under `bibliography`, or from a section "References" of the
text itself. A key such as "doi:10.1000/x" or "pmid:12", as Manubot has them, is a reference by
itself, and "[@ito]: doi:10.1000/x" says what another key stands for. References to figures, tables,
equations and sections, as pandoc-crossref and Quarto have them, are no citations. Where there is
nothing of all this, notes are the references, "[^1]: Ito K. ...", if most of them read as such.

Notes within a paragraph, "^[So it is.]", are paragraphs behind it. Headings are not text, nor are
tables, code blocks, pictures, comments, the front matter, and authors and addresses above the text
whose numbers are raised. Raised numbers become Unicode's superscripts, in which markers are
recognised.
"""

import re
from collections.abc import Container, Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.bracketed_text import remove_between, take_groups
from citespan.pipelines.corpus.file_reader import ManuscriptReader
from citespan.pipelines.corpus.files import STANDARD_INPUT, read_utf8
from citespan.pipelines.corpus.identifiers import identify
from citespan.pipelines.corpus.inline_text import LinkedParagraph, make_article
from citespan.pipelines.corpus.latex_text import remove_latex
from citespan.pipelines.corpus.linked_text import CitedKeys, read_bibliographies, remove_controls
from citespan.pipelines.corpus.paragraphs import (
    Heading,
    Outline,
    collapse_space,
    is_byline,
    raise_numbers,
)
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.reference_section import is_reference_heading, split_entries
from citespan.pipelines.corpus.reference_text import are_references, read_entries
from citespan.pipelines.corpus.references import Reference, ReferenceList
from citespan.pipelines.errors import InputError

ENDINGS = (".md", ".markdown", ".qmd", ".rmd")
_FRONT = re.compile(r"\A---[^\S\n]*\n(.{0,50000}?)\n(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL)
_COMMENT, _END = re.compile("<!--"), re.compile("-->")
_FENCE = re.compile(r"(```+|~~~+)")
_HEADING = re.compile(r"(#{1,6})\s+")
_ATTRIBUTES = re.compile(r"\{[^{}]{0,200}\}\Z")
_UNDERLINE = re.compile(r"(=+|-+)\s*\Z")
_PREFIX = re.compile(r"\A\s{0,8}(?:>\s?|[-*+]\s+|\d{1,3}[.)]\s+)+")
_KEY = r"@(?:\{([^{}\s]{1,200})\}|((?>\w(?:[\w:.#$%&+?<>~/-]{0,200}\w)?)))"
_GROUP = re.compile(rf"\[((?:[^\[\]@]{{0,300}}{_KEY}){{1,100}}[^\[\]]{{0,300}})\]")
_IN_TEXT = re.compile(rf"(?<![\w@.])-?{_KEY}(?:\s\[[^\[\]@]{{1,100}}\])?")
_KEYS = re.compile(_KEY)
_ALIAS = re.compile(r"^\[@([^\[\]\s]{1,200})\]:[^\S\n]+(\S{1,500})[^\S\n]*$", re.MULTILINE)
_IDENTIFYING = re.compile(
    r"(?:arxiv|doi|isbn|pmc|pmcid|pmid|url|wikidata|https?):|10\.\d{2,9}/", re.IGNORECASE
)
_CROSS_REFERENCE = re.compile(r"(?:fig|tbl|tab|eq|sec|lst|thm|lem|cor|prp|def|exm|exr|alg)[:-]")
_PICTURE = re.compile(r"!\[([^\[\]]{0,2000})\]\([^()\s]{0,2000}+[^()]{0,300}\)")
_LINK = re.compile(r"\[([^\[\]]{0,500})\]\([^()\s]{0,2000}+[^()]{0,300}\)")
# "[Roe]{.smallcaps}", as pandoc writes lists and names
_SPAN = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]{0,300}\]){0,4000})\]\{[^{}]{1,200}\}")
_RANGE = re.compile(r"(?<=\d)--(?=\d)")
_RAISED = re.compile(r"<sup>([^<>]{1,100})</sup>|(?<!\[)\^((?:[^\s^\\]|\\.){1,100})\^")
_LOWERED = re.compile(r"(?<![~\s])~([^\s~]{1,40})~(?!~)")
_NOTE = re.compile(r"\[\^([^\[\]\s]{1,100})\]:?")
_INLINE_NOTE = re.compile(r"\^(?=\[[^\W\d_])")
_NOTE_TEXT = re.compile(
    r"^[^\S\n]{0,3}\[\^([^\[\]\s]{1,100})\]:[^\S\n]*(\S[^\n]*(?:\n[^\S\n]+\S[^\n]*)*)", re.MULTILINE
)
_FORMULA = re.compile(r"(?<![\\$])\$(?=\S)[^$\n]{1,300}(?<=\S)\$(?![\d$])")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_EMPHASIS = re.compile(r"(?<!\\)(\*{1,3}|`+|~~)|(?<![\w\\])_{1,2}(?=\S)|(?<=\S)_{1,2}(?!\w)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


@readers.register
class MarkdownReader(ManuscriptReader):
    """Reads files called .md, .markdown, .qmd or .Rmd."""

    name = "markdown"
    description = "Markdown with Pandoc's citations and BibTeX files, an article a file"

    def looks_like(self, file: Path) -> bool:
        return file.suffix.lower() in ENDINGS

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:
        if not self.looks_like(file):
            yield self.skip(file, source, "Markdown by its name (.md)")
            return
        text = remove_controls(read_utf8(file).removeprefix("\ufeff")).replace("\r\n", "\n")
        yield _read_article(text, file, source)


def _read_article(
    written: str, file: Path, source: str, *, cites_by_notes: bool = True
) -> Article | Rejected:
    """
    Args:
        cites_by_notes: whether notes may be the references, which is tried first.
    """
    front = _FRONT.match(written)
    settings = front[1] if front else ""
    keys = CitedKeys()
    title = collapse_space(", ".join(_read_setting(settings, "title")))
    bibliography = _read_bibliography(settings, file, source)
    known = {reference.key for reference in bibliography.references} if bibliography else set()
    text = remove_between(written[front.end() if front else 0 :], _COMMENT, _END)
    aliases = dict(_ALIAS.findall(text))
    notes: dict[str, str] = {}
    if cites_by_notes:
        notes = {f"^{key}": _plain(note) for key, note in _NOTE_TEXT.findall(text)}
        notes = notes if are_references(notes.values()) else {}
        text = _NOTE_TEXT.sub("", text) if notes else text
    blocks = list(_read_blocks(_ALIAS.sub("", text)))
    if not title and blocks and blocks[0][0] == 1:
        title = _plain(blocks.pop(0)[1])
    paragraphs: list[LinkedParagraph] = []
    entries: list[str] = []
    outline, heading = Outline(("abstract", "summary")), Heading("")
    for level, block in blocks:
        if level:
            heading = outline.enter(level, _plain(block))
        elif is_reference_heading(heading.title):
            entries += map(_plain, split_entries(block))
        else:
            within, inline = take_groups(_INLINE_NOTE, block)
            for part in (within, *(note for _, note in inline)):
                laid = keys.lay(heading, _plain(_mark(part, keys, known, notes)))
                if paragraphs or heading.title or not is_byline(laid.text):
                    paragraphs.append(laid)
    if notes and (bibliography or entries or not notes.keys() >= set(keys.keys)):
        return _read_article(written, file, source, cites_by_notes=False)
    listed = keys.label(bibliography) if bibliography else read_entries(entries)
    if notes:
        read = read_entries(list(notes.values()))
        named_as = zip(notes, read.references, strict=False)  # a list has a limit, which is said
        entered = tuple(replace(found, key=key, names=(key,)) for key, found in named_as)
        listed = keys.label(replace(read, references=entered))
    named = {key: aliases.get(key, key) for key in keys.keys if key not in known}
    identified = ReferenceList(
        tuple(
            Reference(key, (key,), "", name, identify(name.removeprefix("url:")))
            for key, name in named.items()
            if _IDENTIFYING.match(name)
        )
    )
    references = (*listed.references, *keys.label(identified).references)
    every = ReferenceList(references, listed.problems)
    written_keys = dict.fromkeys(braced or bare for braced, bare in _KEYS.findall(text))
    return make_article(
        file.stem,
        source,
        Publication(title=title),
        paragraphs,
        every,
        # as in tables
        links_elsewhere=(
            (key,) for key in written_keys if key in known and key not in keys.numbers
        ),
    )


def _read_setting(front: str, name: str) -> list[str]:
    """Return the value of a setting, or the items of its list; nothing else of YAML is read."""
    found = re.search(rf"^{name}:[^\S\n]*(.*)((?:\n\s*-\s[^\n]*)*)", front, re.MULTILINE)
    if found is None:
        return []
    listed = found[1].strip("[] \t").split(",") if found[1].startswith("[") else [found[1]]
    items = [*listed, *(line.strip().removeprefix("-") for line in found[2].split("\n"))]
    return [item.strip(" \t\"'") for item in items if item.strip(" \t\"'")]


def _read_bibliography(settings: str, file: Path, source: str) -> ReferenceList | None:
    """Return the references of the files that the front matter names, or else the Quarto project in
    the manuscript's folder; None if neither names any."""
    names = _read_setting(settings, "bibliography")
    project = file.with_name("_quarto.yml")
    if not names and file != STANDARD_INPUT and project.is_file():
        try:
            names = _read_setting(read_utf8(project), "bibliography")
        except InputError as error:
            return ReferenceList((), (f"{project.name}: {error}",))
    return read_bibliographies(file, names, source) if names else None


def _read_blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield headings with their level, and with 0 the paragraphs, lines and all."""
    lines: list[str] = []
    fence = ""
    for line in [*text.split("\n"), ""]:
        fenced = _FENCE.match(line.lstrip())
        if fence:
            fence = "" if fenced and line.strip().startswith(fence) else fence
            continue
        heading = _HEADING.match(line)
        underline = len(lines) == 1 and _UNDERLINE.match(line)
        if fenced or heading or underline or not line.strip():
            if underline and underline[1]:
                yield (1 if line[0] == "=" else 2), lines.pop()
            elif lines:
                yield 0, "\n".join(lines)
            lines = []
            fence = fenced[1] if fenced else ""
            if heading:
                yield len(heading[1]), _read_heading(line[heading.end() :])
        elif not line.lstrip().startswith(("|", ":::")):
            prefix = _PREFIX.match(line)
            if prefix and lines and not line.lstrip().startswith(">"):
                yield 0, "\n".join(lines)
                lines = []
            lines.append(line)


def _read_heading(written: str) -> str:
    """Return a heading without attributes and closing marks: "Results" of "Results ## {#r}"."""
    bare = _ATTRIBUTES.sub("", written.rstrip(), count=1)
    return bare.rstrip().rstrip("#").rstrip()


def _mark(block: str, keys: CitedKeys, known: Container[str], notes: Container[str]) -> str:
    """Return a paragraph with markers in place of its citations, without the list's bullet.

    Args:
        known: keys of the bibliography.
        notes: those that are references, as "^1".
    """
    block = "\n".join(_PREFIX.sub("", line) for line in block.split("\n"))

    def mark(found: re.Match[str]) -> str:
        named = (braced or bare for braced, bare in _KEYS.findall(found[0]))
        cited = [key for key in named if key in known or not _CROSS_REFERENCE.match(key)]
        return keys.mark(cited) if cited else found[0]

    def mark_note(found: re.Match[str]) -> str:
        return keys.mark([f"^{found[1]}"]) if f"^{found[1]}" in notes else found[0]

    return _IN_TEXT.sub(mark, _GROUP.sub(mark, _NOTE.sub(mark_note, block)))


def _plain(written: str) -> str:
    text = _SPAN.sub(r"\1", _SPAN.sub(r"\1", _PICTURE.sub(" ", written)))
    text = _RANGE.sub("–", _NOTE.sub("", _LINK.sub(r"\1", text)))
    text = _FORMULA.sub(lambda formula: remove_latex(formula[0]), text)
    text = _RAISED.sub(
        lambda raised: raise_numbers((raised[1] or raised[2]).replace("\\ ", "")), text
    )
    text = _EMPHASIS.sub("", _TAG.sub("", _LOWERED.sub(r"\1", text)))
    return collapse_space(unescape(_ESCAPED.sub(r"\1", text)))

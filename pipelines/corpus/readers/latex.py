r"""LaTeX: one article a file, whose references come from BibTeX files, `thebibliography`, or the
.bbl file that BibTeX or biber has made of missing ones, else from the section that is called so.

`\cite` and its relatives (`\citep`, `\textcite`, ...) become numbers in brackets. The text is the
title, the abstract and the paragraphs of the body; captions are text of the kind "caption", and
notes are paragraphs behind those that they belong to. Other figures, tables, formulas set apart,
listings and comments are not text, nor are authors, addresses and keywords, notes to be done, and
what is marked as deleted. Commands of formatting are taken away, their arguments stay; commands
without arguments that the file defines are replaced by what they stand for. Files that `\input` and
`\include` name are read in their place if they lie in the manuscript's folder, and are no articles
of their own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.bibliographies.biblatex import parse_bbl
from citespan.pipelines.corpus.bracketed_text import (
    LONGEST_GROUP,
    find_groups,
    remove_between,
    take_group,
    take_groups,
)
from citespan.pipelines.corpus.file_reader import ManuscriptReader
from citespan.pipelines.corpus.files import MAX_TEXT_BYTES, STANDARD_INPUT, read_head, read_utf8
from citespan.pipelines.corpus.inline_text import LinkedParagraph, make_article
from citespan.pipelines.corpus.latex_text import remove_latex
from citespan.pipelines.corpus.linked_text import (
    CitedKeys,
    find_beside,
    read_bibliographies,
    remove_controls,
)
from citespan.pipelines.corpus.paragraphs import Heading, Outline, collapse_space
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.reference_section import is_reference_heading
from citespan.pipelines.corpus.reference_text import read_entries, read_entry
from citespan.pipelines.corpus.references import Reference, ReferenceList
from citespan.pipelines.errors import InputError

_COMMENT = re.compile(r"(?<!\\)%[^\n]*(?:\n[^\S\n]*)?")
_NEVER, _END = re.compile(r"\\iffalse(?![A-Za-z])"), re.compile(r"\\fi(?![A-Za-z])")
_CITE = re.compile(
    r"(?:(?<![~\s])[~\s]++|([(\[]))?\\(?!nocite)[A-Za-z]{0,12}[cC]ite[A-Za-z]{0,12}\*?\s*+"
    r"(?:\[[^\]]{0,300}\]\s*+){0,2}\{([^{}]{1,4000})\}"
)
_CITES = re.compile(
    r"\\[A-Za-z]{0,12}[cC]ites\*?((?:\s*+(?:\[[^\]]{0,300}\]\s*+){0,2}\{[^{}]{1,4000}\}){1,20})"
)
_CITEPROC = re.compile(r"\\citeproc\s*(\{[^{}]{1,200}\})\{[^{}]{0,300}\}")  # of Pandoc
_GROUP = re.compile(r"\{([^{}]{1,4000})\}")
_NOCITE = re.compile(r"\\nocite\s*\{([^{}]{1,4000})\}")
_BEGIN = re.compile(r"\\begin\{([A-Za-z]{1,40})\*?\}")
_SECTION = re.compile(
    r"\\(chapter|(?:sub){0,2}section|paragraph|bmhead)\*?\s*+(?:\[[^\]]{0,300}\]\s*+)?(?=\{)"
)
_LEVELS = {
    "chapter": 0,
    "section": 1,
    "bmhead": 1,  # of Springer's template
    "subsection": 2,
    "subsubsection": 3,
    "paragraph": 4,
}
_TITLE = re.compile(r"\\[tT]itle\s*+(?:\[[^\]]{0,300}\]\s*+)?(?=\{)")
_ABSTRACT = re.compile(r"(?<!\\def)\\abstract\s*+(?=\{)")
_LARGE_TITLE = re.compile(
    r"\\begin\{(flushleft|center)\}\s*+\{?\\(?:Large|LARGE|huge|Huge)(?![A-Za-z])\s*+\{?"
    r"\\textbf\s*+(?:\\newline\s*+)?(?=\{)"
)
_CAPTION = re.compile(r"\\caption\s*+(?:\[[^\]]{0,500}\]\s*+)?(?=\{)")
_NOTE = re.compile(r"\\(?:footnote|thanks|tnoteref)\s*(?=\{)")
_BIBLIOGRAPHY = re.compile(
    r"\\(?:bibliography|addbibresource)\s*(?:\[[^\]]{0,300}\])?\{([^{}]{1,1000})\}"
)
_ITEM = re.compile(r"\\bibitem\s*+(?=[\[{])")
_INCLUDED = re.compile(r"\\(?:input|include|subfile)\s*+\{([^{}\n]{1,200})\}")
_MACRO = re.compile(r"\\(?:(?:new|provide)command\*?|def)\s*+\{?\\([A-Za-z]{1,40})\}?\s*+(?=\{)")
_COMMAND = re.compile(r"\\([A-Za-z]{1,40})(?![A-Za-z])")
_LEFT_OUT = re.compile(
    r"\\(?:deleted|DIFdel|todo"
    r"|[tT]itle|[aA]uthor|AuthorNames?|AuthorCitation|address|affil|affiliation|institute"
    r"|institution|email|ead|keywords?|corref|corres|cortext|equalcont|fntext|fnref|firstnote|orcid"
    r"|inst|dochead|tnotetext|titlerunning|authorrunning|shorttitle|shortauthors?)(?![A-Za-z])"
    r"\*?\s*+(?:\[[^\]]{0,300}\]\s*+)?(?=\{)"
)
_BIBINFO = re.compile(r"\\(?:bib(?:info|field)|BibitemShut)\s*+\{[^{}]{0,40}\}\s*+")
_DOI_BASE = re.compile(r"\\href\s*+\{\\doibase\s*+([^{}]{1,200})\}")
_LABEL_MARK = re.compile(r"\\.|[{}\]]", re.DOTALL)
_NOT_TEXT = frozenset(
    (
        *("algorithm", "algorithmic", "align", "comment", "displaymath", "eqnarray", "equation"),
        *("figure", "gather", "keyword", "keywords", "listing", "lstlisting", "longtable", "math"),
        *("multline", "table", "tabular", "thebibliography", "tikzpicture", "verbatim"),
        "wrapfigure",
    )
)
_WITHOUT_TEXT = re.compile(
    r"\\vadjust\s*(?:pre)?\{\\hypertarget\{[^{}]{0,200}\}\{\}\}|\\begin\{CSLReferences\}\{\d\}\{\d\}"
    r"|\\addcontentsline(?:\s*\{[^{}]{0,200}\}){3}"
    r"|\\(?:label|ref|eqref|autoref|[cC]ref|pageref|nocite|bibliography|addbibresource"
    r"|printbibliography|includegraphics|vspace|hspace|bibliographystyle|usepackage|documentclass"
    r"|pagestyle|thispagestyle|date|begin|end|url|textcolor|color|href|hypertarget|setlength"
    r"|setcounter|newgeometry|captionsetup|graphicspath|hypersetup|markboth|reftitle|firstpage)"
    r"(?![A-Za-z])\*?\s*(?:\[[^\]]{0,300}\]\s*)?(?:\{[^{}]{0,1000}\})?"
    r"|\\hyperref\s*\[[^\]]{0,300}\]|\\fontsize\{[^{}]{0,20}\}\{[^{}]{0,20}\}"
)
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n|\\par\b|\\item\b|\\\\")
_LONGEST_MACRO = 300
_MOST_EXPANDED = 1_000_000  # characters that the macros of a manuscript become
_DEEPEST = 8  # files that are included by one another
_LEAST_INCLUDED = 1_000  # characters that a file counts for, so that they can't be too many
_MOST_BESIDE = 100
ENDINGS = (".tex", ".latex")


@readers.register
class LatexReader(ManuscriptReader):
    """Reads files called .tex."""

    name = "latex"
    description = "LaTeX with its BibTeX files, an article a file"

    def looks_like(self, file: Path) -> bool:
        if file.suffix.lower() in ENDINGS:
            return True
        start = read_head(file).lstrip()
        return start.startswith((b"\\documentclass", b"\\documentstyle"))

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:
        if not self.looks_like(file):
            yield self.skip(file, source, "LaTeX by its name (.tex)")
            return
        text = read_utf8(file).removeprefix("\ufeff")
        if "\\documentclass" not in text and (whole := _find_whole(file)):
            reason = f"a part of {whole.name}, which includes it; name that"
            yield Rejected(source, reason, "skipped")
            return
        yield _read_article(text, file, source)


def _find_whole(part: Path) -> Path | None:
    """Return the file, in the same folder or the one above, that includes another; None if none
    does."""
    folders = () if part == STANDARD_INPUT else (part.parent, part.parent.parent)
    beside = (islice(sorted(folder.glob("*.tex")), _MOST_BESIDE) for folder in folders)
    for file in chain.from_iterable(beside):
        try:
            named = _INCLUDED.findall(_COMMENT.sub("", read_utf8(file))) if file != part else ()
        except InputError:
            continue
        written = (folder / name.strip() for name in named for folder in folders)
        if any(part in (path, path.with_name(f"{path.name}.tex")) for path in written):
            return file
    return None


def read_source(file: Path) -> str:
    """Return what a file says, with what it includes between \\x02 and \\x03, on one line.

    Raises:
        InputError: if it can't be read.
    """
    files = _Files(file, file.name)

    def insert(found: re.Match[str]) -> str:
        return f"\x02{' '.join(files.read(found[1].strip(), (file.resolve(),)).split())}\x03"

    return _INCLUDED.sub(insert, remove_controls(read_utf8(file)))


@dataclass
class _Files:
    """A manuscript with the files that it includes.

    Attributes:
        source: its name for messages.
        left: characters that may still be included.
    """

    manuscript: Path
    source: str
    problems: list[str] = field(default_factory=list)
    left: int = MAX_TEXT_BYTES

    def include(self, written: str, above: tuple[Path, ...] = ()) -> str:
        """Return a text without comments, and with what it includes in its place.

        Args:
            above: the files that include it.
        """
        text = _COMMENT.sub("", remove_controls(written))
        return _INCLUDED.sub(lambda found: self.read(found[1].strip(), above), text)

    def read(self, name: str, above: tuple[Path, ...]) -> str:
        """Return the text of a file that is included, with what it includes itself."""
        try:
            is_whole = Path(name).suffix in (*ENDINGS, ".bbl")
            file = find_beside(self.manuscript, name if is_whole else f"{name}.tex", self.source)
            if file in above or len(above) == _DEEPEST:
                raise InputError(f"{name} is included by itself, or too deep; it is left out")
            text = read_utf8(file) if self.left > 0 else ""
            self.left -= max(len(text), _LEAST_INCLUDED)
            if self.left < 0:
                raise InputError(f"{name} makes it larger than 20 MB; it is left out")
        except InputError as error:
            self.problems.append(str(error))
            return " "
        return self.include(_take_body(text), (*above, file))


def _take_body(written: str) -> str:
    _, begun, body = written.partition("\\begin{document}")
    return body.partition("\\end{document}")[0] if begun else written


def _expand_macros(written: str) -> str:
    """Return a text without definitions of commands that have no arguments, and with what they
    stand for in their places."""
    text, defined = take_groups(_MACRO, written)
    macros = {found[1]: body for found, body in defined if len(body) <= _LONGEST_MACRO}
    left = _MOST_EXPANDED

    def expand(command: re.Match[str]) -> str:
        nonlocal left
        body = macros.get(command[1])
        left -= len(body or "")
        return command[0] if body is None or left < 0 else body

    macros = {name: _COMMAND.sub(expand, body) for name, body in macros.items()}
    return _COMMAND.sub(expand, text)


def _read_article(written: str, file: Path, source: str) -> Article | Rejected:
    keys = CitedKeys()
    files = _Files(file, source)
    written = remove_between(files.include(written, (file.resolve(),)), _NEVER, _END)
    written = _expand_macros(written)
    written = _CITEPROC.sub(r"\\cite\1", written)
    if "\\bibitem" in written:  # of newer Pandocs
        written = written.replace("{CSLReferences}", "{thebibliography}")
    written = _CITES.sub(lambda c: f" \\cite{{{','.join(_GROUP.findall(c[1]))}}}", written)
    written, abstracts = take_groups(_ABSTRACT, written)
    title, body = _take_title(written, _take_body(written))
    # MDPI's and Springer's are commands, which may stand above the document.
    front = (f"\\begin{{abstract}}{abstract}\\end{{abstract}}\n\n" for _, abstract in abstracts)
    body = "".join([*front, body])
    paragraphs = list(_read_body(body, keys))
    linked = {name for paragraph in paragraphs for link in paragraph.links for name in link.names}
    nocited = (key.strip() for some in _NOCITE.findall(body) for key in some.split(","))
    elsewhere = (*nocited, *(key for key in keys.keys if key not in linked))  # as in tables
    references = _read_references(written, file, source)
    if not (references.references or references.problems):
        paragraphs, references = _take_list(paragraphs)
    listed = ReferenceList(
        references.references, (*references.problems, *dict.fromkeys(files.problems))
    )
    return make_article(
        file.stem,
        source,
        Publication(title=title),
        paragraphs,
        keys.label(listed),
        links_elsewhere=((key,) for key in elsewhere if key not in ("", "*")),
    )


def _take_list(paragraphs: list[LinkedParagraph]) -> tuple[list[LinkedParagraph], ReferenceList]:
    """Return paragraphs without those of the section "References", and these as entries."""
    entries = [each.text for each in paragraphs if is_reference_heading(each.heading.title)]
    kept = [each for each in paragraphs if not is_reference_heading(each.heading.title)]
    return kept, read_entries(entries)


def _take_title(written: str, body: str) -> tuple[str, str]:
    """Return the title, and the body; where the title is large letters above all sections in place
    of a command, as in the template of PLOS, without it and the authors that stand with it."""
    named, shown = _TITLE.search(written), ""
    section = _SECTION.search(body)
    above = section.start() if section is not None else len(body)
    if named is not None:
        shown = take_group(written, named.end())[0]
    elif (named := _LARGE_TITLE.search(body, 0, above)) is not None:
        shown, end = take_group(body, named.end())
        _, ended, behind = body[end:].partition(f"\\end{{{named[1]}}}")
        body = body[: named.start()] + (behind if ended else body[end:])
    return remove_latex(take_groups(_NOTE, shown)[0]), body


def _read_body(body: str, keys: CitedKeys) -> Iterator[LinkedParagraph]:
    body = take_groups(_LEFT_OUT, body)[0]
    body = _CITE.sub(lambda c: (c[1] or " ") + keys.mark(c[2].split(",")), body)
    text, captions = _take_environments(body)
    before, begun, rest = text.partition("\\begin{abstract}")
    abstract, ended, behind = rest.partition("\\end{abstract}")
    if begun and ended:
        yield from _read_paragraphs(abstract, Heading("Abstract", "abstract"), keys)
        text = f"{before}\n\n{behind}"
    start, outline, heading = 0, Outline(), Heading("")
    for found, title, end in find_groups(_SECTION, text):
        yield from _read_paragraphs(text[start : found.start()], heading, keys)
        start = end
        shown = keys.lay(Heading(""), remove_latex(title)).text
        heading = outline.enter(_LEVELS[found[1]], shown)
    yield from _read_paragraphs(text[start:], heading, keys)
    for number, caption in enumerate(captions, 1):
        yield from _read_paragraphs(caption, Heading(f"Caption {number}", "caption"), keys)


def _take_environments(text: str) -> tuple[str, list[str]]:
    """Return a text without what is not read as text, and the captions from there."""
    parts, captions, position = [], [], 0
    unended: set[str] = set()
    for begun in _BEGIN.finditer(text):
        name = begun[1]
        if begun.start() < position or name not in _NOT_TEXT or name in unended:
            continue
        ended = re.compile(rf"\\end\{{{name}\*?\}}").search(text, begun.end())
        if ended is None:
            unended.add(name)
            continue
        inside = text[begun.end() : ended.start()]
        captions += [caption for _, caption, _ in find_groups(_CAPTION, inside)]
        parts.append(text[position : begun.start()])
        position = ended.end()
    return " ".join([*parts, text[position:]]), captions


def _read_paragraphs(written: str, heading: Heading, keys: CitedKeys) -> Iterator[LinkedParagraph]:
    for paragraph in _BLANK_LINE.split(written):
        text, notes = take_groups(_NOTE, paragraph)
        for part in (text, *(note for _, note in notes)):
            laid = keys.lay(heading, remove_latex(_WITHOUT_TEXT.sub(" ", part)))
            if laid.text:
                yield laid


def _read_references(written: str, file: Path, source: str) -> ReferenceList:
    names = [name.strip() for some in _BIBLIOGRAPHY.findall(written) for name in some.split(",")]
    listed = read_bibliographies(file, [name for name in names if name], source)
    entries: list[Reference | str] = [*listed.references, *_read_items(written), *listed.problems]
    made = file.with_suffix(".bbl")
    if names and not listed.references and made.is_file():
        try:
            text = read_utf8(made)
            entries += [*parse_bbl(text, made.name), *_read_items(_COMMENT.sub("", text))]
        except InputError as error:
            entries.append(f"{made.name}: {error}")
    return ReferenceList.of(entries)


def _read_items(written: str) -> Iterator[Reference]:
    items = list(_ITEM.finditer(written))
    ends = [item.start() for item in items[1:]]
    last = written.find("\\end{thebibliography}", items[-1].end()) if items else 0
    ends.append(last if last >= 0 else len(written))
    for item, end in zip(items, ends, strict=False):
        start = _skip_label(written, item.end(), end)
        if written[start : start + 1] != "{":
            continue
        key, start = take_group(written, start)
        entry = _BIBINFO.sub("", written[start:end])
        dois = " ".join(f"doi:{doi}" for doi in _DOI_BASE.findall(entry))
        text = collapse_space(f"{remove_latex(_DOI_BASE.sub('', entry))} {dois}")
        publication = read_entry(text, names_first="\\newblock" in entry)  # behind the authors
        yield Reference(key.strip(), (key.strip(),), "", text or key, publication)


def _skip_label(text: str, start: int, last: int) -> int:
    """Return where what follows a label in brackets begins, which may have brackets in braces; a
    label that does not end by `last`, or within 4,000 characters, is none."""
    if text[start] != "[":
        return start
    depth = 0
    for mark in _LABEL_MARK.finditer(text, start + 1, min(last, start + LONGEST_GROUP)):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if mark[0] == "]" and depth == 0:
            end = mark.end()
            return end + len(text[end : end + 100]) - len(text[end : end + 100].lstrip())
    return start

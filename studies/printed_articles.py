"""Prints articles as two-column PDFs by Chromium, with the text that a reader should find in them.

Run from anywhere: `python studies/printed_articles.py FOLDER [NUMBER]`. The articles are those of
PubMed Central beside the checkout. Each is printed with running heads, page numbers, a footnote on
its first page, captions below boxes, tables of made-up numbers, and a numbered reference list; in
every second one the markers are superscripts. Beside `ID.pdf`, `ID.json` has its title, sections,
number of markers and entries.
"""

import json
import random
import re
import sys
from collections.abc import Iterator
from html import escape
from itertools import islice
from pathlib import Path

from playwright.sync_api import sync_playwright

from citespan.pipelines.citing.citations import find_citations
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit_reading import read_articles
from citespan.pipelines.text.splitter import DEFAULT, splitters

PMC = Path(__file__).resolve().parents[2] / "shared" / "data" / "pmc"
LOOKED_AT = 100  # that the reader was developed on
CHROMIUM = "/usr/bin/chromium"
LEAST_REFERENCES = 10
MARKER = re.compile(r"\s?\[(\d[\d,\s–-]*)\]")
STYLE = """
@page { size: A4; margin: 22mm 16mm 20mm 16mm;
  @top-left { content: "%(head)s"; font: 8pt serif }
  @bottom-right { content: counter(page); font: 8pt serif } }
@page :first { @bottom-left { content: "%(note)s"; font: 7pt serif; text-align: left } }
body { font: %(size)spt/1.22 %(font)s; margin: 0 }
.front { margin-bottom: 8pt } h1 { font-size: 17pt; line-height: 1.15; margin: 0 0 6pt }
.body { column-count: 2; column-gap: 7mm; text-align: justify }
h2, h3, h4, h5, h6 { break-after: avoid; text-align: left }
h2 { font-size: 12pt; margin: 9pt 0 3pt } h3 { font-size: 10.5pt; margin: 7pt 0 2pt }
h4, h5, h6 { font-size: 9.5pt; margin: 6pt 0 2pt; font-style: italic }
p { margin: 0; %(paragraph)s } sup { font-size: 65%%; line-height: 0 }
figure { margin: 6pt 0; font-size: 8pt; break-inside: avoid; text-align: left }
figure div { height: 60pt; background: #ddd } td { padding: 0 10pt 0 0; font-size: 8pt }
ol { padding: 0; margin: 0; list-style: none; font-size: 8pt }
li { padding-left: 14pt; text-indent: -14pt }
"""


def read_chosen(number: int) -> Iterator[Article]:
    """Yield articles that have a reference list and markers, in a fixed random order, behind those
    that the reader was developed on."""
    found = [
        article
        for article in read_articles(
            Sources([str(path) for path in sorted(PMC.glob("*.gz"))], "auto")
        )
        if isinstance(article, Article)
        and len(article.references) >= LEAST_REFERENCES
        and len(MARKER.findall(article.text)) >= LEAST_REFERENCES
    ]
    random.Random(24).shuffle(found)
    yield from islice(found, LOOKED_AT, LOOKED_AT + number)


def raise_numbers(text: str) -> str:
    """Return a text with its markers as they are once they are superscripts."""
    return MARKER.sub(lambda found: re.sub(r"\s", "", found[1]), text)


def show(text: str, raised: bool) -> str:
    if not raised:
        return escape(text)
    return MARKER.sub(lambda found: "<sup>" + re.sub(r"\s", "", found[1]) + "</sup>", escape(text))


def write_entry(number: int, reference: Reference) -> str:
    said = reference.publication
    if not said.title or not said.authors:
        return f"{number}. {reference.text}"
    authors = ", ".join(name.replace(",", "") for name in said.authors[:6])
    authors += ", et al" if len(said.authors) > 6 else ""
    doi = f" doi:{said.doi}" if said.doi else ""
    title, journal = said.title.rstrip("."), said.journal or "Book"
    return f"{number}. {authors}. {title}. {journal}. {said.year or ''}.{doi}"


def write_page(article: Article, number: int) -> tuple[str, dict[str, object]]:
    """Return an article as HTML, and what should be found in it."""
    raised = number % 2 == 1
    made = random.Random(number)
    style = {
        "head": f"Article {number} \\2022  Printed for a test",
        "note": "* Correspondence to the first author, who answers letters.",
        "size": made.choice((9, 9.5, 10)),
        "font": made.choice(("serif", "sans-serif", "Georgia, serif")),
        "paragraph": made.choice(("text-indent: 1em", "margin-bottom: 5pt")),
    }
    parts = [f"<div class=front><h1>{escape(article.title)}</h1>"]
    parts.append("<div>First Author, Second Author<sup>*</sup> and Third Author</div>")
    parts.append(
        "<div><i>Department of Tests, University of Somewhere</i></div></div><div class=body>"
    )
    open_titles: list[str] = []
    sections: list[dict[str, str]] = []
    for section in article.sections:
        written = article.text[section.start : section.end]
        if section.kind == "title":
            continue
        titles = section.title.split(" / ") if section.title else []
        paragraphs = written.split("\n\n")
        if section.kind == "caption":
            name = titles[-1] if titles else "Figure"
            cells = "".join(
                "<tr>" + "".join(f"<td>{made.uniform(0, 99):.1f}</td>" for _ in range(5)) + "</tr>"
                for _ in range(4)
            )
            inside = f"<table>{cells}</table>" if name.startswith("Tab") else "<div></div>"
            if not re.match(r"(?:Fig|Tab)\D{0,6}\d", name):
                name = f"Figure {len(sections) + 50}"
            shown = " ".join(show(paragraph, raised) for paragraph in paragraphs)
            parts.append(f"<figure>{inside}<b>{escape(name)}.</b> {shown}</figure>")
        else:
            same = 0
            while same < min(len(titles), len(open_titles)) and titles[same] == open_titles[same]:
                same += 1
            for depth in range(same, len(titles)):
                level = min(depth + 2, 6)
                parts.append(f"<h{level}>{escape(titles[depth])}</h{level}>")
            open_titles = titles
            parts += [f"<p>{show(paragraph, raised)}</p>" for paragraph in paragraphs]
        if section.kind == "caption":
            written = written.replace("\n\n", " ")
        text = raise_numbers(written) if raised else written
        sections.append({"title": section.title, "kind": section.kind, "text": text})
    parts.append("<h2>References</h2><ol>")
    entries = [write_entry(n, reference) for n, reference in enumerate(article.references, 1)]
    numbers = {reference.key: number for number, reference in enumerate(article.references, 1)}
    parts += [f"<li>{escape(entry)}</li>" for entry in entries]
    parts.append("</ol></div>")
    found = find_citations(article, splitters[DEFAULT])
    expected = {
        "title": article.title,
        "sections": sections,
        "markers": [[numbers[key] for key in marker.keys] for marker in found.markers],
        "entries": entries,
        "raised": raised,
    }
    html = f"<!doctype html><html lang=en><meta charset=utf-8><style>{STYLE % style}</style>"
    return html + "".join(parts), expected


def main(folder: Path, number: int) -> None:
    if not PMC.is_dir():
        sys.exit("PubMed Central's articles are not beside the checkout (../shared/data/pmc)")
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        for at, article in enumerate(read_chosen(number)):
            target = folder / f"{article.id}.pdf"
            html, expected = write_page(article, at)
            page.set_content(html)
            page.pdf(path=target, prefer_css_page_size=True)
            target.with_suffix(".json").write_text(json.dumps(expected), encoding="utf-8")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100)

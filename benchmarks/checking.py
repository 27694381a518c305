"""Checking a manuscript: seconds and peak memory, at 100 citations and at five times as many.

Each citation is a sentence of an indexed article and cites that, so that all are searched for and
nearly every one has an article of its own, which is read and ranked for it alone.
"""

import random
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.citances import jats_articles
from benchmarks.corpus import repeated
from benchmarks.memory import measure_peak
from benchmarks.node import citespan, wipe
from benchmarks.row import Row
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters

_SIZES = (100, 500)
_SECONDS = 20
_MARKUP = re.compile(r"[^\w\s.,;:()%=-]")


def run(folder: Path, scratch: Path) -> Iterator[Row]:
    """Seconds and peak resident set of `citespan check` as a process."""
    wipe()
    articles = list(jats_articles(folder))
    if len(articles) < _SIZES[-1]:
        folder = repeated(folder, _SIZES[-1], scratch / "checked")
        articles = list(jats_articles(folder))
    citespan("index", str(folder), "--format", "jats", "--layout", "sentences")
    peaks: list[float] = []
    for size in _SIZES:
        manuscript = _write(articles, size, scratch)
        started = time.perf_counter()
        peaks.append(measure_peak("check", str(manuscript), "--csv"))
        seconds = time.perf_counter() - started
        label = f"citespan check, {size} citations over {len(articles):,} articles"
        wanted = f"at most {_SECONDS} s" if size == _SIZES[-1] else ""
        yield Row(label, f"{seconds:.1f} s, {peaks[-1]:.0f} MB", wanted=wanted)
    wipe()
    times = f"{peaks[1] / peaks[0]:.2f} times as much"
    label = f"peak memory at {_SIZES[1]} citations"
    yield Row(label, f"{peaks[1]:.0f} MB", f"at {_SIZES[0]} citations", times, "flat")


def _write(articles: Sequence[Article], size: int, scratch: Path) -> Path:
    """Write a manuscript that cites so many articles, with its BibTeX file."""
    generator = random.Random(0)
    paragraphs, entries = [], []
    for article in generator.sample(articles, size):
        sentence = generator.choice(split_article(article, splitters[DEFAULT]))
        text = _MARKUP.sub(" ", article.text[sentence.start : sentence.end]).rstrip(".")
        paragraphs.append(f"So {' '.join(text.split())} [@{article.id}].")
        entries.append(f"@article{{{article.id}, pmcid = {{{article.publication.pmcid}}}}}")
    (scratch / f"{size}.bib").write_text("\n".join(entries), encoding="utf-8")
    front = f"---\ntitle: Made\nbibliography: {size}.bib\n---\n\n"
    manuscript = scratch / f"{size}.md"
    manuscript.write_text(front + "\n\n".join(paragraphs), encoding="utf-8")
    return manuscript

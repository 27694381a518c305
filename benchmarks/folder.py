"""Checking a manuscript against a folder of articles, without a server and with one.

`python -m benchmarks.folder ARCHIVE...` unpacks archives of JATS articles into a folder, writes two
manuscripts that cite articles of it, and prints

- seconds, seconds of the processor and peak memory of `citespan check --articles` with 40
  references over 40 articles, the first time and again: with an empty home, no variables, and no
  other program;
- the same with 200 citations over all articles;
- whether these 200 have the same statuses, passages and probabilities as with a node of its own.

A citation is a sentence of the cited article, the same with another number, or a sentence of
another article. Half of the references have an identifier; the others title, author and year.
"""

import argparse
import json
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.node import citespan, own_node
from benchmarks.row import Row
from benchmarks.watched import Run, watched, watched_citespan
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.readers.jats import JatsReader
from citespan.pipelines.indexing.reading.archive import members_of
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters

_FEW, _MANY = 40, 200
_TOLERANCE: Final = 1e-6
_MARKUP = re.compile(r"[^\w\s.,;:()%=-]")
_DIGIT = re.compile(r"\d(?=\D*\Z)")
_NO_BIBTEX = re.compile(r"[{}\\\"%#&$]")


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(
        "benchmarks.folder",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("archives", nargs="+", type=Path, help="archives of JATS articles")
    archives = parser.parse_args().archives
    with tempfile.TemporaryDirectory(prefix="citespan-bench-") as scratch:
        for row in run(archives, Path(scratch)):
            print(row, flush=True)


def run(archives: Sequence[Path], scratch: Path) -> Iterator[Row]:
    """Yield the rows."""
    everything, few = scratch / "all", scratch / "few"
    for folder in (everything, few):
        folder.mkdir()
    articles = list(_unpack(archives, everything))
    generator = random.Random(0)
    some = generator.sample(articles, _FEW)
    for article in some:
        shutil.copy(article.source, few)
    manuscript = _write_manuscript(some, _FEW, generator, scratch / "few.md")
    yield from _check_twice(f"{_FEW} references over {_FEW} articles", manuscript, few, scratch)
    manuscript = _write_manuscript(articles, _MANY, generator, scratch / "many.md")
    label = f"{_MANY} citations over {len(articles):,} articles"
    yield from _check_twice(label, manuscript, everything, scratch)
    alone = json.loads(_check(manuscript, everything, scratch).output)
    with own_node():
        citespan("index", str(everything), "--layout", "sentences")
        served = watched_citespan("check", str(manuscript), "--json")
    yield Row(f"{label}, with a node", _describe(served))
    yield from _compare(alone, json.loads(served.output))


def _unpack(archives: Sequence[Path], folder: Path) -> Iterator[Article]:
    """Write each member of the archives into a folder, and yield those that are articles."""
    for archive in archives:
        for name, data in members_of(archive):
            if data is not None:
                file = folder / Path(name).name
                file.write_bytes(data)
                yield from (
                    reading for reading in JatsReader().read(file) if isinstance(reading, Article)
                )


def _write_manuscript(
    articles: Sequence[Article], size: int, generator: random.Random, file: Path
) -> Path:
    """Write a manuscript with so many citations, each of another article if there are as many."""
    cited = generator.sample(articles, size)
    paragraphs = []
    for number, article in enumerate(cited):
        source = generator.choice(articles) if number % 3 == 2 else article
        sentence = generator.choice(split_article(source, splitters[DEFAULT]))
        text = _MARKUP.sub(" ", source.text[sentence.start : sentence.end]).rstrip(".")
        if number % 3 == 1:
            text = _DIGIT.sub(lambda found: str((int(found[0]) + 4) % 10), text)
        paragraphs.append(f"So {' '.join(text.split())} [@{article.id}].")
    entries = [_write_reference(article, number % 2 == 0) for number, article in enumerate(cited)]
    file.with_suffix(".bib").write_text("\n".join(entries), encoding="utf-8")
    front = f"---\ntitle: Made\nbibliography: {file.stem}.bib\n---\n\n"
    file.write_text(front + "\n\n".join(paragraphs), encoding="utf-8")
    return file


def _write_reference(article: Article, by_identifier: bool) -> str:
    known = article.publication
    if by_identifier:
        return f"@article{{{article.id}, pmcid = {{{known.pmcid}}}}}"
    title, authors = (
        _NO_BIBTEX.sub("", field) for field in (known.title, " and ".join(known.authors))
    )
    return (
        f"@article{{{article.id}, title = {{{{{title}}}}}, author = {{{authors}}}, "
        f"year = {{{known.year}}}}}"
    )


def _check(manuscript: Path, folder: Path, scratch: Path) -> Run:
    home = scratch / "home"
    home.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "citespan.cli.main", "check", str(manuscript), "--json"]
    environment = {"HOME": str(home), "PATH": ""}
    return watched([*command, "--articles", str(folder)], environment)


def _check_twice(label: str, manuscript: Path, folder: Path, scratch: Path) -> Iterator[Row]:
    first, second = (_check(manuscript, folder, scratch) for _ in range(2))
    for name, run in (("first", first), ("again", second)):
        yield Row(f"{label}, {name}", _describe(run))
    kept = folder.with_name(f"{folder.name}.citespan").stat().st_size / 1e6
    yield Row(f"{label}, kept", f"{kept:.1f} MB")


def _describe(run: Run) -> str:
    taken = run.processor + run.children
    return f"{run.seconds:.1f} s, {taken:.1f} s of the processor, {run.peak:.0f} MB"


def _compare(alone: dict[str, Any], served: dict[str, Any]) -> Iterator[Row]:
    """Yield how many citations have the same, from a folder and with a node."""
    pairs = list(zip(alone["citations"], served["citations"], strict=True))
    statuses = Counter(citation["status"] for citation in alone["citations"])
    found = ", ".join(f"{number} {status}" for status, number in statuses.items())
    yield Row("statuses", found)
    names = ("article", "status", "reason", "differences", "missing", "better")
    for name in names:
        same = sum(_is_near(own[name], other[name]) for own, other in pairs)
        yield Row(f"citations with the same {name}", str(same), str(len(pairs)), wanted="all")
    same = sum(_is_near(own, other) for own, other in pairs)
    label = f"citations the same in all, numbers within {_TOLERANCE}"
    yield Row(label, str(same), str(len(pairs)), wanted="all")


def _is_near(value: Any, other: Any) -> bool:
    """Whether two values of JSON are the same, numbers within the tolerance."""
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(
            _is_near(value[key], other[key]) for key in value
        )
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_is_near, value, other))
    if isinstance(value, float) and isinstance(other, float):
        return abs(value - other) <= _TOLERANCE
    return bool(value == other)


if __name__ == "__main__":
    main()

"""How well citation markers and sentences are found in texts without mark-up, form by form.

`python -m studies.written_markers ARCHIVE...` reads articles whose mark-up links numbers to entries
of the reference list, writes their markers in the forms of common styles, takes the mark-up away,
and compares the entries that are found to be cited, and the sentences, with those of the links. All
articles count whose markers are numbers and whose entries have authors and years. Most rules
were written while looking at one archive of `pmc`, oa_by.001, and some at articles of 002 and 003.

The trivial baseline takes everything that has the marker's form for a marker.
"""

import argparse
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from string import ascii_lowercase

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import track
from rich.table import Table

from citespan.pipelines.citing.markers import group_links
from citespan.pipelines.citing.written_markers import find_written_markers
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.paragraphs import raise_numbers
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit_reading import read_articles
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters

_LEAST_REFERENCES = 10
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_NUMBERED = re.compile(r"[\[(]?\d{1,3}[\])]?")
_OPENED = re.compile(r"\s*[\[(]?\s*\Z")
_CLOSED = re.compile(r"\s*[\])]")
_STOP = re.compile("[.,]")
_NAMED = "authors and years"
Write = Callable[[Sequence[int], Sequence[str]], str]
"""Returns a marker of the places of some entries, from 1, in order, and their names and years."""
_SQUARE: tuple[Write, str] = (lambda places, _: f" [{_join(places)}]", r"\[([\d,–]+)\]")
_SUPERSCRIPTS: tuple[Write, str] = (
    lambda places, _: raise_numbers(_join(places)),
    rf"[{_RAISED}][{_RAISED},–]*",
)
_FORMS: dict[str, tuple[Write, str]] = {
    "square brackets": _SQUARE,
    "square brackets behind the stop": _SQUARE,
    "round brackets": (lambda places, _: f" ({_join(places)})", r"\(([\d,–]+)\)"),
    "superscripts": _SUPERSCRIPTS,
    "superscripts behind the stop": _SUPERSCRIPTS,
    "numbers behind the stop": (lambda places, _: _join(places), r"(?<=[^\W\d][.,])[\d,–]+"),
    _NAMED: (
        lambda _, names: f" ({'; '.join(names)})",
        r"(\w+(?: et al\.| and \w+)?, \d{4}[a-z]?)",
    ),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        "studies.written_markers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("articles", nargs="+", help="files, folders or archives of articles")
    arguments = parser.parse_args()
    read = list(track(_read(arguments.articles), "reading", console=Console(stderr=True)))
    table = Table("form", "articles", "cited", "recall", "precision", box=SIMPLE)
    table.add_column("baseline: recall")
    table.add_column("precision")
    table.add_column("sentences")
    for form in _FORMS:
        cited, *counts, sentences, same = map(
            sum, zip(*(_measure(article, form) for article in read), strict=True)
        )
        ratios = [right / of for found, right in (counts[:2], counts[2:]) for of in (cited, found)]
        if form != _NAMED:  # whose names are words of their sentences
            ratios.append(same / sentences)
        table.add_row(form, f"{len(read):,}", f"{cited:,}", *(f"{ratio:.3f}" for ratio in ratios))
    Console().print(table)


def _read(articles: Sequence[str]) -> Iterator[Article]:
    for article in read_articles(Sources(list(articles), "auto")):
        if not isinstance(article, Article) or len(article.references) < _LEAST_REFERENCES:
            continue
        names = {name for each in article.references for name in (each.key, *each.names)}
        shown = [article.text[link.start : link.end].strip() for link in article.links]
        works = [each.publication for each in article.references]
        if (
            shown
            and all(map(_NUMBERED.fullmatch, shown))
            and names.issuperset(name for link in article.links for name in link.names)
            and all(work.authors and work.year for work in works)
        ):
            yield article


def _measure(article: Article, form: str) -> tuple[int, ...]:
    """Return how many entries are cited, found, rightly found, guessed, rightly guessed; how many
    sentences there are, and how many are the same without links."""
    names = _name(article.references)
    text, cited = _write(article, form, names)
    listed = [
        replace(
            each, key=str(place), label="" if form == _NAMED else str(place), text=names[place - 1]
        )
        for place, each in enumerate(article.references, 1)
    ]
    markers = find_written_markers(text, listed, len(text))
    found = Counter(key for marker in markers for key in (*marker.keys, *marker.unknown))
    guessed = Counter(_guess(text, form, names))
    right = (found & cited).total(), (guessed & cited).total()
    sentences, without = (
        _split(each) for each in (article, replace(article, text=text, links=(), sections=()))
    )
    of_sentences = sentences.total(), (sentences & without).total()
    return cited.total(), found.total(), right[0], guessed.total(), right[1], *of_sentences


def _split(article: Article) -> Counter[str]:
    """Return the sentences of an article, each as its letters alone."""
    found = split_article(article, splitters[DEFAULT])
    letters = (re.sub(r"[\W\d_]", "", article.text[each.start : each.end]) for each in found)
    return Counter(filter(None, (re.sub(f"[{_RAISED}]", "", each) for each in letters)))


def _write(article: Article, form: str, names: Sequence[str]) -> tuple[str, Counter[str]]:
    """Return the text with its markers in a form, and how often each place is cited."""
    write, text = _FORMS[form][0], article.text
    places = {reference.key: place for place, reference in enumerate(article.references, 1)}
    parts: list[str] = []
    position = 0
    cited: Counter[str] = Counter()
    for marker in group_links(text, article.links, article.references):
        numbers = sorted(places[key] for key in marker.keys)
        cited.update(map(str, numbers))
        before = text[position : marker.start]
        opened = _OPENED.search(before)
        closed = _CLOSED.match(text, marker.end)
        parts.append(before[: opened.start()] if opened else before)
        position = closed.end() if closed and opened and opened[0].strip() else marker.end
        if "stop" in form and (stop := _STOP.match(text, position)):
            parts.append(stop[0])
            position = stop.end()
        parts.append(write(numbers, [names[number - 1] for number in numbers]))
    return "".join([*parts, text[position:]]), cited


def _guess(text: str, form: str, names: Sequence[str]) -> Iterator[str]:
    places = {name: str(place) for place, name in enumerate(names, 1)}
    for shown in re.findall(_FORMS[form][1], text):
        if form == _NAMED:
            yield places.get(shown, "")
        else:
            for part in unicodedata.normalize("NFKC", shown).split(","):
                first, _, last = part.partition("–")
                if first.isdigit() and (last or first).isdigit():
                    yield from map(str, range(int(first), int(last or first) + 1))


def _join(places: Iterable[int]) -> str:
    """Return numbers as in "1,3–5"."""
    runs = groupby(enumerate(places), lambda pair: pair[1] - pair[0])
    ranges = [[place for _, place in run] for _, run in runs]
    return ",".join(
        str(run[0]) if len(run) == 1 else f"{run[0]}{'–' if len(run) > 2 else ','}{run[-1]}"
        for run in ranges
    )


def _name(references: Sequence[Reference]) -> list[str]:
    """Return the authors and year of each entry, as in "Roe et al., 2001b"."""
    works = [each.publication for each in references]
    alike = Counter((work.first_author, work.year) for work in works)
    seen: Counter[tuple[str, int | None]] = Counter()
    names = []
    for work in works:
        surnames = [author.partition(",")[0] for author in work.authors]
        others = " et al." if len(surnames) > 2 else ""
        shown = surnames[0] + others if others else " and ".join(surnames)
        same = work.first_author, work.year
        letter = ascii_lowercase[seen[same] % 26] if alike[same] > 1 else ""
        seen[same] += 1
        names.append(f"{shown}, {work.year}{letter}")
    return names


if __name__ == "__main__":
    main()

"""How well first authors and titles are read from entries that are text, style by style.

`python -m studies.reference_styles ARCHIVE...` reads articles, writes what is known of works in the
styles of common reference lists, and reads it again. Styles with initials are written of entries of
the articles' lists; those with given names in full, of the articles themselves, whose authors have
them. No works were chosen by how they are read, but the rules were written while looking at this
table and at what it gets wrong.

The trivial baseline takes the first word for the surname, and the longest part between full stops
and quotation marks for the title.
"""

import argparse
import random
import re
from collections.abc import Callable, Iterator, Sequence

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import track
from rich.table import Table

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.publication import Publication, normalise_surname, normalise_title
from citespan.pipelines.corpus.reference_text import read_entries
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit_reading import read_articles

_MOST = 4_000
_LEAST_TITLE = 20
_LIST = 40  # entries that are read together
Style = Callable[[Publication], str]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        "studies.reference_styles",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("articles", nargs="+", help="files, folders or archives of articles")
    arguments = parser.parse_args()
    read = list(track(_read(arguments.articles), "reading", console=Console(stderr=True)))
    cited = [
        each for article in read for reference in article.references
        if _is_whole(each := reference.publication)
    ]  # fmt: skip
    cited = random.Random(24).sample(cited, min(_MOST, len(cited)))
    own = [article.publication for article in read if _is_whole(article.publication)]
    table = Table("style", "entries", "author", "title", "baseline: author", "title", box=SIMPLE)
    for styles, works in ((_WITH_INITIALS, cited), (_WITH_NAMES, own)):
        for name, write in styles.items():
            figures = _measure([write(work) for work in works], works)
            table.add_row(name, f"{len(works):,}", *(f"{figure:.3f}" for figure in figures))
    Console().print(table)


def _read(articles: Sequence[str]) -> Iterator[Article]:
    for reading in read_articles(Sources(list(articles), "auto")):
        if isinstance(reading, Article):
            yield reading


def _is_whole(work: Publication) -> bool:
    return bool(
        work.authors
        and all(", " in author for author in work.authors)
        and len(work.title) > _LEAST_TITLE
        and work.year
        and work.journal
    )


def _measure(entries: Sequence[str], works: Sequence[Publication]) -> list[float]:
    right = [0, 0, 0, 0]
    for first in range(0, len(entries), _LIST):
        texts = entries[first : first + _LIST]
        for text, work, reference in zip(
            texts, works[first : first + _LIST], read_entries(texts).references, strict=True
        ):
            found = reference.publication
            surname, guessed = guess(re.sub(r"^\[\d+\] ", "", text))
            right[0] += found.first_author == work.first_author
            right[1] += normalise_title(found.title) == normalise_title(work.title)
            right[2] += normalise_surname(surname) == work.first_author
            right[3] += normalise_title(guessed) == normalise_title(work.title)
    return [count / len(entries) for count in right]


def guess(plain: str) -> tuple[str, str]:
    """Return what the baseline takes for the first surname and the title of an entry without its
    label."""
    return re.split(r"[\s,]", plain)[0], max(re.split(r"[.”\"“]+\s", plain), key=len)


def _names(work: Publication) -> list[tuple[str, str]]:
    """Return the surname and the given names of each author."""
    split = (author.partition(", ") for author in work.authors)
    return [(surname, given) for surname, _, given in split]


def _initials(given: str, mark: str = "", between: str = "") -> str:
    letters = [word[0].upper() for word in re.split(r"[\s.-]+", given) if word[:1].isalpha()]
    return between.join(letter + mark for letter in letters[:3])


def _join(names: Sequence[str], last: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])}{last}{names[-1]}"


def _behind(work: Publication) -> list[str]:
    """Return authors as "Roe, J. A."."""
    return [f"{surname}, {_initials(given, '.', ' ')}" for surname, given in _names(work)]


def _before(work: Publication) -> list[str]:
    """Return authors as "J. A. Roe"."""
    return [f"{_initials(given, '.', ' ')} {surname}" for surname, given in _names(work)]


def _close(work: Publication) -> list[str]:
    """Return authors as "Roe JA"; of more than six, the first six."""
    names = [f"{surname} {_initials(given)}" for surname, given in _names(work)]
    return [*names[:6], "et al"] if len(names) > 6 else names


def _pointed(work: Publication) -> list[str]:
    """Return authors as "Roe J.A."; of more than three, the first and "i in."."""
    names = [f"{surname} {_initials(given, '.')}" for surname, given in _names(work)]
    return names if len(names) <= 3 else [f"{names[0]} i in."]


def _in_full(work: Publication) -> list[str]:
    """Return authors as "Jane A. Roe"."""
    return [f"{given} {surname}" for surname, given in _names(work)]


def _inverted(work: Publication) -> list[str]:
    """Return authors as "Roe, Jane A." and "John Doe"; of more than ten, the first ten."""
    return [work.authors[0], *_in_full(work)[1:10]]


def _in_capitals(work: Publication) -> list[str]:
    """Return authors as "ROE, Jane A."."""
    return [f"{surname.upper()}, {given}" for surname, given in _names(work)]


def _first_inverted(work: Publication) -> list[str]:
    """Return authors as "ROE, Jane A." and "John DOE"; of more than ten, the first ten."""
    others = (f"{given} {surname.upper()}" for surname, given in _names(work)[1:10])
    return [_in_capitals(work)[0], *others]


def _stopped(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _title(work: Publication) -> str:
    return work.title.rstrip(".")


_AND, _COMMA_AND = " and ", ", and "

_WITH_INITIALS: dict[str, Style] = {
    "Vancouver": lambda w: (
        f"{', '.join(_close(w))}. {_title(w)}. {w.journal}. {w.year};12(3):45-9."
    ),
    "Frontiers": lambda w: f"{', '.join(_close(w))}. {_title(w)}. {w.journal} ({w.year}) 12:45-9.",
    "PLOS (2010)": lambda w: (
        f"{', '.join(_close(w))} ({w.year}) {_title(w)}. {w.journal} 12: 45-49."
    ),
    "APA": lambda w: (
        f"{_join(_behind(w), ', & ')} ({w.year}). {_title(w)}. {w.journal}, 12(3), 45."
    ),
    "Cell": lambda w: (
        f"{_join(_behind(w), _COMMA_AND)} ({w.year}). {_title(w)}. {w.journal} 12, 45."
    ),
    "Harvard": lambda w: (
        f"{_join(_behind(w), _AND)}, {w.year}. {_title(w)}. {w.journal}, 12(3), p.45."
    ),
    "Nature": lambda w: (
        f"{_join(_behind(w), ' & ')} {_title(w)}. {w.journal} 12, 45–49 ({w.year})."
    ),
    "ACS": lambda w: f"{'; '.join(_behind(w))} {_title(w)}. {w.journal} {w.year}, 12, 45-49.",
    "Elsevier": lambda w: (
        f"[3] {', '.join(_before(w))}, {_title(w)}, {w.journal} 12 ({w.year}) 45–49."
    ),
    "Copernicus": lambda w: (
        f"{_join(_behind(w), _COMMA_AND)}: {_title(w)}, {w.journal}, 12, 45–49, {w.year}."
    ),
    "IEEE": lambda w: (
        f'[3] {_join(_before(w), _COMMA_AND)}, "{_title(w)}," {w.journal}, vol. 12, {w.year}.'
    ),
    "GB/T 7714": lambda w: (
        f"[3] {', '.join(_close(w))}. {_title(w)}[J]. {w.journal}, {w.year}, 12(3): 45-49."
    ),
    "Polish": lambda w: (
        f"{', '.join(_pointed(w))}, {_title(w)}, „{w.journal}” {w.year}, nr 12, s. 45–49."
    ),
    "BibTeX abbrv": lambda w: (
        f"{_join(_before(w), _COMMA_AND)}. {_title(w)}. {w.journal}, 12:45–49, {w.year}."
    ),
}
_WITH_NAMES: dict[str, Style] = {
    "ACL": lambda w: (
        f"{_stopped(_join(_in_full(w), _COMMA_AND))} {w.year}. {_title(w)}. {w.journal}, 12:45."
    ),
    "BibTeX plain": lambda w: (
        f"{_stopped(_join(_in_full(w), _COMMA_AND))} {_title(w)}. {w.journal}, 12:45–49, {w.year}."
    ),
    "Chicago": lambda w: (
        f"{_stopped(_join(_inverted(w), _COMMA_AND))} {w.year}. “{_title(w)}.” {w.journal} 12: 45."
    ),
    "Chicago, no quotes": lambda w: (
        f"{_stopped(_join(_inverted(w), _COMMA_AND))} {w.year}. {_title(w)}. {w.journal}, 12(3):45."
    ),
    "ABNT": lambda w: (
        f"{_stopped('; '.join(_in_capitals(w)))} {_title(w)}. {w.journal}, v. 12, p. 45, {w.year}."
    ),
    "ISO 690": lambda w: (
        f"{_stopped(_join(_first_inverted(w), ' a '))} {_title(w)}. {w.journal}. "
        f"{w.year}, 12(3), 45-49."
    ),
    "German": lambda w: (
        f"{'/'.join(w.authors)} ({w.year}): {_title(w)}, in: {w.journal}, Jg. 12, S. 45–49."
    ),
    "MLA": lambda w: (
        f"{_stopped(w.authors[0] + (', et al' if len(w.authors) > 1 else ''))} “{_title(w)}.” "
        f"{w.journal}, vol. 12, no. 3, {w.year}, pp. 45-49."
    ),
}


if __name__ == "__main__":
    main()

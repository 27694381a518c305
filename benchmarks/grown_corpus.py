"""Any number of articles that grow as real ones do, made of the articles of a real collection.

    python -m benchmarks.grown_corpus ../shared/data/pmc --articles 20000 --to FOLDER
    python -m benchmarks.grown_corpus ../shared/data/pmc --articles 20000 --check

An article has the sections, paragraphs, sentences and references of a real article in number. Its
sentences are drawn, from the same kind of section, from a few other articles of the same journal.
Words beyond the 5,000 most frequent are exchanged, alike in the whole article: the new word's rank
is drawn from a power law without end, whose exponent is chosen so that as many articles as the
real ones have as many words. Made-up words follow the real ones, so that the vocabulary grows with
the collection. Some references name older articles of the collection, drawn so that how often an
article is cited follows a power law; the others are real entries of the lists. Article N is the
same whenever it is made, whatever else is.

`--check` prints the curves of both beside each other: the first articles of the collection that is
made are as many as the real ones. Nothing is fitted to how citespan stores or searches them.
"""

import argparse
import io
import json
import random
import re
import sys
import tarfile
import tempfile
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from statistics import mean, median

import numpy as np

from citespan.pipelines.citing.citations import ArticleCitations, find_citations
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit_reading import read_articles
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters

FREQUENT = 5_000
"""Words that stay as they are."""
CITED_HERE = 3.0
"""References of an article to others of the collection, on average."""
_SOURCES = 2  # articles whose sentences make one
_FEWEST_OF_JOURNAL = 8
_IN_ARCHIVE = 1_000
_WORD = re.compile(r"[^\W\d_]\w*")
_MARKER = "\0"
_SYLLABLES = (
    *("ba", "car", "do", "en", "fi", "gly", "ha", "in", "ka", "lo", "mi", "ne", "os", "pro"),
    *("ri", "sul", "ta", "ul", "ver", "xa"),
)
_KINDS = ("intro", "background", "method", "material", "result", "discussion", "conclusion")


@dataclass(frozen=True)
class _Text:
    """A sentence or title as it is made again: `form % words`.

    Attributes:
        rare: the words that are exchanged, in order, as they were.
    """

    form: str
    rare: tuple[str, ...]


@dataclass(frozen=True)
class _Section:
    """What a section is made by: the number of sentences of each of its paragraphs."""

    title: str
    kind: str
    paragraphs: tuple[int, ...]


@dataclass(frozen=True)
class _Shape:
    """What an article is made by."""

    journal: str
    title: _Text
    sections: tuple[_Section, ...]
    sentences: dict[str, list[_Text]]
    references: tuple[Publication, ...]
    authors: tuple[str, ...]


class GrownCorpus:
    """Makes articles of real ones.

    Args:
        articles: the real ones.
    """

    def __init__(self, articles: Sequence[Article]) -> None:
        counts = Counter(word for article in articles for word in find_words(article.text))
        self._words = [word for word, _ in counts.most_common()]
        self._frequent = frozenset(self._words[:FREQUENT])
        self._shapes = [self._describe(article) for article in articles]
        self._of_journal = self._group()
        self.mean_references = mean(len(shape.references) for shape in self._shapes)
        of_articles = sum(
            len({word.lower() for texts in shape.sentences.values() for text in texts
                 for word in text.rare})
            for shape in self._shapes
        )  # fmt: skip
        self.exponent = fit_exponent(of_articles, max(2, len(self._words) - FREQUENT))

    def _describe(self, article: Article) -> _Shape:
        markers = find_places_cited(article)
        starts = [start for start, _ in markers]
        ends = [section.end for section in article.sections]
        texts: dict[str, list[_Text]] = defaultdict(list)
        sizes: dict[int, list[int]] = defaultdict(list)
        last = -1
        for start, end in split_article(article, splitters[DEFAULT]):
            number = bisect_right(ends, start)
            if number >= len(ends):
                continue
            if not sizes[number] or "\n\n" in article.text[last:start]:
                sizes[number].append(0)
            sizes[number][-1] += 1
            last = end
            text = article.text[start:end]
            inside = markers[bisect_right(starts, start - 1) : bisect_right(starts, end - 1)]
            for begin, behind in reversed(inside):
                text = text[: begin - start] + _MARKER + text[behind - start :]
            section = article.sections[number]
            texts[_kind_of(section.kind, section.title)].append(self._take_apart(text))
        made = tuple(
            _Section(section.title, _kind_of(section.kind, section.title), tuple(sizes[number]))
            for number, section in enumerate(article.sections)
            if sizes[number] and section.kind != "title"
        )
        return _Shape(
            article.publication.journal,
            self._take_apart(article.title),
            made,
            dict(texts),
            tuple(reference.publication for reference in article.references),
            article.publication.authors,
        )

    def _take_apart(self, text: str) -> _Text:
        rare: list[str] = []

        def take(match: re.Match[str]) -> str:
            if match[0].lower() in self._frequent:
                return match[0]
            rare.append(match[0])
            return "%s"

        form = _WORD.sub(take, text.replace("%", "%%"))
        return _Text(form, tuple(rare))

    def _group(self) -> dict[str, list[int]]:
        groups: dict[str, list[int]] = defaultdict(list)
        for number, shape in enumerate(self._shapes):
            groups[shape.journal].append(number)
        every = list(range(len(self._shapes)))
        return {
            journal: own if len(own) >= _FEWEST_OF_JOURNAL else every
            for journal, own in groups.items()
        }

    def draw_word(self, chance: random.Random) -> str:
        """Return a word that is not frequent, by the power law of ranks."""
        rank = int(FREQUENT * (1.0 - chance.random()) ** (-1 / (self.exponent - 1)))
        return self._words[rank] if rank < len(self._words) else _make_up(rank)

    def describe(self, number: int) -> tuple[_Shape, Publication, random.Random]:
        """Return what an article of the collection is made by, and what its references say of it;
        further draws go on from there."""
        chance = random.Random(f"citespan {number}")
        shape = self._shapes[chance.randrange(len(self._shapes))]
        title = _fill(shape.title, {}, self, chance)
        authors = tuple(
            chance.choice(named)
            for named in (chance.choice(self._shapes).authors for _ in range(3))
            if named
        )
        publication = Publication(
            authors=authors,
            title=title.replace(_MARKER, ""),
            year=1990 + chance.randrange(36),
            journal=shape.journal,
            pmid=str(80_000_000 + number),
            pmcid=f"PMC{90_000_000 + number}",
            doi=f"10.5555/grown.{number}",
        )
        return shape, publication, chance

    def make(self, number: int) -> str:
        """Return an article in JATS."""
        shape, publication, chance = self.describe(number)
        own = self._of_journal[shape.journal]
        sources = [self._shapes[chance.choice(own)] for _ in range(_SOURCES)]
        mapping: dict[str, str] = {}
        references = [self._refer(number, known, chance) for known in shape.references]
        cited = iter(range(1, 1 << 30))
        parts = []
        abstract = ""
        for section in shape.sections:
            pool = [text for source in sources for text in source.sentences.get(section.kind, ())]
            pool = pool or shape.sentences[section.kind]
            paragraphs = "".join(
                "<p>"
                + " ".join(
                    self._cite(
                        _fill(chance.choice(pool), mapping, self, chance), cited, len(references)
                    )
                    for _ in range(size)
                )
                + "</p>"
                for size in section.paragraphs
            )
            if section.kind == "abstract":
                abstract += paragraphs
            else:
                title = _xml(section.title.rpartition(" / ")[2] or "Text")
                parts.append(f"<sec><title>{title}</title>{paragraphs}</sec>")
        entries = "".join(map(_write_entry, range(1, len(references) + 1), references))
        names = "".join(f'<contrib contrib-type="author">{_name(author)}</contrib>'
                        for author in publication.authors)  # fmt: skip
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<article article-type="research-article">'
            f"<front><journal-meta><journal-title-group><journal-title>{_xml(shape.journal)}"
            "</journal-title></journal-title-group></journal-meta><article-meta>"
            f'<article-id pub-id-type="pmc">{publication.pmcid}</article-id>'
            f'<article-id pub-id-type="pmid">{publication.pmid}</article-id>'
            f'<article-id pub-id-type="doi">{publication.doi}</article-id>'
            f"<title-group><article-title>{_xml(publication.title)}</article-title></title-group>"
            f"<contrib-group>{names}</contrib-group><pub-date><year>{publication.year}</year>"
            f"</pub-date><abstract>{abstract}</abstract></article-meta></front>"
            f"<body>{''.join(parts)}</body><back><ref-list>{entries}</ref-list></back></article>\n"
        )

    def _refer(self, number: int, known: Publication, chance: random.Random) -> Publication:
        if number and chance.random() < CITED_HERE / self.mean_references:
            return self.describe(int(number * chance.random() ** 2))[1]
        return known

    def _cite(self, text: str, cited: Iterator[int], references: int) -> str:
        text = _xml(text)
        while _MARKER in text:
            at = (next(cited) - 1) % references + 1 if references else 0
            link = f'[<xref ref-type="bibr" rid="B{at}">{at}</xref>]' if at else ""
            text = text.replace(_MARKER, link, 1)
        return text


def find_places_cited(article: Article) -> list[tuple[int, int]]:
    """Return (start, end) of the markers of an article, in order, each once."""
    found: ArticleCitations = find_citations(article, splitters[DEFAULT])
    return sorted({(c.marker.start, c.marker.end) for c in found.citations})


def find_words(text: str) -> list[str]:
    """Return words in lower case: what begins with a letter."""
    return [word.lower() for word in _WORD.findall(text)]


def fit_exponent(draws: int, distinct: int) -> float:
    """Return the exponent of a power law of ranks from `FREQUENT` on of which so many draws are
    expected to have so many distinct values, by bisection."""
    ranks = np.geomspace(FREQUENT, FREQUENT * 1e6, 4_000)
    widths = np.diff(ranks)
    middles = np.sqrt(ranks[1:] * ranks[:-1])

    def expect(exponent: float) -> float:
        chances = (exponent - 1) / FREQUENT * (middles / FREQUENT) ** -exponent
        return float((-np.expm1(-draws * chances) * widths).sum())

    low, high = 1.01, 6.0
    for _ in range(60):
        half = (low + high) / 2
        low, high = (half, high) if expect(half) > distinct else (low, half)
    return (low + high) / 2


def _kind_of(kind: str, title: str) -> str:
    if kind != "body":
        return kind
    lowered = title.lower()
    return next((known for known in _KINDS if known in lowered), "body")


def _fill(text: _Text, mapping: dict[str, str], corpus: GrownCorpus, chance: random.Random) -> str:
    words = []
    for word in text.rare:
        lowered = word.lower()
        other = mapping.get(lowered)
        if other is None:
            other = mapping[lowered] = corpus.draw_word(chance)
        words.append(other.capitalize() if word[0].isupper() else other)
    return text.form % tuple(words)


@cache
def _make_up(rank: int) -> str:
    word = ""
    while rank:
        rank, at = divmod(rank, len(_SYLLABLES))
        word += _SYLLABLES[at]
    return word


def _xml(text: str) -> str:
    return escape(text, quote=False)


def _name(author: str) -> str:
    surname, _, given = author.partition(", ")
    return (
        f"<name><surname>{_xml(surname)}</surname><given-names>{_xml(given)}</given-names></name>"
    )


def _write_entry(number: int, publication: Publication) -> str:
    identifiers = "".join(
        f'<pub-id pub-id-type="{kind}">{_xml(value)}</pub-id>'
        for kind, value in (("pmid", publication.pmid), ("doi", publication.doi))
        if value
    )
    names = "".join(map(_name, publication.authors[:3]))
    return (
        f'<ref id="B{number}"><label>{number}</label><element-citation>'
        f'<person-group person-group-type="author">{names}</person-group>'
        f"<article-title>{_xml(publication.title)}</article-title><source>{_xml(publication.journal)}</source>"
        f"<year>{publication.year or ''}</year>{identifiers}</element-citation></ref>"
    )


def write(corpus: GrownCorpus, count: int, folder: Path, first: int = 0) -> list[Path]:
    """Write articles into archives of a thousand each; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for start in range(first, first + count, _IN_ARCHIVE):
        path = folder / f"grown.{start // _IN_ARCHIVE:05}.tar.gz"
        with tarfile.open(path, "w:gz", compresslevel=1) as archive:
            for number in range(start, min(start + _IN_ARCHIVE, first + count)):
                content = corpus.make(number).encode()
                member = tarfile.TarInfo(f"PMC{90_000_000 + number}.nxml")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        written.append(path)
        print(f"{start - first + _IN_ARCHIVE:,} of {count:,}", file=sys.stderr, flush=True)
    return written


@dataclass
class Curves:
    """What is compared.

    Attributes:
        growth: numbers of words read, and of distinct words among them.
        frequencies: occurrences a million of the words of some ranks.
        words, sentences: of an article: median and mean.
        distinct, references, markers: different words of an article, entries of its reference
            list, and places that cite: means.
    """

    growth: dict[int, int]
    frequencies: dict[int, float]
    words: tuple[float, float]
    distinct: float
    sentences: tuple[float, float]
    references: float
    markers: float


def measure(articles: Iterable[Article]) -> Curves:
    """Return the curves of a collection."""
    counts: Counter[str] = Counter()
    growth: dict[int, int] = {}
    words, distinct, sentences, references, markers = [], [], [], [], []
    total, step = 0, 50_000
    for article in articles:
        own = find_words(article.text)
        counts.update(own)
        total += len(own)
        words.append(len(own))
        distinct.append(len(set(own)))
        sentences.append(len(split_article(article, splitters[DEFAULT])))
        references.append(len(article.references))
        markers.append(len(find_places_cited(article)))
        while total >= step:
            growth[step] = len(counts)
            step *= 2
    ordered = sorted(counts.values(), reverse=True)
    ranks = [rank for rank in (1, 10, 100, 1_000, 10_000, 100_000) if rank <= len(ordered)]
    return Curves(
        growth,
        {rank: 1e6 * ordered[rank - 1] / total for rank in ranks},
        (median(words), mean(words)),
        mean(distinct),
        (median(sentences), mean(sentences)),
        mean(references),
        mean(markers),
    )


def main() -> None:
    """Write a collection, or print the curves of both."""
    parser = argparse.ArgumentParser(prog="benchmarks.grown_corpus", description=__doc__)
    parser.add_argument("real", type=Path, help="JATS files or archives, or a folder of them")
    parser.add_argument("--articles", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first article")
    parser.add_argument("--to", type=Path, help="a folder")
    parser.add_argument("--check", action="store_true", help="print the curves")
    arguments = parser.parse_args()
    if arguments.check == (arguments.to is not None):
        parser.error("give either --to FOLDER or --check")
    articles = list(_read(arguments.real))
    corpus = GrownCorpus(articles)
    if arguments.to:
        write(corpus, arguments.articles, arguments.to, arguments.first)
        return
    real = measure(articles)
    with tempfile.TemporaryDirectory() as folder:
        write(corpus, arguments.articles, Path(folder))
        made = measure(_read(Path(folder)))
    curves = {"real": real.__dict__, "made": made.__dict__}
    print(json.dumps({"exponent": corpus.exponent, **curves}, indent=1))


def _read(path: Path) -> Iterator[Article]:
    """Yield the JATS articles of files, archives or folders."""
    readings = read_articles(Sources([str(path)], "jats"))
    return (reading for reading in readings if isinstance(reading, Article))


if __name__ == "__main__":
    main()

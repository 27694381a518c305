"""How well references are resolved by title, first author and year alone.

`python -m benchmarks.resolution ARCHIVE...` reads articles with their reference lists, hides the
identifiers of all that is resolved, and resolves twice:

- *to articles*: each reference that has an identifier of one of the articles;
- *to references*: of the references that share a PMID, the first stands for the article that they
  name, and each one of another list is resolved to it, among all PMIDs of the lists.

The baseline takes equal titles with the same first author and years at most one apart.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import track
from rich.table import Table

from citespan.pipelines.citations.resolution import (
    IndexedArticle,
    LookUp,
    Resolution,
    make_look_up,
    resolve,
)
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.publication import Publication, normalise_title
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit_reading import read_articles
from citespan.pipelines.precision_recall import PrecisionRecall


@dataclass(frozen=True, slots=True)
class Citing:
    """An article with what it cites."""

    id: str
    publication: Publication
    references: tuple[Publication, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A reference without identifiers, and the candidate that it names."""

    reference: Publication
    right: str
    citing: str


def main() -> None:
    """Print the figures as a table or as JSON."""
    parser = argparse.ArgumentParser(
        "benchmarks.resolution",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("articles", nargs="+", help="files, folders or archives of articles")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    citing = list(track(_read(arguments.articles), "reading", console=Console(stderr=True)))
    rows: list[dict[str, Any]] = []
    for name, (candidates, wanted) in (
        ("articles", _among_articles(citing)),
        ("references", _among_references(citing)),
    ):
        look_up = make_look_up(candidates)
        shared = {"candidates": _count_candidates(wanted, look_up)}
        for way, choose in (("resolver", _resolve), ("baseline", _match_exactly)):
            rows.append({"to": name, "by": way, "among": len(candidates)} | shared)
            rows[-1] |= _measure(wanted, [choose(reference, look_up) for reference in wanted])
    if arguments.json:
        print(json.dumps(rows))
        return
    listed = sum(len(article.references) for article in citing)
    identified = sum(
        bool(reference.identifiers) for each in citing for reference in each.references
    )
    table = Table(
        *("to", "by", "among", "wanted", "right", "wrong", "ambiguous", "P", "R"),
        box=SIMPLE,
        padding=(0, 1, 0, 0),
        title=f"{len(citing):,} articles, {listed:,} references, {identified:,} with an identifier",
    )
    for row in rows:
        counts = (f"{row[name]:,}" for name in ("among", "wanted", "right", "wrong"))
        ratios = (f"{row[name]:.3f}" for name in ("precision", "recall"))
        table.add_row(row["to"], row["by"], *counts, f"{row['ambiguous']:,}", *ratios)
    Console().print(table)
    for row in rows[::2]:
        print(f"among {row['among']:,}: {row['candidates']:.2f} candidates a reference")


def _count_candidates(wanted: Sequence[Wanted], look_up: LookUp) -> float:
    """Return how many candidates share a key with a reference, on average."""
    found = (look_up(each.reference.keys).values() for each in wanted)
    shared = (len({same.id for some in values for same in some}) for values in found)
    return sum(shared) / max(1, len(wanted))


def _read(articles: list[str]) -> Iterator[Citing]:
    for reading in read_articles(Sources(articles, "auto")):
        if isinstance(reading, Article):
            references = tuple(reference.publication for reference in reading.references)
            yield Citing(reading.id, reading.publication, references)


def _hide(publication: Publication) -> Publication:
    return replace(publication, pmid="", pmcid="", doi="")


def _among_articles(citing: Sequence[Citing]) -> tuple[list[IndexedArticle], list[Wanted]]:
    named = {key: article.id for article in citing for key in article.publication.identifiers}
    wanted = []
    for article in citing:
        for reference in article.references:
            right = {named[key] for key in reference.identifiers if key in named}
            if len(right) == 1:
                wanted.append(Wanted(_hide(reference), right.pop(), article.id))
    return [IndexedArticle(article.id, _hide(article.publication)) for article in citing], wanted


def _among_references(citing: Sequence[Citing]) -> tuple[list[IndexedArticle], list[Wanted]]:
    first: dict[str, tuple[str, Publication]] = {}
    wanted = []
    for article in citing:
        for reference in article.references:
            if not reference.pmid:
                continue
            list_of, _ = first.setdefault(reference.pmid, (article.id, _hide(reference)))
            if list_of != article.id:
                wanted.append(Wanted(_hide(reference), reference.pmid, article.id))
    return [IndexedArticle(pmid, publication) for pmid, (_, publication) in first.items()], wanted


def _resolve(wanted: Wanted, look_up: LookUp) -> Resolution:
    return resolve([wanted.reference], look_up, wanted.citing)[0]


def _match_exactly(wanted: Wanted, look_up: LookUp) -> Resolution:
    reference = wanted.reference
    fitting = {
        candidate.id
        for found in look_up(reference.keys).values()
        for candidate in found
        if candidate.publication.first_author == reference.first_author
        and normalise_title(candidate.publication.title) == normalise_title(reference.title)
        and abs((candidate.publication.year or 0) - (reference.year or 0)) <= 1
    }
    if len(fitting) == 1:
        return Resolution("title", fitting.pop())
    return Resolution("ambiguous" if fitting else "not indexed")


def _measure(wanted: Sequence[Wanted], found: Sequence[Resolution]) -> dict[str, float]:
    tally = PrecisionRecall()
    for reference, resolution in zip(wanted, found, strict=True):
        chosen = {resolution.article} if resolution.article else set()
        tally += PrecisionRecall.of(chosen, {reference.right})
    ambiguous = sum(resolution.outcome == "ambiguous" for resolution in found)
    return {"wanted": len(wanted), "ambiguous": ambiguous, **tally.to_json()}


if __name__ == "__main__":
    main()

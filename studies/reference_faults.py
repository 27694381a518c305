"""How many planted faults of reference lists are found, and how many real entries are called wrong.

`python -m studies.reference_faults ARCHIVE... --among ARCHIVE...` reads articles with their
reference lists. Few of the works that they cite are among the articles, so that entries stand for
works: of the entries of several lists that share a PMID or DOI, the first is "the article", and the
others are compared with it. `--among` adds lists whose entries stand for works and are not judged.

*Real entries*: 3,000 of those that share an identifier with an entry of another list, or if these
are fewer, all of them and others, each checked within its own list, as it is. Those that are called
wrong are printed in full, since real lists have real faults: only who reads them can say which are
false alarms.

*Planted faults*: of seven kinds, fifty each, in entries of which nothing is called wrong before:

- title: that of another work; author: the first one of another work; year: two to ten off;
- identifier: those of another work;
- malformed: the entry as text, with a DOI or PMID that is misspelt by one of five rules;
- twice: the entry that another list has for the same work is added to the list, half of the time
  without its identifiers;
- author, no identifier: as author, in an entry without identifiers.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import track
from rich.table import Table

from citespan.pipelines.citations.entry_faults import EntryFault, find_entry_faults
from citespan.pipelines.citations.resolution import IndexedArticle, LookUp, make_look_up
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.reference_text import read_entries
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit_reading import read_articles

_OF_EACH_KIND = 50
_REAL = 3_000
_LEAST_TITLE = 20
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list, and what stands for its work.

    Attributes:
        references: the whole list.
        work: what stands for its work, an entry of another list or this one.
    """

    article: str
    references: tuple[Reference, ...]
    place: int
    work: IndexedArticle

    @property
    def publication(self) -> Publication:
        """What the entry says."""
        return self.references[self.place].publication

    def replace(self, publication: Publication) -> tuple[Reference, ...]:
        """Return the list with another entry in place of this one."""
        changed = replace(self.references[self.place], publication=publication)
        return (*self.references[: self.place], changed, *self.references[self.place + 1 :])


def main() -> None:
    """Print the figures as tables or as JSON."""
    parser = argparse.ArgumentParser(
        "studies.reference_faults",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("articles", nargs="+", help="files, folders or archives of articles")
    parser.add_argument("--among", nargs="*", default=[], help="whose entries stand for works too")
    parser.add_argument("--seed", type=int, default=24)
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    judged = list(track(_read(arguments.articles), "reading", console=Console(stderr=True)))
    others = list(track(_read(arguments.among), "reading", console=Console(stderr=True)))
    works, entries, rest = _find_entries(judged, others)
    look_up = make_look_up(works)
    chosen = random.Random(arguments.seed)
    real = chosen.sample(entries, min(_REAL, len(entries)))
    real += chosen.sample(rest, min(_REAL - len(real), len(rest)))
    called = [
        (entry, faults) for entry in real if (faults := _check(entry, entry.references, look_up))
    ]
    sound = [
        entry
        for entry in entries
        if len(entry.publication.title) >= _LEAST_TITLE
        and entry.publication.authors
        and entry.publication.year
        and not _check(entry, entry.references, look_up)
    ]
    kinds = {
        kind: sum(
            any(map(right, _check(entry, plant(entry, sound, chosen), look_up, kind)))
            for entry in chosen.sample(sound, _OF_EACH_KIND)
        )
        for kind, (plant, right) in _PLANTS.items()
    }
    if arguments.json:
        counted = {
            "real": len(real),
            "compared": min(_REAL, len(entries)),
            "called wrong": len(called),
            "planted": _OF_EACH_KIND,
        }
        print(json.dumps({**counted, "found": kinds}))
        return
    print(f"{min(_REAL, len(entries)):,} of the real entries are compared with another list's")
    _show(len(real), called, kinds)


def _show(
    real: int, called: Sequence[tuple[Entry, tuple[EntryFault, ...]]], kinds: dict[str, int]
) -> None:
    for entry, faults in called:
        print(f"{entry.article}: {entry.references[entry.place].text[:_SHOWN]}")
        for fault in faults:
            print(f"    {fault.kind}: {fault}")
    table = Table("planted", "number", "found", "share", box=SIMPLE)
    rows = [(kind, _OF_EACH_KIND, found) for kind, found in kinds.items()]
    for kind, number, found in (*rows, ("all", len(rows) * _OF_EACH_KIND, sum(kinds.values()))):
        table.add_row(kind, f"{number}", f"{found}", f"{found / number:.3f}")
    Console().print(table)
    counted = Counter(fault.kind for _, faults in called for fault in faults)
    print(
        f"{real:,} real entries, {len(called)} called wrong ({len(called) / real:.4f}): {counted}"
    )


def _read(articles: Sequence[str]) -> Iterator[tuple[str, tuple[Reference, ...]]]:
    for reading in read_articles(Sources(list(articles), "auto")) if articles else ():
        if isinstance(reading, Article):
            yield reading.id, reading.references


def _find_entries(
    judged: Sequence[tuple[str, tuple[Reference, ...]]],
    others: Sequence[tuple[str, tuple[Reference, ...]]],
) -> tuple[list[IndexedArticle], list[Entry], list[Entry]]:
    """Return what stands for works, the judged entries of other lists that name the same, and the
    other judged entries."""
    first: dict[str, tuple[str, IndexedArticle]] = {}
    works: list[IndexedArticle] = []
    entries: list[Entry] = []
    rest: list[Entry] = []
    for at, (article, references) in enumerate((*others, *judged)):
        for place, reference in enumerate(references):
            publication = reference.publication
            known = next((first[k] for k in publication.identifiers if k in first), None)
            if known is None:
                work = IndexedArticle(f"{article}/{reference.key}", publication)
                works.append(work)
                first.update(dict.fromkeys(publication.identifiers, (article, work)))
                if at >= len(others):
                    rest.append(Entry(article, references, place, work))
            elif known[0] != article and at >= len(others):
                entries.append(Entry(article, references, place, known[1]))
    return works, entries, rest


def _check(
    entry: Entry, references: tuple[Reference, ...], look_up: LookUp, kind: str = ""
) -> tuple[EntryFault, ...]:
    """Return what is wrong with an entry of a list; of one that was added, with the last."""
    indexed = look_up({key for each in references for key in each.publication.keys})
    # The list's own entries stand for no works here: what is indexed is another's.
    own = f"{entry.article}/"
    others = {
        k: [each for each in some if not each.id.startswith(own)] for k, some in indexed.items()
    }
    key = references[-1 if kind == "twice" else entry.place].key
    return find_entry_faults(references, others).get(key, ())


Plant = Callable[[Entry, Sequence[Entry], random.Random], tuple[Reference, ...]]


def _plant_title(
    entry: Entry, entries: Sequence[Entry], chosen: random.Random
) -> tuple[Reference, ...]:
    other = chosen.choice(entries).publication
    return entry.replace(replace(entry.publication, title=other.title))


def _plant_author(
    entry: Entry, entries: Sequence[Entry], chosen: random.Random
) -> tuple[Reference, ...]:
    authors = entry.publication.authors
    other = chosen.choice(entries).publication.authors[0]
    return entry.replace(replace(entry.publication, authors=(other, *authors[1:])))


def _plant_author_alone(
    entry: Entry, entries: Sequence[Entry], chosen: random.Random
) -> tuple[Reference, ...]:
    bare = replace(entry.publication, pmid="", pmcid="", doi="")
    return _plant_author(replace(entry, references=entry.replace(bare)), entries, chosen)


def _plant_year(entry: Entry, _: Sequence[Entry], chosen: random.Random) -> tuple[Reference, ...]:
    year = (entry.work.publication.year or 0) + chosen.choice((-1, 1)) * chosen.randint(2, 10)
    return entry.replace(replace(entry.publication, year=year))


def _plant_identifier(
    entry: Entry, entries: Sequence[Entry], chosen: random.Random
) -> tuple[Reference, ...]:
    other = chosen.choice(entries).work.publication
    said = replace(entry.publication, pmid=other.pmid, pmcid=other.pmcid, doi=other.doi)
    return entry.replace(said)


_MISSPELLINGS: Sequence[Callable[[str, str], str]] = (
    lambda pmid, doi: f"doi:{doi.replace('/', '', 1)}" if doi else f"PMID: {pmid}{pmid}",
    lambda pmid, doi: f"doi:{doi.replace('10.', '1O.', 1)}" if doi else f"PMID: {pmid}x",
    lambda pmid, doi: f"doi:{doi.removeprefix('10.')}" if doi else f"PMID: {pmid[:-1]}O",
    lambda pmid, doi: (
        f"PMID: {pmid[:3]}l{pmid[3:]}" if pmid else f"doi: 10{doi.removeprefix('10.')}"
    ),
    lambda pmid, doi: f"PMID: {pmid}{pmid[:3]}9" if pmid else f"doi:{doi.replace('/', ':', 1)}",
)


def _plant_malformed(
    entry: Entry, _: Sequence[Entry], chosen: random.Random
) -> tuple[Reference, ...]:
    said = entry.publication
    written = chosen.choice(_MISSPELLINGS)(said.pmid, said.doi)
    authors = ", ".join(name.replace(",", "") for name in said.authors)
    text = f"{authors} ({said.year}). {said.title}. {said.journal}. {written}"
    [changed] = read_entries([text]).references
    key = entry.references[entry.place].key
    return (
        *entry.references[: entry.place],
        replace(changed, key=key),
        *entry.references[entry.place + 1 :],
    )


def _plant_twice(entry: Entry, _: Sequence[Entry], chosen: random.Random) -> tuple[Reference, ...]:
    again = entry.work.publication
    if chosen.random() < 1 / 2:
        again = replace(again, pmid="", pmcid="", doi="")
    return (*entry.references, Reference("planted", publication=again))


_PLANTS: dict[str, tuple[Plant, Callable[[EntryFault], bool]]] = {
    "title": (_plant_title, lambda fault: fault.field == "title" or fault.kind == "other work"),
    "author": (_plant_author, lambda fault: fault.field == "first author"),
    "year": (_plant_year, lambda fault: fault.field == "year"),
    "identifier": (_plant_identifier, lambda fault: fault.kind == "other work"),
    "malformed": (_plant_malformed, lambda fault: fault.kind == "malformed"),
    "twice": (_plant_twice, lambda fault: fault.kind == "twice"),
    "author, no identifier": (_plant_author_alone, lambda fault: fault.field == "first author"),
}


if __name__ == "__main__":
    main()

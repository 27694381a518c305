"""What is said of citations in one's own words: true ones, contradicted ones, and of other matters.

`python -m studies.written_citations ARCHIVE...` searches articles of PubMed Central for the
citations in `written_citations.jsonl`, as `citespan search` does. We wrote all sets from
abstracts, without a look at what citespan says of them, and then read what it said; so they were
new only when they were first tried. What was said then is in `first`, and is never written again.
The articles were drawn at random from the archives, and those without findings passed over.
"""

import argparse
import json
import tarfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

import citespan

_CITATIONS = Path(__file__).with_suffix(".jsonl")


def main() -> None:
    """Print how many of each kind are found and flagged, and with `--all` each citation."""
    parser = argparse.ArgumentParser(
        "studies.written_citations",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("archives", nargs="+", help="archives with the articles")
    parser.add_argument("--all", action="store_true", help="print each citation, too")
    arguments = parser.parse_args()
    citations = [json.loads(line) for line in _CITATIONS.read_text().splitlines()]
    ids = [citation["article"] for citation in citations]
    with TemporaryDirectory() as folder:
        articles = Path(folder, "articles")
        _extract(arguments.archives, set(ids), articles)
        texts = [citation["text"] for citation in citations]
        found = citespan.search(texts, ids, articles=articles)
    counts = Counter[tuple[tuple[int, str], str | None]]()
    for citation, evidence in zip(citations, found, strict=True):
        said = "differs" if evidence.differences else evidence.verdict
        counts[(citation["set"], citation["kind"]), said] += 1
        if arguments.all:
            print(citation["kind"], said, citation["text"], sep="\t")
    at_first = Counter(
        (each["set"], each["kind"]) for each in citations if each["first"] == "differs"
    )
    columns = ("number", "differs at first", "found", "differs", "weak", "none")
    table = Table("set", "citations", *columns, box=SIMPLE)
    for group in dict.fromkeys((each["set"], each["kind"]) for each in citations):
        own = {said: number for (other, said), number in counts.items() if other == group}
        shown = (own.get(said, 0) for said in ("found", "differs", "weak", "none"))
        table.add_row(*map(str, (*group, sum(own.values()), at_first[group], *shown)))
    Console().print(table)


def _extract(archives: Iterable[str], ids: set[str], folder: Path) -> None:
    folder.mkdir()
    for archive in archives:
        with tarfile.open(archive) as opened:
            for member in opened:
                if Path(member.name).stem in ids and (file := opened.extractfile(member)):
                    (folder / Path(member.name).name).write_bytes(file.read())


if __name__ == "__main__":
    main()

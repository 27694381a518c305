"""The concept store on a made-up Metathesaurus: building, loading, matching, size.

`make bench` runs it small. As large as UMLS:
`python -m benchmarks.vocabulary --terms 10000000 --concepts 3300000 --folder /tmp/metathesaurus`
(the files are kept in the folder and used again; with `--built` the store too). The peer is a
Python dictionary of the same normalised terms with the same greedy longest match; it is left out
above a million terms.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.row import Row
from benchmarks.synthetic_metathesaurus import SEED, write
from benchmarks.watched import watched

_CITANCES = 10_000
_LARGEST_NAIVE = 1_000_000


def run(folder: Path, scratch: Path) -> Iterator[Row]:
    """The small version."""
    yield from measure(scratch / "metathesaurus", 200_000, 66_000)


def measure(folder: Path, terms: int, concepts: int, built: bool = False) -> Iterator[Row]:
    """All figures for a Metathesaurus of that size, made in `folder` unless it is there.

    Args:
        built: take the store that an earlier run left there, and leave building out.
    """
    meta = folder / f"META-{terms}-{concepts}"
    if not meta.is_dir():
        unfinished = folder / "unfinished"
        write(unfinished, terms, concepts)
        unfinished.rename(meta)
    citances = folder / f"citances-{terms}-{concepts}.txt"
    citances.write_text("\n".join(made_up_citances(meta / "MRCONSO.RRF")), encoding="utf-8")
    store = folder / f"store-{terms}-{concepts}"
    yield from [] if built else _build(meta, store)
    matched = _match("store", store, citances)
    named = _match("named", store, citances)
    size = sum(file.stat().st_size for file in store.iterdir())
    yield from [
        Row("size on disk", f"{size / 1e6:.0f} MB"),
        Row("opening", f"{matched['load_seconds']:.3f} s", wanted="at most 0.5 s"),
        Row(
            f"resident after {_CITANCES} citances",
            f"{matched['resident']:.0f} MB",
            f"{matched['resident_before']:.0f} MB before opening",
            wanted="at most 300 MB",
        ),
        Row(
            "matching, one core",
            f"{matched['words_per_cpu_second']:,.0f} words/s",
            f"{matched['words_per_second']:,.0f} by the clock, others' work included",
            wanted="at least 50,000",
        ),
        Row(
            "matching, and each concept's CUI and name read",
            f"{named['words_per_cpu_second']:,.0f} words/s",
        ),
        Row("matched", f"{matched['matches']:,} in {matched['words']:,} words"),
    ]
    if terms <= _LARGEST_NAIVE:
        yield from _against_naive(matched, _match("naive", meta, citances))


def _build(meta: Path, store: Path) -> Iterator[Row]:
    command = [sys.executable, "-m", "citespan.cli.main", "vocabulary", "build", "umls"]
    done = watched([*command, str(meta), "--out", str(store), "--json"])
    kept = json.loads(done.output)
    yield from [
        Row("terms in the store", f"{kept['terms']:,} of {kept['concepts']:,} concepts"),
        Row("building", f"{done.seconds:.0f} s", wanted="at most 1200 s at 10 M terms"),
        Row("peak memory of building", f"{done.peak:.0f} MB", wanted="at most 2000 MB"),
    ]


def _against_naive(ours: dict[str, Any], naive: dict[str, Any]) -> Iterator[Row]:
    yield Row(
        "matched, by spelling too",
        f"{ours['matches']:,}",
        f"naive dictionary, by keys alone: {naive['matches']:,}",
        f"{ours['matches'] / naive['matches']:.3f}",
    )
    for label, name, unit in (
        ("opening", "load_seconds", "s"),
        ("resident after matching", "resident", "MB"),
        ("matching, one core", "words_per_cpu_second", "words/s"),
    ):
        ratio = ours[name] / naive[name]
        peer = f"naive dictionary: {naive[name]:,.1f} {unit}"
        yield Row(label, f"{ours[name]:,.3f} {unit}", peer, f"{ratio:.2g} times as much")


def _match(way: str, path: Path, citances: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.match_citances", way, str(path), str(citances)]
    told: dict[str, Any] = json.loads(watched(command).output)
    return told


def made_up_citances(mrconso: Path) -> list[str]:
    """Citances of about 35 words: three terms from anywhere in the file, all as likely, so that
    no part of the store stays untouched, and between them single words of other terms."""
    chance = random.Random(SEED)
    size = mrconso.stat().st_size
    with mrconso.open("rb") as rows:

        def term() -> str:
            while True:
                rows.seek(chance.randrange(size))
                rows.readline()
                fields = rows.readline().decode().split("|")
                if len(fields) > 1 and fields[1] == "ENG" and fields[16] == "N":
                    return fields[14]

        def filler(count: int) -> list[str]:
            return [chance.choice(term().split()) for _ in range(count)]

        return [
            " ".join([*filler(8), term(), *filler(8), term(), *filler(7), term()]) + "."
            for _ in range(_CITANCES)
        ]


def main() -> None:
    """Any size, and one table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--terms", type=int, default=200_000)
    parser.add_argument("--concepts", type=int, default=66_000)
    parser.add_argument("--folder", type=Path, help="where the files are made and kept")
    parser.add_argument(
        "--built", action="store_true", help="measure the store that is in the folder already"
    )
    arguments = parser.parse_args()
    if arguments.built and not arguments.folder:
        parser.error("--built needs the --folder in which the store is")
    with tempfile.TemporaryDirectory(prefix="citespan-bench-") as scratch:
        folder = arguments.folder or Path(scratch)
        rows = measure(folder, arguments.terms, arguments.concepts, arguments.built)
    table = Table("what", "figure", "against", "ratio", "wanted")
    for row in rows:
        table.add_row(row.label, row.figure, row.against, row.ratio, row.wanted)
    Console(width=None if sys.stdout.isatty() else 160).print(table)


if __name__ == "__main__":
    main()

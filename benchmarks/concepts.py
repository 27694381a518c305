"""Concept recognition on CRAFT, beside QuickUMLS, in the same run.

Run from anywhere: `python benchmarks/concepts.py [--quickumls-python PYTHON] [--split train]`,
PYTHON being one that has QuickUMLS (`pip install quickumls "spacy<3.9"` in a virtual environment
of its own). All systems have the same vocabulary, get the same whole articles, and are held
against the same marked mentions: exactly the same characters ("spans"), and the same concept too.

The vocabulary is made of the mentions of both parts of CRAFT, so that recall is far above what a
vocabulary made elsewhere would give; the comparison is fair, the level is not.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from citespan.pipelines.vocabulary.builder import build  # noqa: E402
from citespan.pipelines.vocabulary.matching import Matcher  # noqa: E402
from citespan.pipelines.vocabulary.reader import vocabulary_readers  # noqa: E402
from citespan.pipelines.vocabulary.readers.umls import map_codes  # noqa: E402
from citespan.pipelines.vocabulary.recognition import (  # noqa: E402  # noqa: E402
    MarkedText,
    Mention,
    make_recogniser,
    read_mentions,
    score_recognition,
)
from citespan.pipelines.vocabulary.store import Vocabulary  # noqa: E402
from citespan.pipelines.vocabulary.terms import ConceptFilter  # noqa: E402

CRAFT = ROOT.parent / "shared" / "data" / "craft"
META = CRAFT / "vocabulary" / "META"
Found = list[tuple[int, int, str]]


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", choices=["dev", "train"], default="dev")
    parser.add_argument("--quickumls-python", help="a Python that has QuickUMLS")
    arguments = parser.parse_args()
    if not CRAFT.is_dir():
        sys.exit("CRAFT is not beside the checkout (../shared/data/craft)")
    folder = CRAFT / arguments.split
    marked, _ = read_mentions(folder / "mentions.tsv", folder / "txt", map_codes(META))
    texts = [sample.text for sample in marked]
    table = Table("System", "P, spans", "R", "F1", "P, concepts", "R", "F1", "words/s")
    words = sum(len(text.split()) for text in texts)

    def add(name: str, seconds: float, found: list[Found]) -> None:
        scores = score_recognition(marked, _looked_up(texts, found))
        measures = [
            m for s in (scores.spans, scores.concepts) for m in (s.precision, s.recall, s.f1)
        ]
        table.add_row(name, *(f"{m:.4f}" for m in measures), f"{words / seconds:,.0f}")

    for name, seconds, found in _citespan(texts):
        add(name, seconds, found)
    if arguments.quickumls_python:
        add("QuickUMLS", *_quickumls(arguments.quickumls_python, texts))
    else:
        print("QuickUMLS is left out: no --quickumls-python", file=sys.stderr)
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(table)
    console.print(_described(arguments.split, marked, words))


def _citespan(texts: list[str]) -> list[tuple[str, float, list[Found]]]:
    with tempfile.TemporaryDirectory(prefix="citespan-bench-") as scratch:
        store = Path(scratch) / "craft.vocabulary"
        build(vocabulary_readers["umls"].terms(META), store, "CRAFT")
        matcher = Matcher(Vocabulary(store), ConceptFilter())
        plain = _timed(lambda text: _mentions_of(matcher, text), texts)
        matcher = Matcher(Vocabulary(store), ConceptFilter())
        make_recogniser(matcher)("spaCy loads here (SLH).")
        resolved = _timed(make_recogniser(matcher), texts)
    return [("citespan, abbreviations resolved", *resolved), ("citespan, plain", *plain)]


def _mentions_of(matcher: Matcher, text: str) -> list[Mention]:
    return [Mention(m.start, m.end, m.concept.cui) for m in matcher.matches(text)]


def _timed(
    recognise: Callable[[str], list[Mention]], texts: list[str]
) -> tuple[float, list[Found]]:
    start = time.perf_counter()
    found = [recognise(text) for text in texts]
    seconds = time.perf_counter() - start
    return seconds, [[(m.start, m.end, m.code) for m in mentions] for mentions in found]


def _quickumls(python: str, texts: list[str]) -> tuple[float, list[Found]]:
    program = Path(__file__).with_name("quickumls_peer.py")
    with tempfile.TemporaryDirectory(prefix="citespan-bench-") as scratch:
        done = subprocess.run(
            [python, str(program), str(META), scratch],
            input=json.dumps(texts),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    result = json.loads(done.stdout)
    return result["seconds"], result["found"]


def _looked_up(texts: list[str], found: list[Found]) -> Callable[[str], list[Mention]]:
    by_text = {
        text: [Mention(start, end, cui) for start, end, cui in places]
        for text, places in zip(texts, found, strict=True)
    }
    return by_text.__getitem__


def _described(split: str, marked: list[MarkedText], words: int) -> str:
    mentions = sum(len(sample.mentions) for sample in marked)
    return (
        f"CRAFT {split}: {len(marked)} articles, {words:,} words, {mentions:,} mentions of "
        "concepts. The vocabulary is made of CRAFT's own mentions: recall is flattered, for all "
        "alike."
    )


if __name__ == "__main__":
    main()

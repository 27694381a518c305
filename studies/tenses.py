"""How often the tense of a sentence's root is told right, and how fast, in one run.

Run from anywhere: `python studies/tenses.py`. Right is the tense that the gold tree gives, on
the sentences of CRAFT's development articles, which no pipeline was trained on. For both shipped
pipelines: the tree of every sentence, the tree of those alone whose tags leave a choice (what
zoning does), and the first finite verb by tags. Times are of the processor and one core; each way
goes over all sentences three times, in turns, and its fastest time counts.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"), "1")

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

from rich.console import Console
from rich.table import Table

from citespan.pipelines.answers.zones.tense import Tense, find_root_tense, find_tenses
from citespan.pipelines.text.spacy_pipelines import SHIPPED, SMALL, load_pipeline
from citespan.pipelines.training.gold_parses import find_conllu, read_parses

CRAFT = Path(__file__).resolve().parents[2] / "shared" / "data" / "craft" / "dev" / "conllu"
ROUNDS = 3
FEWEST_TOKENS = 4

Way = Callable[[list[str]], list[Tense]]


def all_trees(pipeline: str) -> Way:
    """Every sentence parsed."""

    def way(texts: list[str]) -> list[Tense]:
        docs = load_pipeline(pipeline).pipe(texts, disable=["attribute_ruler"])
        return [find_root_tense(doc) for doc in docs]

    return way


def by_feature(pipeline: str, feature: str) -> Way:
    """As zoning does it."""
    return lambda texts: find_tenses(texts, [feature], pipeline)


def main() -> None:
    if not CRAFT.is_dir():
        sys.exit("CRAFT is not beside the checkout (../shared/data/craft/dev)")
    gold = [
        sentence.as_doc()
        for file in find_conllu([CRAFT])
        for paragraph in read_parses(file)
        for sentence in paragraph.sents
        if len(sentence) >= FEWEST_TOKENS
    ]
    texts, right = [doc.text for doc in gold], [find_root_tense(doc) for doc in gold]
    ways = {
        f"{pipeline}, {name}": way
        for pipeline in (SHIPPED, SMALL)
        for name, way in (
            ("all trees", all_trees(pipeline)),
            ("trees where tags leave a choice", by_feature(pipeline, "tense")),
            ("first finite verb by tags", by_feature(pipeline, "tense by tags")),
        )
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    shares: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            start = process_time()
            found = way(texts)
            times[name].append(process_time() - start)
            hits = sum(tense == other for tense, other in zip(found, right, strict=True))
            shares[name] = hits / len(right)
    table = Table("Way", "Right", "Sentences/s")
    for name, taken in times.items():
        table.add_row(name, f"{shares[name]:.4f}", f"{len(texts) / min(taken):,.0f}")
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(table)
    console.print(f"{len(texts)} sentences of CRAFT's development articles.")


if __name__ == "__main__":
    main()

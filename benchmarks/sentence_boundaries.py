"""Boundary F1 and speed of every sentence splitter, beside untrained Punkt in the same run.

Run from anywhere: `python benchmarks/sentence_boundaries.py`. Each splitter splits all texts
three times, in turns with the others; the fastest of its three times counts.
"""

import sys
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from citespan.pipelines.errors import CitespanError
from citespan.pipelines.text.splitter import Splitter, splitters
from citespan.pipelines.training.splitter import read_gold_sentences, score_boundaries

CRAFT = Path(__file__).resolve().parents[2] / "shared" / "data" / "craft" / "dev"
PEER = "punkt-untrained"
ROUNDS = 3


def seconds(splitter: Splitter, texts: list[str]) -> float:
    """Time to split all texts once."""
    start = perf_counter()
    for text in texts:
        splitter.split(text)
    return perf_counter() - start


def main() -> None:
    if not CRAFT.is_dir():
        sys.exit(f"{CRAFT.name}: CRAFT is not beside the checkout (../shared/data/craft/dev)")
    gold = list(read_gold_sentences(CRAFT / "conllu", CRAFT / "txt"))
    texts = [sample.text for sample in gold]
    characters = sum(map(len, texts))
    able = []
    for splitter in splitters:
        try:
            splitter.split("Libraries load here. Not while the clock runs.")
        except CitespanError as error:
            print(error, file=sys.stderr)
        else:
            able.append(splitter)
    times: dict[str, list[float]] = {splitter.name: [] for splitter in able}
    for _ in range(ROUNDS):
        for splitter in able:
            times[splitter.name].append(seconds(splitter, texts))
    table = Table("Splitter", "Precision", "Recall", "F1", "F1, all", "MB/s", "Ratio")
    for splitter in able:
        inside, everywhere = score_boundaries(splitter, gold)
        best = min(times[splitter.name])
        table.add_row(
            splitter.name,
            *(f"{value:.4f}" for value in (inside.precision, inside.recall, inside.f1)),
            f"{everywhere.f1:.4f}",
            f"{characters / best / 1e6:.2f}",
            f"{min(times[PEER]) / best:.2f}",
        )
    unaligned = sum(sample.unaligned for sample in gold)
    console = Console()
    console.print(table)
    console.print(
        f"CRAFT dev: {len(gold)} texts, {characters} characters, "
        f"{sum(len(sample.sentences) for sample in gold)} sentences, {unaligned} not found in "
        "their text. Boundaries inside paragraphs, but for the column 'F1, all'. "
        f"Ratio: speed over that of {PEER}."
    )


if __name__ == "__main__":
    main()

"""Abstracts zoned per second, in batches against one by one, in the same run and on one core.

Run from anywhere: `python studies/zoning.py`. The abstracts are PubMedQA's, with their sections
hidden, every fourth of them. Each configuration's model is trained on other ones first, in a few
steps, since how fast a model tags does not hang on how good it is; the shipped model is measured
as it is. Both ways zone all abstracts three times, in turns; the fastest of three times counts.
Times are of the processor, so that what else the machine does matters little.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"), "1")

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import process_time

from rich.console import Console
from rich.table import Table

from citespan.pipelines.answers.abstract_files import gather
from citespan.pipelines.answers.zones.configuration import (
    ALAMRI2015,
    CITESPAN,
    HIROHATA2008,
    add_features,
)
from citespan.pipelines.answers.zones.model import ZoneModel, load_model, open_model
from citespan.pipelines.answers.zones.sentences import hide_sections
from citespan.pipelines.answers.zones.zoning import assign_zones
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.training.zones import make_zone_examples, train_crf

PUBMEDQA = Path(__file__).resolve().parents[2] / "shared" / "data" / "pubmedqa" / "train.json"
ROUNDS = 3
WANTED = 200
BY_TAGS = add_features(CITESPAN, ["tense by tags"])
BY_TREE = add_features(CITESPAN, ["tense"])

Way = Callable[[list[Abstract], ZoneModel], object]


def in_batches(abstracts: list[Abstract], model: ZoneModel) -> int:
    """All abstracts handed over at once."""
    return sum(len(sentences) for _, sentences in assign_zones(abstracts, model))


def one_by_one(abstracts: list[Abstract], model: ZoneModel) -> int:
    """A call for each abstract."""
    return sum(in_batches([abstract], model) for abstract in abstracts)


def seconds(way: Way, abstracts: list[Abstract], model: ZoneModel) -> float:
    """Processor time of zoning all abstracts once."""
    start = process_time()
    way(abstracts, model)
    return process_time() - start


def models(abstracts: list[Abstract]) -> dict[str, ZoneModel]:
    """The shipped model and one of each configuration whose pipeline is there."""
    found = {"shipped": load_model()}
    for configuration in (BY_TAGS, BY_TREE, ALAMRI2015, HIROHATA2008):
        quick = replace(configuration, max_iterations=20)
        try:
            crf = train_crf(list(make_zone_examples(abstracts, quick)), quick)
            found[configuration.name] = open_model(crf, quick)
        except CitespanError as error:
            print(f"{configuration.name}: {error}", file=sys.stderr)
    return found


def main() -> None:
    if not PUBMEDQA.exists():
        sys.exit("PubMedQA is not beside the checkout (../shared/data/pubmedqa)")
    labelled = gather([PUBMEDQA]).abstracts
    hidden = [hide_sections(abstract) for abstract in labelled[::4]]
    table = Table("Model", "Features")
    for name in ("One by one", "In batches", "Ratio", "Wanted"):
        table.add_column(name, justify="right")
    for name, model in models(labelled[1::8]).items():
        in_batches(hidden[:10], model)  # libraries load here, not while the clock runs
        times: dict[Way, list[float]] = {one_by_one: [], in_batches: []}
        for _ in range(ROUNDS):
            for way, taken in times.items():
                taken.append(seconds(way, hidden, model))
        slow, fast = (len(hidden) / min(taken) for taken in times.values())
        table.add_row(
            name,
            ", ".join(model.configuration.features),
            f"{slow:.0f}/s",
            f"{fast:.0f}/s",
            f"{fast / slow:.2f}",
            f"{WANTED}/s" if name in ("shipped", BY_TREE.name, ALAMRI2015.name) else "",
        )
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(table)
    words = sum(len(abstract.text.split()) for abstract in hidden)
    console.print(f"{len(hidden)} abstracts, {words} words; abstracts per second of one core.")


if __name__ == "__main__":
    main()

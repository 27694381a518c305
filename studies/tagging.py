"""Speed and scores of the shipped tagger and parser, beside other spaCy pipelines in the same run.

Run from anywhere: `python studies/tagging.py`. Peers are the pipeline itself fed text by text,
and `en_core_sci_sm` and `en_core_web_sm` where they are installed. Each parses all texts three
times, in turns with the others; the fastest of its three times counts, by the processor's clock,
so that what else runs on the machine counts little.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

from rich.console import Console
from rich.table import Table
from spacy.language import Language

from citespan.pipelines.errors import InputError
from citespan.pipelines.text.spacy_pipelines import load_pipeline
from citespan.pipelines.training.gold_parses import find_conllu, read_parses
from citespan.pipelines.training.tagger_figures import evaluate_tagger

CRAFT = Path(__file__).resolve().parents[2] / "shared" / "data" / "craft" / "dev" / "conllu"
PEERS = ("en_core_sci_sm", "en_core_web_sm")
NAIVE = "citespan, text by text"
ROUNDS = 3


def one_by_one(nlp: Language, texts: list[str]) -> None:
    for text in texts:
        nlp(text)


def in_batches(nlp: Language, texts: list[str]) -> None:
    for _ in nlp.pipe(texts):
        pass


def without_parser(nlp: Language, texts: list[str]) -> None:
    for _ in nlp.pipe(texts, disable=["parser"]):
        pass


def main() -> None:
    if not CRAFT.is_dir():
        sys.exit("CRAFT is not beside the checkout (../shared/data/craft/dev)")
    files = find_conllu([CRAFT])
    gold = [paragraph for file in files for paragraph in read_parses(file)]
    texts = [paragraph.text for paragraph in gold]
    words = sum(map(len, gold))
    shipped = load_pipeline()
    runs: dict[str, tuple[Language, Callable[[Language, list[str]], None]]] = {
        "citespan": (shipped, in_batches),
        NAIVE: (shipped, one_by_one),
        "citespan, tags only": (shipped, without_parser),
    }
    scores = {"citespan": evaluate_tagger(shipped, files).raw_text}
    for name in PEERS:
        try:
            peer = load_pipeline(name)
        except InputError as error:
            print(error, file=sys.stderr)
        else:
            runs[name] = (peer, in_batches)
            scores[name] = evaluate_tagger(peer, files).raw_text
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, (nlp, run) in runs.items():
            start = process_time()
            run(nlp, texts)
            times[name].append(process_time() - start)
    table = Table("Pipeline", "Words/s", "Ratio", "Tag accuracy", "LAS", "Noun phrases, F1")
    for name in runs:
        best = min(times[name])
        found = scores.get(name)
        quality = (found.tags, found.las, found.noun_phrases) if found else ()
        table.add_row(
            name,
            f"{words / best:,.0f}",
            f"{min(times[NAIVE]) / best:.2f}",
            *(f"{value:.4f}" for value in quality),
        )
    console = Console()
    console.print(table)
    console.print(
        f"CRAFT dev, raw text: {len(texts)} paragraphs, {words} words. Ratio: speed over '{NAIVE}'."
    )


if __name__ == "__main__":
    main()

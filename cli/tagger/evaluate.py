"""`citespan tagger evaluate`: a spaCy pipeline, measured on parsed texts."""

from dataclasses import asdict
from typing import Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.tables import FigureTable
from citespan.cli.tagger.inputs import Conllu
from citespan.pipelines.text.spacy_pipelines import SHIPPED, load_pipeline
from citespan.pipelines.training.gold_parses import find_conllu
from citespan.pipelines.training.tagger_figures import evaluate_tagger

EPILOG = "Example: citespan tagger evaluate craft/dev/conllu"

_ROWS = {
    "tokens": "Tokens, F1",
    "tags": "Tag accuracy",
    "uas": "UAS",
    "las": "LAS",
    "las_with_punctuation": "LAS, punctuation too",
    "sentences": "Sentences, F1",
    "noun_phrases": "Noun phrases, F1",
}


def evaluate(
    conllu: Conllu,
    pipeline: Annotated[
        str, typer.Option(help="An installed spaCy package, a folder, or the shipped pipeline.")
    ] = SHIPPED,
    json: Json = False,
) -> None:
    """Measure a spaCy pipeline on texts that people have parsed, and its speed.

    Scores are given for raw text, where a token with other boundaries counts as wrong; for gold
    tokens; and for gold tokens in gold sentences, as parsers are usually compared.
    """
    report = evaluate_tagger(load_pipeline(pipeline), find_conllu(conllu))
    if json:
        print_json({"pipeline": pipeline} | asdict(report))
        return
    table = FigureTable([""], ["Raw text", "Gold tokens", "Gold sentences"])
    for name, title in _ROWS.items():
        table.add_row(
            title,
            f"{getattr(report.raw_text, name):.4f}",
            f"{getattr(report.gold_tokens, name):.4f}",
            f"{getattr(report.gold_sentences, name):.4f}",
        )
    table.print()
    size = "" if report.bytes is None else f"; {report.bytes / 1e6:.1f} MB on disk"
    out.print(f"{report.files} files, {report.paragraphs} paragraphs, {report.words} words")
    out.print(
        f"{report.words_per_second:,.0f} words/s, {report.words_per_cpu_second:,.0f} for each "
        f"second of processor time{size}"
    )

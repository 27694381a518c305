"""Train and measure the tagger and parser behind noun phrases.

Example: citespan tagger evaluate craft/dev/conllu
"""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.commands import Group
from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.tables import FigureTable
from citespan.pipelines.errors import InputError
from citespan.pipelines.text.spacy_pipelines import SHIPPED, load_pipeline
from citespan.pipelines.training.gold_parses import find_conllu
from citespan.pipelines.training.tagger import (
    load_shipped_configuration,
    read_configuration,
    train_tagger,
)
from citespan.pipelines.training.tagger_figures import evaluate_tagger

app = Group(__doc__)

Conllu = Annotated[
    list[Path],
    typer.Argument(help="CoNLL-U files, or folders of them.", metavar="CONLLU..."),
]

_ROWS = {
    "tokens": "Tokens, F1",
    "tags": "Tag accuracy",
    "uas": "UAS",
    "las": "LAS",
    "las_with_punctuation": "LAS, punctuation too",
    "sentences": "Sentences, F1",
    "noun_phrases": "Noun phrases, F1",
}


@app.command()
def train(
    conllu: Conllu,
    to: Annotated[Path, typer.Option("--out", help="The folder to write the spaCy pipeline to.")],
    held_out: Annotated[
        int,
        typer.Option(
            min=1,
            help="How many files, the last by name, are not trained on but choose the weights.",
        ),
    ] = 6,
    config: Annotated[
        Path | None,
        typer.Option(
            help="A configuration of spaCy's own format.", show_default="the shipped pipeline's"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Train a spaCy pipeline on CoNLL-U; the same files give the same weights.

    Columns 4 (part of speech), 5 (tag), 7 (head) and 8 (label) are learnt, and a `# newpar` line
    begins a paragraph. All of CRAFT takes about half an hour on one core.

    Example: citespan tagger train craft/train/conllu --out my-tagger
    """
    files = find_conllu(conllu)
    if len(files) <= held_out:
        raise InputError(
            f"--held-out {held_out}: only {len(files)} files, so that none are left to train on"
        )
    configuration = load_shipped_configuration() if config is None else read_configuration(config)
    if to.exists():
        raise InputError(f"{to}: is there already; name a new folder")
    nlp = train_tagger(files[:-held_out], files[-held_out:], configuration, to, progress=not json)
    scores = nlp.meta["performance"]
    report = {
        "files": len(files) - held_out,
        "held_out": [file.name for file in files[-held_out:]],
        "held_out_tags": scores["tag_acc"],
        "held_out_las": scores["dep_las"],
        "out": str(to),
    }
    if json:
        print_json(report)
    else:
        out.print(
            f"{report['files']} files: tag accuracy {scores['tag_acc']:.4f} and LAS "
            f"{scores['dep_las']:.4f} on the {held_out} held out; written to {to}",
            markup=False,
        )


@app.command()
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

    Example: citespan tagger evaluate craft/dev/conllu
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

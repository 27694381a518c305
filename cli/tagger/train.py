"""`citespan tagger train`: a spaCy pipeline, trained on parsed texts."""

from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.tagger.inputs import Conllu
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.gold_parses import find_conllu
from citespan.pipelines.training.tagger import (
    load_shipped_configuration,
    read_configuration,
    train_tagger,
)

EPILOG = "Example: citespan tagger train craft/train/conllu --out my-tagger"


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

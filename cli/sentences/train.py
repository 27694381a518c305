"""`citespan sentences train`: Punkt, trained on other articles."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.options import Json, format_help
from citespan.cli.output import out, print_json, warn
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.reader import readers, recognise
from citespan.pipelines.errors import InputError
from citespan.pipelines.text import punkt

EPILOG = "Example: citespan sentences train articles/ --out punkt.json"


def train(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="PATH...")],
    to: Annotated[Path, typer.Option("--out", help="The JSON file to write.")],
    format_: Annotated[str, typer.Option("--format", help=format_help())] = "auto",
    json: Json = False,
) -> None:
    """Train Punkt on articles; the same articles give the same file, byte for byte."""
    texts: list[str] = []
    rejected: list[Rejected] = []
    for path in sorted(paths):
        reader = recognise(path) if format_ == "auto" else readers[format_]
        for unit in reader.find(path):
            for reading in reader.read(unit):
                if isinstance(reading, Rejected):
                    rejected.append(reading)
                else:
                    texts.append(reading.text)
    if not texts:
        raise InputError(f"{', '.join(map(str, paths))}: contains no article to train on")
    parameters = punkt.train_punkt(texts)
    try:
        to.write_text(punkt.parameters_to_json(parameters), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{to}: can't be written: {error.strerror}") from error
    for reading in rejected:
        warn(f"{reading.source}: {reading.reason}")
    counts = {
        "articles": len(texts),
        "characters": sum(map(len, texts)),
        "abbreviations": len(parameters.abbrev_types),
        "collocations": len(parameters.collocations),
        "sentence_starters": len(parameters.sent_starters),
        "out": str(to),
    }
    if json:
        print_json(counts | {"rejected": [asdict(reading) for reading in rejected]})
    else:
        out.print(
            f"{counts['articles']} articles: {counts['abbreviations']} abbreviations, "
            f"{counts['collocations']} collocations, {counts['sentence_starters']} sentence "
            f"starters written to {to}",
            markup=False,
        )
    raise typer.Exit(1 if rejected else 0)

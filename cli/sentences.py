"""Train and measure sentence splitters.

Example: citespan sentences evaluate dev/conllu --text dev/txt
"""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from citespan.cli.commands import Group
from citespan.cli.options import Json, format_help
from citespan.cli.output import out, print_json, warn
from citespan.cli.tables import FigureTable
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.reader import readers, recognise
from citespan.pipelines.errors import CitespanError, InputError
from citespan.pipelines.text import punkt
from citespan.pipelines.text.splitter import splitters
from citespan.pipelines.training.splitter import read_gold_sentences, score_boundaries

app = Group(__doc__)


@app.command()
def train(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="PATH...")],
    to: Annotated[Path, typer.Option("--out", help="The JSON file to write.")],
    format_: Annotated[str, typer.Option("--format", help=format_help())] = "auto",
    json: Json = False,
) -> None:
    """Train Punkt on articles; the same articles give the same file, byte for byte.

    Example: citespan sentences train articles/ --out punkt.json
    """
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


@app.command()
def evaluate(
    conllu: Annotated[Path, typer.Argument(help="A folder of CoNLL-U files with `# text =`.")],
    text: Annotated[Path, typer.Option(help="The folder of their texts, NAME.txt.")],
    json: Json = False,
) -> None:
    """Measure every splitter's boundaries against sentences that people have marked.

    A boundary is where a sentence starts. Since blank lines reveal where paragraphs start, these
    boundaries are counted only in the column "F1, all".

    Example: citespan sentences evaluate dev/conllu --text dev/txt
    """
    gold = list(read_gold_sentences(conllu, text))
    rows: list[dict[str, Any]] = []
    unavailable: list[dict[str, str]] = []
    for splitter in splitters:
        try:
            inside, everywhere = score_boundaries(splitter, gold)
        except CitespanError as error:
            unavailable.append({"splitter": splitter.name, "reason": str(error)})
            continue
        rows.append(
            {"splitter": splitter.name, "inside": inside.to_json(), "all": everywhere.to_json()}
        )
    rows.sort(key=lambda row: -row["inside"]["f1"])
    if json:
        print_json(
            {
                "texts": len(gold),
                "sentences": sum(len(one.sentences) for one in gold),
                "unaligned": sum(one.unaligned for one in gold),
                "splitters": rows,
                "unavailable": unavailable,
            }
        )
        return
    headings = ("Precision", "Recall", "F1", "Wrong", "Missed", "F1, all")
    table = FigureTable(["Splitter"], headings)
    for row in rows:
        inside_row = row["inside"]
        table.add_row(
            row["splitter"],
            *(f"{inside_row[name]:.4f}" for name in ("precision", "recall", "f1")),
            str(inside_row["wrong"]),
            str(inside_row["missed"]),
            f"{row['all']['f1']:.4f}",
        )
    table.print()
    aligned = sum(len(one.sentences) for one in gold)
    unaligned = sum(one.unaligned for one in gold)
    out.print(f"{len(gold)} texts, {aligned} sentences, {unaligned} more not found in their text")
    for missing in unavailable:
        warn(missing["reason"])

"""`citespan sentences`: train and measure sentence splitters."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from citespan.cli.options import Json, format_help
from citespan.cli.output import complain, out, print_json
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.recognise import recognise
from citespan.pipelines.errors import CitespanError, InputError
from citespan.pipelines.text import punkt_parameters
from citespan.pipelines.text.boundary_scores import BoundaryScores, boundary_scores
from citespan.pipelines.text.gold_sentences import read_gold
from citespan.pipelines.text.splitter import splitters

app = typer.Typer(help="Train and measure sentence splitters.", no_args_is_help=True)


@app.command(epilog="Example: citespan sentences train articles/ --out punkt.json")
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
        raise InputError(f"{', '.join(map(str, paths))}: no article to train on in there")
    parameters = punkt_parameters.train(texts)
    try:
        to.write_text(punkt_parameters.to_json(parameters), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{to}: can't be written: {error.strerror}") from error
    for reading in rejected:
        complain(f"{reading.source}: {reading.reason}")
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


@app.command(epilog="Example: citespan sentences evaluate dev/conllu --text dev/txt")
def evaluate(
    conllu: Annotated[Path, typer.Argument(help="A folder of CoNLL-U files with `# text =`.")],
    text: Annotated[Path, typer.Option(help="The folder of their texts, NAME.txt.")],
    json: Json = False,
) -> None:
    """Measure every splitter's boundaries against sentences that people have marked.

    A boundary is where a sentence starts. Blank lines give away the starts of paragraphs, so
    these are counted only in the column "F1, all".
    """
    gold = list(read_gold(conllu, text))
    rows: list[dict[str, Any]] = []
    unavailable: list[dict[str, str]] = []
    for splitter in splitters:
        try:
            inside, everywhere = boundary_scores(splitter, gold)
        except CitespanError as error:
            unavailable.append({"splitter": splitter.name, "reason": str(error)})
            continue
        rows.append({"splitter": splitter.name, "inside": _row(inside), "all": _row(everywhere)})
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
    table = Table("Splitter", "Precision", "Recall", "F1", "Wrong", "Missed", "F1, all")
    for row in rows:
        inside_row = row["inside"]
        table.add_row(
            row["splitter"],
            *(f"{inside_row[name]:.4f}" for name in ("precision", "recall", "f1")),
            str(inside_row["wrong"]),
            str(inside_row["missed"]),
            f"{row['all']['f1']:.4f}",
        )
    out.print(table)
    aligned = sum(len(one.sentences) for one in gold)
    unaligned = sum(one.unaligned for one in gold)
    out.print(f"{len(gold)} texts, {aligned} sentences, {unaligned} more not found in their text")
    for missing in unavailable:
        complain(missing["reason"])


def _row(scores: BoundaryScores) -> dict[str, float]:
    return asdict(scores) | {
        "precision": scores.precision,
        "recall": scores.recall,
        "f1": scores.f1,
    }

"""`citespan sentences evaluate`: splitters measured against marked sentences."""

from pathlib import Path
from typing import Annotated, Any

import typer

from citespan.cli.options import Json
from citespan.cli.output import out, print_json, warn
from citespan.cli.tables import FigureTable
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.text.splitter import splitters
from citespan.pipelines.training.splitter import read_gold_sentences, score_boundaries

EPILOG = "Example: citespan sentences evaluate dev/conllu --text dev/txt"


def evaluate(
    conllu: Annotated[Path, typer.Argument(help="A folder of CoNLL-U files with `# text =`.")],
    text: Annotated[Path, typer.Option(help="The folder of their texts, NAME.txt.")],
    json: Json = False,
) -> None:
    """Measure every splitter's boundaries against sentences that people have marked.

    A boundary is where a sentence starts. Since blank lines reveal where paragraphs start, these
    boundaries are counted only in the column "F1, all".
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

"""`citespan vocabulary evaluate`: recognition measured against marked mentions."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import print_json, warn
from citespan.cli.reformulation_options import SemanticTypes, Sources, Vocabulary
from citespan.cli.tables import FigureTable
from citespan.cli.vocabulary.inputs import open_matcher, warn_rejected
from citespan.pipelines.vocabulary.readers.umls import map_codes
from citespan.pipelines.vocabulary.recognition import (
    Recognition,
    has_any_code,
    make_recogniser,
    read_mentions,
    score_recognition,
)

EPILOG = "Example: citespan vocabulary evaluate mentions.tsv --texts txt --vocabulary go.vocabulary"


def evaluate(
    mentions: Annotated[
        Path,
        typer.Argument(
            help="Tab-separated, with a heading line: the text's name first, and the columns "
            "start, end (characters) and code."
        ),
    ],
    texts: Annotated[Path, typer.Option(help="The folder of the texts, NAME.txt.")],
    codes: Annotated[
        Path | None,
        typer.Option(
            help="A META folder whose MRCONSO says which concept has a code.",
            show_default="codes are the store's own identifiers",
        ),
    ] = None,
    vocabulary: Vocabulary = None,
    sources: Sources = None,
    types: SemanticTypes = None,
    json: Json = False,
) -> None:
    """Measure recognition against mentions that people have marked.

    A mention is found when its characters are exactly those of a match ("spans"), and its
    concept too ("concepts"). Of marked mentions that overlap, one at most can be found.
    """

    matcher = open_matcher(vocabulary, sources, types)
    marked, rejected = read_mentions(mentions, texts, map_codes(codes) if codes else None)
    scores = score_recognition(marked, make_recogniser(matcher))
    if not has_any_code(matcher.vocabulary, marked):
        code = next(mention.code for text in marked for mention in text.mentions)
        cui = matcher.vocabulary.concept(0).cui
        warn(
            f"{mentions}: no code ('{code}') is an identifier of the vocabulary ('{cui}'), so no "
            "concept can agree; name a META folder with --codes"
        )
    warn_rejected(rejected, len(rejected))
    if json:
        print_json(
            {
                "texts": len(marked),
                "mentions": sum(len(one.mentions) for one in marked),
                "spans": scores.spans.to_json(),
                "concepts": scores.concepts.to_json(),
                "quarantined": [asdict(one) for one in rejected],
            }
        )
    else:
        _show_scores(scores)
    raise typer.Exit(1 if rejected else 0)


def _show_scores(scores: Recognition) -> None:
    """Show precision, recall and F1 of spans and of concepts."""
    table = FigureTable([""], ["Precision", "Recall", "F1", "Right", "Wrong", "Missed"])
    for name, one in (("spans", scores.spans), ("concepts", scores.concepts)):
        figures = (f"{value:.4f}" for value in (one.precision, one.recall, one.f1))
        table.add_row(name, *figures, *map(str, (one.right, one.wrong, one.missed)))
    table.print()

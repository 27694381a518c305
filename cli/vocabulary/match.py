"""`citespan vocabulary match`: the concepts that a text names."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from citespan.cli.options import Json, format_help
from citespan.cli.output import out, print_json
from citespan.cli.reformulation_options import SemanticTypes, Sources, Vocabulary
from citespan.cli.vocabulary.inputs import open_matcher
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.reader import readers, recognise
from citespan.pipelines.errors import InputError
from citespan.pipelines.text.abbreviations import find_abbreviations
from citespan.pipelines.vocabulary import abbreviated_matching
from citespan.pipelines.vocabulary.matching import Match

EPILOG = 'Example: citespan vocabulary match "Loss of p53 in liver" --vocabulary go.vocabulary'

_COLOURS = ("black on bright_green", "black on bright_cyan")


def match(
    text: Annotated[
        str, typer.Argument(help="A text, such as a citing sentence; - reads it from stdin.")
    ],
    vocabulary: Vocabulary = None,
    sources: Sources = None,
    types: SemanticTypes = None,
    article: Annotated[
        Path | None,
        typer.Option(
            help="An article whose abbreviations apply, in addition to those of the text."
        ),
    ] = None,
    format_: Annotated[
        str, typer.Option("--format", help="Format of the article: " + format_help())
    ] = "auto",
    json: Json = False,
) -> None:
    """Show the concepts that a text names, in their places.

    The longest terms are matched, from left to right. A short form that the text or the article
    defines, as in "brown adipose tissue (BAT)", stands for its long form.
    """

    citance = sys.stdin.read() if text == "-" else text
    matcher = open_matcher(vocabulary, sources, types)
    defined = dict(find_abbreviations(_read_article(article, format_))) if article else {}
    defined |= find_abbreviations(citance)
    found = abbreviated_matching.match_with_abbreviations(matcher, citance, defined)
    if json:
        print_json({"abbreviations": defined, "matches": [_to_json(one) for one in found]})
    else:
        _show_matches(citance, found, defined)


def _read_article(path: Path, format_: str) -> str:
    """Return the text of all articles at `path`."""
    reader = recognise(path) if format_ == "auto" else readers[format_]
    texts = []
    for unit in reader.find(path):
        for reading in reader.read(unit):
            if not isinstance(reading, Article):
                raise InputError(f"{reading.source}: {reading.reason}")
            texts.append(reading.text)
    return "\n\n".join(texts)


def _to_json(one: Match) -> dict[str, Any]:
    """Return a match as `--json` prints it."""
    return {
        "start": one.start,
        "end": one.end,
        "text": one.text,
        "cui": one.concept.cui,
        "preferred": one.concept.preferred,
        "source": one.concept.source,
        "types": list(one.concept.semantic_types),
        "others": list(one.others),
    }


def _show_matches(text: str, found: list[Match], defined: Mapping[str, str]) -> None:
    """Show the text with its concepts in colour, and a table of them."""
    in_place = Text(text)
    for number, one in enumerate(found):
        in_place.stylize(_COLOURS[number % len(_COLOURS)], one.start, one.end)
    out.print(in_place)
    if not found:
        out.print("The text names no concept of the vocabulary.")
        return
    table = Table("start", "end", "text", "CUI", "preferred name", "source", "types")
    for one in found:
        concept = one.concept
        row = (one.text, concept.cui, concept.preferred, concept.source)
        types = ", ".join(concept.semantic_types)
        table.add_row(str(one.start), str(one.end), *map(Text, (*row, types)))
    out.print(table)
    used = {short: long for short, long in defined.items() if short in text}
    for short, long in used.items():
        out.print(Text(f"{short}: {long}", style="dim"))

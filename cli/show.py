"""`citespan show`: the text of an indexed article, sentence by sentence."""

import re
from typing import Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.deploy.client import connect
from citespan.library import ShownSentence, describe_article
from citespan.library import show as read_sentences
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.catalogue import Catalogue

EPILOG = "Example: citespan show p53-dna-damage --sentences 3-6"
_RANGE = re.compile(r"(\d{1,9})?(?:(-)(\d{1,9})?)?")


def show(
    article: Annotated[str, typer.Argument(help="The article, by any of its identifiers.")],
    sentences: Annotated[
        str | None,
        typer.Option(
            metavar="FIRST-LAST",
            help="Numbers of sentences, from 0, both included: 510-525, 510- or 510.",
            show_default="all",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show the sentences of an indexed article, with their numbers and sections."""
    first, last = _parse_range(sentences)
    client = connect()
    entry = Catalogue(client).find(article)
    found = read_sentences(entry.article, first, last, client=client)
    if json:
        print_json(
            describe_article(entry) | {"sentences": [sentence.to_json() for sentence in found]}
        )
        return
    _print_sentences(entry.article, entry.title or "", found)


def _parse_range(written: str | None) -> tuple[int | None, int | None]:
    if written is None:
        return None, None
    match = _RANGE.fullmatch(written.strip())
    if not written.strip() or match is None or match[0] == "-":
        raise InputError(f"--sentences {written}: write numbers as in 510-525, 510- or 510")
    first = int(match[1]) if match[1] else None
    if match[2] is None:
        return first, first
    return first, int(match[3]) if match[3] else None


def _print_sentences(article: str, title: str, found: list[ShownSentence]) -> None:
    from rich.text import Text

    out.print(Text.assemble((article, "bold"), f"  {title}" if title else ""))
    width = len(str(found[-1].number))
    section = None
    for sentence in found:
        if sentence.section != section:
            section = sentence.section
            out.print()
            out.print(Text(section or "(no section)", style="bold"))
        number = Text(f"{sentence.number:>{width}}  ", style="dim")
        out.print(number + Text(" ".join(sentence.text.split())))

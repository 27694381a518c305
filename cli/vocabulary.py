"""Vocabularies of concepts, such as UMLS, compiled for matching.

Example: citespan vocabulary match "Loss of p53 in liver" --vocabulary go.vocabulary
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from citespan.cli.commands import Group
from citespan.cli.options import Csv, Json, format_help, split_names
from citespan.cli.output import out, print_csv, print_json, print_result, progress, warn
from citespan.cli.readings import find_units
from citespan.cli.setting_options import SemanticTypes, Sources, Vocabulary
from citespan.cli.tables import FigureTable
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.settings import describe_names
from citespan.pipelines.shown import flatten
from citespan.pipelines.text.abbreviations import find_abbreviations
from citespan.pipelines.vocabulary import builder
from citespan.pipelines.vocabulary.builder import BuildReport
from citespan.pipelines.vocabulary.matching import Match, Matcher, match_with_abbreviations
from citespan.pipelines.vocabulary.reader import vocabulary_readers
from citespan.pipelines.vocabulary.readers.umls import map_codes
from citespan.pipelines.vocabulary.recognition import (
    Recognition,
    has_any_code,
    make_recogniser,
    read_mentions,
    score_recognition,
)
from citespan.pipelines.vocabulary.store import open_vocabulary
from citespan.pipelines.vocabulary.terms import ConceptFilter, Selection

app = Group(__doc__)

_STAGES = {"terms": "rows read", "concepts": "terms sorted", "keys": "keys compiled"}
_COLOURS = ("black on bright_green", "black on bright_cyan")
_MOST_WARNINGS = 20
_COLUMNS = ("start", "end", "text", "cui", "preferred", "source", "types", "others")


@app.command()
def build(
    kind: Annotated[str, typer.Argument(help=describe_names(vocabulary_readers))],
    path: Annotated[Path, typer.Argument(help="The folder or file to read.")],
    to: Annotated[Path, typer.Option("--out", help="The folder to write.")],
    sources: Annotated[
        str | None,
        typer.Option(help="Only these sources, as in SNOMEDCT_US,MSH.", show_default="all"),
    ] = None,
    types: Annotated[
        str | None,
        typer.Option(
            help="Only concepts of these semantic types, as in T047,T191.", show_default="all"
        ),
    ] = None,
    version: Annotated[
        str | None,
        typer.Option(help="The vocabulary's version.", show_default="what its files say"),
    ] = None,
    json: Json = False,
) -> None:
    """Compile a vocabulary to a concept store.

    UMLS gives the English rows that are not suppressed, an OBO file the names and exact synonyms
    of terms that are not obsolete. MeSH and OBO need no licence. If a build is interrupted, run
    it again; an existing store is replaced when the new one is complete.

    Example: citespan vocabulary build umls 2025AB/META --sources SNOMEDCT_US,MSH --out
    umls.vocabulary
    """
    reader = vocabulary_readers[kind]
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    named = version or reader.version(path) or "unknown"
    typed = reader.typed(path)
    if types and not typed:
        where = "there is no MRSTY" if kind == "umls" else f"{kind} has none there"
        raise InputError(f"{path}: --types needs semantic types, and {where}; leave --types out")
    selection = Selection(split_names(sources), split_names(types) or ())
    with _show_stages() as show_progress:
        report = builder.build(
            selection.apply(reader.terms(path)), to, named, progress=show_progress
        )
    _warn_rejected(report.examples, report.quarantined)
    for name in selection.unseen:
        warn(f"no term of '{name}' in {path}; check its capitals")
    if not typed:
        warn(f"{path} has no semantic types, so none can be asked for in matching")
    about = {"kind": kind, "version": named, "out": str(to), "typed": typed}
    described = about | vars(report) | {"unseen": selection.unseen}
    print_result(json, described, _show_report, report, named, to)
    raise typer.Exit(1 if report.quarantined else 0)


@contextmanager
def _show_stages() -> Iterator[Callable[[str, int], None]]:
    """Show a progress bar for the stage that a build is in."""
    with ExitStack() as bars:
        done: dict[str, int] = {}  # of the present stage
        advance: Callable[[int], None]

        def show(stage: str, steps: int) -> None:
            nonlocal advance
            if stage not in done:
                bars.close()
                done.clear()
                advance = bars.enter_context(progress(_STAGES.get(stage, stage), None))
            advance(steps - done.get(stage, 0))
            done[stage] = steps

        yield show


def _show_report(report: BuildReport, version: str, to: Path) -> None:
    """Show how many rows became terms, were left out or quarantined; they add up to those read."""
    table = FigureTable(["rows"], ["count"])
    for source, terms in report.sources.items():
        table.add_row(f"terms of {source}", terms)
    table.add_section()
    for reason, rows in report.skipped.most_common():
        table.add_row(f"left out: {reason}", rows)
    if report.quarantined:
        table.add_row("quarantined: can't be read", report.quarantined)
    table.add_section()
    table.add_row("rows read", report.rows)
    table.print()
    out.print(
        f"{report.concepts} concepts with {report.terms} terms, version {version}, written to {to}",
        markup=False,
    )


@app.command()
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
    csv: Csv = False,
) -> None:
    """Show the concepts that a text names, in their places.

    The longest terms are matched, from left to right. A short form that the text or the article
    defines, as in "brown adipose tissue (BAT)", stands for its long form.

    Example: citespan vocabulary match "Loss of p53 in liver" --vocabulary go.vocabulary
    """
    citance = sys.stdin.read() if text == "-" else text
    matcher = _open_matcher(vocabulary, sources, types)
    defined = dict(find_abbreviations(_read_article(article, format_))) if article else {}
    defined |= find_abbreviations(citance)
    found = match_with_abbreviations(matcher, citance, defined)
    if json:
        print_json({"abbreviations": defined, "matches": [_to_json(match) for match in found]})
    elif csv:
        print_csv((flatten(_to_json(match)) for match in found), _COLUMNS)
    else:
        _show_matches(citance, found, defined)


def _read_article(path: Path, format_: str) -> str:
    """Return the text of all articles at `path`."""
    texts = []
    for reader, unit in find_units([path], format_):
        for reading in reader.read(unit):
            if not isinstance(reading, Article):
                raise InputError(f"{reading.source}: {reading.reason}")
            texts.append(reading.text)
    return "\n\n".join(texts)


def _to_json(match: Match) -> dict[str, Any]:
    """Return a match as `--json` prints it."""
    return {
        "start": match.start,
        "end": match.end,
        "text": match.text,
        "cui": match.concept.cui,
        "preferred": match.concept.preferred,
        "source": match.concept.source,
        "types": list(match.concept.semantic_types),
        "others": list(match.others),
    }


def _show_matches(text: str, found: list[Match], defined: Mapping[str, str]) -> None:
    """Show the text with its concepts in colour, and a table of them."""
    in_place = Text(text)
    for number, match in enumerate(found):
        in_place.stylize(_COLOURS[number % len(_COLOURS)], match.start, match.end)
    out.print(in_place)
    if not found:
        out.print("The text names no concept of the vocabulary.")
        return
    table = Table("start", "end", "text", "CUI", "preferred name", "source", "types")
    for match in found:
        concept = match.concept
        row = (match.text, concept.cui, concept.preferred, concept.source)
        types = ", ".join(concept.semantic_types)
        table.add_row(str(match.start), str(match.end), *map(Text, (*row, types)))
    out.print(table)
    used = {short: long for short, long in defined.items() if short in text}
    for short, long in used.items():
        out.print(Text(f"{short}: {long}", style="dim"))


@app.command()
def info(
    vocabulary: Vocabulary = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read the whole store and compare its checksums.")
    ] = False,
    json: Json = False,
) -> None:
    """Show the counts and sources of a concept store.

    Example: citespan vocabulary info --vocabulary umls.vocabulary --verify
    """
    store = open_vocabulary(_require_vocabulary(vocabulary))
    if verify:
        store.verify()
    facts: dict[str, Any] = {
        "path": str(store.path),
        "version": store.version,
        "concepts": store.concepts,
        "terms": store.terms,
        "sources": dict(store.sources),
        "semantic_types": dict(store.semantic_types),
        "bytes": sum(size for size, _ in store.header.files.values()),
        "checksum": store.checksum,
        "verified": verify,
    }
    print_result(json, facts, _show_info, facts)


def _print_counts(name: str, of: str, counts: Mapping[str, int]) -> None:
    table = FigureTable([name], [of])
    for key, count in sorted(counts.items(), key=lambda item: -item[1]):
        table.add_row(key, count)
    table.print()


def _show_info(facts: Mapping[str, Any]) -> None:
    """Show the counts of a store, and the terms of each source."""
    table = Table(show_header=False)
    for name in ("path", "version", "concepts", "terms", "bytes", "checksum"):
        table.add_row(name.replace("_", " "), Text(str(facts[name])))
    table.add_row(
        "files", "checksums verified" if facts["verified"] else "sizes verified; --verify reads all"
    )
    out.print(table)
    _print_counts("source", "terms", facts["sources"])
    if facts["semantic_types"]:
        _print_counts("semantic type", "concepts", facts["semantic_types"])


@app.command()
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

    Example: citespan vocabulary evaluate mentions.tsv --texts txt --vocabulary go.vocabulary
    """
    matcher = _open_matcher(vocabulary, sources, types)
    marked, rejected = read_mentions(mentions, texts, map_codes(codes) if codes else None)
    scores = score_recognition(marked, make_recogniser(matcher))
    if not has_any_code(matcher.vocabulary, marked):
        code = next(mention.code for text in marked for mention in text.mentions)
        cui = matcher.vocabulary.concept(0).cui
        warn(
            f"{mentions}: no code ('{code}') is an identifier of the vocabulary ('{cui}'), so no "
            "concept can agree; name a META folder with --codes"
        )
    _warn_rejected(rejected, len(rejected))
    described = {
        "texts": len(marked),
        "mentions": sum(len(text.mentions) for text in marked),
        "spans": scores.spans.to_json(),
        "concepts": scores.concepts.to_json(),
        "quarantined": [asdict(rejection) for rejection in rejected],
    }
    print_result(json, described, _show_scores, scores)
    raise typer.Exit(1 if rejected else 0)


def _show_scores(scores: Recognition) -> None:
    """Show precision, recall and F1 of spans and of concepts."""
    headings = ("Precision", "Recall", "F1", "Right", "Wrong", "Missed")
    table = FigureTable([""], headings, decimals=4)
    for name, own in (("spans", scores.spans), ("concepts", scores.concepts)):
        table.add_row(name, own.precision, own.recall, own.f1, own.right, own.wrong, own.missed)
    table.print()


def _require_vocabulary(vocabulary: Path | None) -> Path:
    """Return the folder of the vocabulary.

    Raises:
        InputError: if none is named.
    """
    if vocabulary is None:
        raise InputError(
            "no vocabulary: name one by --vocabulary or CITESPAN_VOCABULARY; "
            "`citespan vocabulary build` makes it"
        )
    return vocabulary


def _open_matcher(vocabulary: Path | None, sources: str | None, types: str | None) -> Matcher:
    """Open the vocabulary for matching concepts of these sources and semantic types.

    Raises:
        InputError: if no vocabulary is named.
        VocabularyError: if there is none in the folder.
    """
    scope = ConceptFilter(split_names(sources), split_names(types) or ())
    return Matcher(open_vocabulary(_require_vocabulary(vocabulary)), scope)


def _warn_rejected(rejected: Sequence[Rejected], count: int) -> None:
    """Print a line for each of the first rows that can't be read, and one for the others.

    Args:
        rejected: the rows that are known.
        count: how many there are in all.
    """
    for row in rejected[:_MOST_WARNINGS]:
        warn(f"{row.source}: {row.reason}")
    if count > _MOST_WARNINGS:
        warn(f"{format_count(count - _MOST_WARNINGS, 'more row')} can't be read; see --json")

"""`citespan vocabulary`: build a concept store, look into it, see what it finds."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citespan.cli.options import (
    Json,
    SemanticTypes,
    Sources,
    Vocabulary,
    described,
    format_help,
    listed,
)
from citespan.cli.output import complain, print_json
from citespan.cli.vocabulary_views import (
    BuildProgress,
    match_as_json,
    scores_as_json,
    show_info,
    show_matches,
    show_report,
    show_scores,
)
from citespan.pipelines.errors import InputError
from citespan.pipelines.vocabulary.reader import vocabulary_readers

if TYPE_CHECKING:
    from citespan.pipelines.vocabulary.matching import Matcher

app = typer.Typer(
    help="Vocabularies of concepts, such as UMLS, compiled for matching.", no_args_is_help=True
)

_COMPLAINTS = 20


@app.command(
    epilog="Example: citespan vocabulary build umls 2025AB/META --sources SNOMEDCT_US,MSH "
    "--out umls.vocabulary"
)
def build(
    kind: Annotated[str, typer.Argument(help=described(vocabulary_readers))],
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
    any_order: Annotated[
        bool,
        typer.Option(
            "--any-order",
            help="Match a term in whatever order its words stand. Matching is slower.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Compile a vocabulary to a concept store.

    Of UMLS, English rows that are not suppressed are taken; of an OBO file, names and exact
    synonyms of what is not obsolete. MeSH and OBO need no licence. A build that was stopped is
    run again; a former store stays until the new one is whole.
    """
    from citespan.pipelines.vocabulary import builder
    from citespan.pipelines.vocabulary.selection import Selection

    reader = vocabulary_readers[kind]
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    named = version or reader.version(path) or "unknown"
    typed = reader.typed(path)
    if types and not typed:
        where = "there is no MRSTY" if kind == "umls" else f"{kind} has none there"
        raise InputError(f"{path}: --types needs semantic types, and {where}; leave --types out")
    selection = Selection(listed(sources), listed(types) or ())
    with BuildProgress() as told:
        report = builder.build(
            selection.apply(reader.terms(path)),
            to,
            named,
            word_order="any" if any_order else "kept",
            progress=told,
        )
    for broken in report.examples[:_COMPLAINTS]:
        complain(f"{broken.source}: {broken.reason}")
    if report.quarantined > _COMPLAINTS:
        more = report.quarantined - _COMPLAINTS
        complain(f"… and {more} more rows; --json lists up to a thousand")
    for name in selection.unseen:
        complain(f"no term of '{name}' in {path}; are its capitals right?")
    if not typed:
        complain(f"{path} has no semantic types, so none can be asked for in matching")
    if json:
        print_json(
            {
                "kind": kind,
                "version": named,
                "out": str(to),
                "typed": typed,
                "rows": report.rows,
                "concepts": report.concepts,
                "terms": report.terms,
                "sources": report.sources,
                "skipped": dict(report.skipped),
                "quarantined": report.quarantined,
                "examples": [asdict(one) for one in report.examples],
                "unseen": selection.unseen,
            }
        )
    else:
        show_report(report, named, to)
    raise typer.Exit(1 if report.quarantined else 0)


@app.command(
    epilog='Example: citespan vocabulary match "Loss of p53 in liver" --vocabulary go.vocabulary'
)
def match(
    text: Annotated[str, typer.Argument(help="A citing sentence, say; - reads it from stdin.")],
    vocabulary: Vocabulary = None,
    sources: Sources = None,
    types: SemanticTypes = None,
    article: Annotated[
        Path | None,
        typer.Option(help="An article whose abbreviations count, beside those of the text."),
    ] = None,
    format_: Annotated[
        str, typer.Option("--format", help="Of the article: " + format_help())
    ] = "auto",
    json: Json = False,
) -> None:
    """Show the concepts that a text names, in their places.

    The longest terms count, from left to right. A short form that the text or the article
    defines, as in "brown adipose tissue (BAT)", stands for its long form.
    """
    from citespan.pipelines.text.abbreviations import abbreviations
    from citespan.pipelines.vocabulary import abbreviated_matching

    citance = sys.stdin.read() if text == "-" else text
    matcher = _matcher(vocabulary, sources, types)
    defined = dict(abbreviations(_article_text(article, format_))) if article else {}
    defined |= abbreviations(citance)
    found = abbreviated_matching.matches(matcher, citance, defined)
    if json:
        print_json({"abbreviations": defined, "matches": [match_as_json(one) for one in found]})
    else:
        show_matches(citance, found, defined)


@app.command(epilog="Example: citespan vocabulary info --vocabulary umls.vocabulary --verify")
def info(
    vocabulary: Vocabulary = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read all of it and compare the checksums.")
    ] = False,
    json: Json = False,
) -> None:
    """Tell what a concept store holds."""
    from citespan.pipelines.vocabulary.store import open_vocabulary

    store = open_vocabulary(_named(vocabulary))
    if verify:
        store.verify()
    facts: dict[str, Any] = {
        "path": str(store.path),
        "version": store.version,
        "concepts": store.concepts,
        "terms": store.terms,
        "word_order": store.header.word_order,
        "sources": dict(store.sources),
        "semantic_types": dict(store.semantic_types),
        "bytes": sum(size for size, _ in store.header.files.values()),
        "checksum": store.checksum,
        "verified": verify,
    }
    if json:
        print_json(facts)
        return
    show_info(facts)


@app.command(
    epilog="Example: citespan vocabulary evaluate mentions.tsv --texts txt "
    "--vocabulary go.vocabulary"
)
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
    from citespan.pipelines.vocabulary.mentions import read_mentions
    from citespan.pipelines.vocabulary.readers.umls import concepts_of_codes
    from citespan.pipelines.vocabulary.recognition import as_recogniser, recognition_scores

    matcher = _matcher(vocabulary, sources, types)
    marked, rejected = read_mentions(mentions, texts, concepts_of_codes(codes) if codes else None)
    scores = recognition_scores(marked, as_recogniser(matcher))
    for broken in rejected[:_COMPLAINTS]:
        complain(f"{broken.source}: {broken.reason}")
    if json:
        print_json(
            {
                "texts": len(marked),
                "mentions": sum(len(one.mentions) for one in marked),
                "spans": scores_as_json(scores.spans),
                "concepts": scores_as_json(scores.concepts),
                "quarantined": [asdict(one) for one in rejected],
            }
        )
    else:
        show_scores(scores)
    raise typer.Exit(1 if rejected else 0)


def _named(vocabulary: Path | None) -> Path:
    if vocabulary is None:
        raise InputError(
            "no vocabulary: name one by --vocabulary or CITESPAN_VOCABULARY; "
            "`citespan vocabulary build` makes it"
        )
    return vocabulary


def _matcher(vocabulary: Path | None, sources: str | None, types: str | None) -> "Matcher":
    from citespan.pipelines.vocabulary.concept_filter import ConceptFilter
    from citespan.pipelines.vocabulary.matching import Matcher
    from citespan.pipelines.vocabulary.store import open_vocabulary

    scope = ConceptFilter(listed(sources), listed(types) or ())
    return Matcher(open_vocabulary(_named(vocabulary)), scope)


def _article_text(path: Path, format_: str) -> str:
    """The text of all articles at `path`."""
    from citespan.pipelines.corpus.article import Article
    from citespan.pipelines.corpus.reader import readers
    from citespan.pipelines.corpus.recognise import recognise

    reader = recognise(path) if format_ == "auto" else readers[format_]
    texts = []
    for unit in reader.find(path):
        for reading in reader.read(unit):
            if not isinstance(reading, Article):
                raise InputError(f"{reading.source}: {reading.reason}")
            texts.append(reading.text)
    return "\n\n".join(texts)

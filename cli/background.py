"""`citespan background`: count a background corpus."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.options import Json, format_help
from citespan.cli.output import complain, out, print_json, progress
from citespan.deploy.node.client import connect
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.reader import Reader, readers
from citespan.pipelines.corpus.recognise import recognise
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing import article_text, catalogue
from citespan.pipelines.reformulation.background_counts import count

app = typer.Typer(
    help="Count background corpora, for the reformulations keywords, domain-terms and prf.",
    no_args_is_help=True,
)

_EPILOG = (
    "Examples: citespan background build articles/ --out background.json.gz; "
    "citespan background build --from-index --out background.json.gz"
)


@app.command(epilog=_EPILOG)
def build(
    to: Annotated[Path, typer.Option("--out", help="The file to write.")],
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files or folders, - for standard input; with --from-index articles, none for "
            "all.",
            metavar="PATH...",
        ),
    ] = None,
    from_index: Annotated[
        bool, typer.Option("--from-index", help="Count articles that are indexed on the cluster.")
    ] = False,
    format_: Annotated[str, typer.Option("--format", help=format_help())] = "auto",
    corpus: Annotated[
        str | None,
        typer.Option(
            help="What the corpus is called, to be written into the file.",
            show_default="the names of the files or articles",
        ),
    ] = None,
    licence: Annotated[
        str, typer.Option(help="The corpus's licence, to be written into the file.")
    ] = "not stated",
    min_documents: Annotated[
        int,
        typer.Option(
            min=1,
            help="Leave out terms in fewer documents, to keep the table of a large corpus small: "
            "keywords then takes them as in one document, domain-terms as not in the corpus.",
        ),
    ] = 1,
    json: Json = False,
) -> None:
    """Count in how many documents of a corpus each term is, and how often it occurs.

    A document is an article, or an abstract if that is all there is. The same corpus gives the
    same file, byte for byte.

    citespan ships two: 60 articles of CRAFT with 500 abstracts of PubMedQA (biomedical; for
    keywords, prf and domain-terms), and glosses of WordNet 3.0 (general; for domain-terms).
    """
    if to.is_dir() or not to.parent.is_dir():
        raise InputError(f"{to}: can't be written; name a file in a folder that exists")
    given = paths or []
    if not given and not from_index:
        raise InputError("nothing to count; give files or folders, or --from-index")
    name = corpus or ", ".join(map(_name, given)) or "all indexed articles"
    rejected: list[Rejected] = []
    documents = _indexed(given) if from_index else _read(given, format_, rejected)
    background = count(documents, name, licence, min_documents)
    try:
        to.write_bytes(background.to_bytes())
    except OSError as error:
        raise InputError(f"{to}: can't be written: {error.strerror}") from error
    if json:
        lost = {
            outcome: [
                {"path": r.source, "reason": r.reason} for r in rejected if r.outcome == outcome
            ]
            for outcome in ("skipped", "quarantined")
        }
        counts = {
            "corpus": background.corpus,
            "documents": background.documents,
            "terms": len(background.counts),
            "occurrences": background.occurrences,
            "out": str(to),
        }
        print_json(counts | lost)
    else:
        out.print(
            f"{background.documents:,} documents: {len(background.counts):,} terms, "
            f"{background.occurrences:,} occurrences written to {to}",
            markup=False,
        )
    raise typer.Exit(1 if any(one.outcome == "quarantined" for one in rejected) else 0)


def _name(path: str) -> str:
    return "standard input" if path == "-" else Path(path).resolve().name


def _read(paths: list[str], format_: str, rejected: list[Rejected]) -> Iterator[str]:
    units: list[tuple[Reader, Path]] = []
    for path in map(Path, paths):
        reader = recognise(path) if format_ == "auto" else readers[format_]
        units += [(reader, unit) for unit in reader.find(path)]
    with progress("Counting", sum(reader.count(unit) for reader, unit in units)) as advance:
        for reader, unit in units:
            for reading in reader.read(unit):
                if isinstance(reading, Rejected):
                    complain(f"{reading.outcome}: {reading.source}: {reading.reason}")
                    rejected.append(reading)
                else:
                    yield reading.text
                advance(1)


def _indexed(ids: list[str]) -> Iterator[str]:
    client = connect()
    entries = [catalogue.find(client, one) for one in ids] or list(article_text.loaded(client))
    with progress("Counting", len(entries)) as advance:
        for entry in entries:
            yield article_text.article_text(client, entry)
            advance(1)

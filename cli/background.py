"""Count background corpora, for the reformulations keywords, domain-terms and prf.

Example: citespan background build articles/ --out background.json.gz
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from citespan.cli.commands import Group
from citespan.cli.options import Json, format_help
from citespan.cli.output import out, print_json, progress, warn
from citespan.deploy.client import connect
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.reader import Reader, readers, recognise
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.background import Background, count
from citespan.pipelines.reformulation.keywords import count_least_documents
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.layout import layout_of

app = Group(__doc__)


@app.command()
def build(
    to: Annotated[Path, typer.Option("--out", help="The file to write.")],
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files or folders, or - for standard input; with --from-index, identifiers of "
            "articles, by default all of them.",
            metavar="PATH...",
        ),
    ] = None,
    from_index: Annotated[
        bool, typer.Option("--from-index", help="Count indexed articles.")
    ] = False,
    format_: Annotated[str, typer.Option("--format", help=format_help())] = "auto",
    corpus: Annotated[
        str | None,
        typer.Option(
            help="Name of the corpus, stored in the file.",
            show_default="the names of the files or articles",
        ),
    ] = None,
    licence: Annotated[
        str, typer.Option(help="Licence of the corpus, stored in the file.")
    ] = "not stated",
    min_documents: Annotated[
        int,
        typer.Option(
            min=1,
            help="Leave out terms that occur in fewer documents, to keep the table of a large "
            "corpus small. Keywords then treats them as occurring in one document, "
            "domain-terms as not occurring.",
        ),
    ] = 1,
    json: Json = False,
) -> None:
    """Count how many documents of a corpus contain each term, and how often it occurs.

    A document is an article, or an abstract if only that is available. The same corpus always
    gives the same file, byte for byte.

    citespan ships two such files: one of 60 articles of CRAFT and 500 abstracts of PubMedQA
    (biomedical; for keywords, prf and domain-terms), and one of the glosses of WordNet 3.0
    (general; for domain-terms).

    Examples: citespan background build articles/ --out background.json.gz; citespan background
    build --from-index --out background.json.gz
    """
    if to.is_dir() or not to.parent.is_dir():
        raise InputError(f"{to}: can't be written; name a file in a folder that exists")
    given = paths or []
    if not given and not from_index:
        raise InputError("nothing to count; give files or folders, or --from-index")
    name = corpus or ", ".join(map(_name_path, given)) or "all indexed articles"
    rejected: list[Rejected] = []
    documents = _read_indexed(given) if from_index else _read_files(given, format_, rejected)
    background = count(documents, name, licence, min_documents)
    try:
        to.write_bytes(background.to_bytes())
    except OSError as error:
        raise InputError(f"{to}: can't be written: {error.strerror}") from error
    least = count_least_documents(Options().least_idf)
    if background.documents < least:
        warn(
            f"{to}: too small for keywords, which needs {least} documents or more: "
            "in fewer, no word is rare enough"
        )
    if json:
        print_json(_to_json(background, to, rejected))
    else:
        out.print(
            f"{format_count(background.documents, 'document')}: "
            f"{format_count(len(background.counts), 'term')}, "
            f"{format_count(background.occurrences, 'occurrence')} written to {to}",
            markup=False,
        )
    raise typer.Exit(1 if any(one.outcome == "quarantined" for one in rejected) else 0)


def _to_json(background: Background, to: Path, rejected: list[Rejected]) -> dict[str, Any]:
    counts = {
        "corpus": background.corpus,
        "documents": background.documents,
        "terms": len(background.counts),
        "occurrences": background.occurrences,
        "out": str(to),
    }
    return counts | {
        outcome: [{"path": r.source, "reason": r.reason} for r in rejected if r.outcome == outcome]
        for outcome in ("skipped", "quarantined")
    }


def _name_path(path: str) -> str:
    return "standard input" if path == "-" else Path(path).resolve().name


def _read_files(paths: list[str], format_: str, rejected: list[Rejected]) -> Iterator[str]:
    units: list[tuple[Reader, Path]] = []
    for path in map(Path, paths):
        reader = recognise(path) if format_ == "auto" else readers[format_]
        units += [(reader, unit) for unit in reader.find(path)]
    with progress("Counting", sum(reader.count(unit) for reader, unit in units)) as advance:
        for reader, unit in units:
            for reading in reader.read(unit):
                if isinstance(reading, Rejected):
                    warn(f"{reading.outcome}: {reading.source}: {reading.reason}")
                    rejected.append(reading)
                else:
                    yield reading.text
                advance(1)


def _read_indexed(ids: list[str]) -> Iterator[str]:
    client = connect()
    entries = [Catalogue(client).find(one) for one in ids] or [
        version.entry for version in Catalogue(client).scan()
    ]
    with progress("Counting", len(entries)) as advance:
        for entry in entries:
            yield layout_of(entry).reader.read_text(client, entry)
            advance(1)

"""`citespan vocabulary info`: the counts and sources of a concept store."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.reformulation_options import Vocabulary
from citespan.cli.vocabulary.inputs import require_vocabulary
from citespan.pipelines.vocabulary.store import open_vocabulary

EPILOG = "Example: citespan vocabulary info --vocabulary umls.vocabulary --verify"


def info(
    vocabulary: Vocabulary = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read the whole store and compare its checksums.")
    ] = False,
    json: Json = False,
) -> None:
    """Show the counts and sources of a concept store."""
    store = open_vocabulary(require_vocabulary(vocabulary))
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
    if json:
        print_json(facts)
        return
    _show_info(facts)


def _make_table(name: str, of: str, counts: Mapping[str, int]) -> Table:
    table = Table(name)
    table.add_column(of, justify="right")
    for key, count in sorted(counts.items(), key=lambda item: -item[1]):
        table.add_row(Text(key), str(count))
    return table


def _show_info(facts: Mapping[str, Any]) -> None:
    """Show the counts of a store, and the terms of each source."""
    table = Table(show_header=False)
    for name in ("path", "version", "concepts", "terms", "bytes", "checksum"):
        table.add_row(name.replace("_", " "), Text(str(facts[name])))
    table.add_row(
        "files",
        "checksums verified" if facts["verified"] else "sizes verified; --verify reads all",
    )
    out.print(table)
    out.print(_make_table("source", "terms", facts["sources"]))
    if facts["semantic_types"]:
        out.print(_make_table("semantic type", "concepts", facts["semantic_types"]))

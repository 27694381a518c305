"""What is offered as a file."""

from collections.abc import Mapping
from typing import Any, Final, Literal
from urllib.parse import quote

import orjson
from fastapi import Response

from citespan.pipelines.corpus.identifiers import find_addresses
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.shown import format_csv
from citespan.pipelines.written_results import PASSAGE_COLUMNS, list_passages, write_passages

Kind = Literal["csv", "md", "json"]
ReportKind = Literal[Kind, "html"]
_MEDIA: Final[Mapping[str, str]] = {
    "csv": "text/csv",
    "md": "text/markdown",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "html": "text/html",
}


def make_download(content: str | bytes, name: str) -> Response:
    """Return a file; the ending of its name says what it is."""
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(content, headers=headers, media_type=_MEDIA[name.rpartition(".")[2]])


def write_found(kind: Kind, citance: str, found: Mapping[str, Any]) -> str | bytes:
    """Return what was found for a citance, as `citespan search` prints it in that format."""
    if kind == "json":
        return write_json(found)
    record = {"id": "1", "citance": citance, **found}
    if kind == "md":
        return write_passages(record)
    return format_csv(PASSAGE_COLUMNS, list_passages(record))


def list_addresses(article: str, pmid: str | None, doi: str | None) -> list[tuple[str, str]]:
    """Return where else an article is, by its id and identifiers: names with addresses."""
    pmcid = article if article.startswith("PMC") else ""
    return find_addresses(Publication(pmid=pmid or "", pmcid=pmcid, doi=doi or ""))


def write_json(found: Mapping[str, Any]) -> bytes:
    """Return what was found as JSON."""
    return orjson.dumps(found, option=orjson.OPT_SERIALIZE_NUMPY)

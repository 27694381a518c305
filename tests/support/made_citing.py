"""A small corpus whose articles cite one another, and what linking leaves of it."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import small_loads
from elasticsearch import Elasticsearch
from lexical_ranker import LexicalRanker

import citespan as front_door
from citespan.es_mappings import links
from citespan.pipelines.citations.link_report import LinkReport
from citespan.pipelines.citations.linking import link_citations

SUGAR = "Sugar feeds yeast in the dark for days"
TWIN = "Twins of one identifier"


def _refer(title: str, year: int, doi: str = "") -> str:
    return f"Ito K. {title}. J Yeast. {year}." + (f" doi:{doi}" if doi else "")


LINES: Mapping[str, dict[str, Any]] = {
    "sugar": {
        "title": SUGAR,
        "doi": "10.1000/sugar",
        "text": "Yeast grows on sugar. Nobody fed it bread. It needs no light.",
    },
    "bread": {
        "title": "Bread rises slowly in cold rooms",
        "doi": "10.1000/bread",
        "text": "Bread rises slowly where rooms are cold. Yeast grows on sugar [1]. "
        "Bread does not rise [2]. Moss grows on stones [3].",
        "references": [
            _refer(SUGAR, 2001, "10.1000/sugar"),
            _refer("Bread rises slowly in cold rooms", 2002, "10.1000/bread"),
            _refer("Moss grows on old stones", 2003, "10.1000/moss"),
        ],
    },
    "stone": {
        "title": "Stones are cold and so is bread",
        "doi": "10.1000/stone",
        "text": "Yeast grows on sugar [1] and bread rises slowly in cold rooms [2]. Twins differ "
        "[3]. Planets turn [4]. Comets do not [5]. Something else is unknown [6].",
        "references": [
            _refer(SUGAR, 2001, "10.1000/sugar"),
            _refer("Bread rises slowly in cold rooms", 2002, "10.1000/bread"),
            _refer(TWIN, 2004, "10.1000/twin"),
            _refer("Planets turn", 2005, "10.1000/planets"),
            "Ibid.",
        ],
    },
    "one-twin": {"title": TWIN, "doi": "10.1000/twin", "text": "One twin is tall."},
    "other-twin": {"title": TWIN, "doi": "10.1000/twin", "text": "The other twin is small."},
}
"""As lines of JSON Lines, without ids."""
MOSS = {
    "title": "Moss grows on old stones",
    "doi": "10.1000/moss",
    "text": "Moss grows on stones. It is green.",
}


def write_line(folder: Path, article: str, line: Mapping[str, Any]) -> Path:
    """Write one article to a file of its own."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{article}.jsonl"
    path.write_text(json.dumps({"id": article, "authors": ["Ito, K."], "year": 2001} | dict(line)))
    return path


def load_lines(es: Elasticsearch, layout: str, *paths: Path) -> None:
    """Load the articles in files."""
    report = front_door.index(*paths, layout=layout, client=es, processes=0)
    assert (report.inputs, report.quarantined, report.skipped) == (len(paths), [], [])


def load_corpus(es: Elasticsearch, folder: Path) -> None:
    """Load all articles, by turns in the two layouts."""
    paths = [write_line(folder, article, line) for article, line in LINES.items()]
    load_lines(es, "sentences", *paths[::2])
    load_lines(es, "spans", *paths[1::2])


def link(es: Elasticsearch, **options: Any) -> LinkReport:
    """Link all citations by the ranker of tests."""
    return link_citations(es, LexicalRanker(), **options)


def link_until_killed(url: str, pid: Path) -> None:
    """What a process does that is to be killed; it writes its id first."""
    pid.write_text(str(os.getpid()))
    with small_loads.client(url) as es:
        link(es, retry_seconds=1)


def read_links(es: Elasticsearch) -> dict[str, dict[str, Any]]:
    """Return all links by id, each with the number of its writing, `_seq_no`."""
    es.indices.refresh(index="citespan-*")
    found = es.search(
        index=links.INDEX, size=1000, seq_no_primary_term=True, ignore_unavailable=True
    )["hits"]["hits"]
    return {hit["_id"]: hit["_source"] | {"_seq_no": hit["_seq_no"]} for hit in found}


def without_time(found: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return links without what differs between two equal runs."""
    return {
        name: {k: v for k, v in link.items() if k not in ("linked", "_seq_no")}
        for name, link in found.items()
    }

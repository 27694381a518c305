"""Loads of a few small files, for tests that interrupt them; importable in other processes."""

import json
import os
import random
from functools import partial
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch
from made_articles import random_article

from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.load import Load
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.retrieval.model import similarities


def line(article_id: str, sentences: int, seed: str = "") -> str:
    """An article as a line of JSON, the same for the same last part of its id; its last sentence
    cites two others."""
    generator = random.Random(article_id.rpartition("-")[2] + seed)
    article = random_article(article_id, sentences, generator)
    text = f"{article.text.rstrip().removesuffix('.')} [1,2]."
    references = ["Ito K. Sugar feeds yeast. 2001. PMID 101.", "Ry B. Bread feeds nobody. 2002."]
    return json.dumps({"id": article_id, "text": text, "references": references})


def write_files(folder: Path, prefix: str) -> None:
    """Nine inputs in four files: six articles, two broken ones, one without text."""
    folder.mkdir()
    (folder / "a.jsonl").write_text(
        "\n".join([line(f"{prefix}-0", 4), "not JSON", line(f"{prefix}-1", 5)])
    )
    (folder / "b.jsonl").write_text(
        "\n".join([line(f"{prefix}-2", 3), json.dumps({"id": "blank", "text": " "})])
    )
    (folder / "c.jsonl").write_text("{broken")
    (folder / "d.jsonl").write_text(
        "\n".join([line(f"{prefix}-3", 6), line(f"{prefix}-4", 2), line(f"{prefix}-5", 4)])
    )


def write_files_before(folder: Path, prefix: str) -> None:
    """What was loaded before: one of the articles, and another with another content."""
    folder.mkdir()
    (folder / "a.jsonl").write_text(
        "\n".join([line(f"{prefix}-0", 4), line(f"{prefix}-4", 7, "other")])
    )


def client(url: str) -> Elasticsearch:
    """A client as processes that read make themselves one."""
    return Elasticsearch(url.split(","), request_timeout=30)


def small_load(
    url: str,
    folder: Path,
    layout: str = "sentences",
    checkpoint: Path | None = None,
    **options: Any,
) -> Load:
    """A load of a folder, in groups of two."""
    return Load(
        Sources([str(folder)], "jsonl"),
        DocumentSettings(similarities([]), layout, SpanLengths(1, 2)),
        partial(client, url),
        checkpoint=checkpoint,
        **{"processes": 0, "group_readings": 2} | options,
    )


def run(load: Load, url: str) -> LoadReport:
    """Run a load to its end."""
    with client(url) as es:
        return load.run(es, lambda _: None, lambda: None)


def run_until_killed(url: str, folder: Path, layout: str, checkpoint: Path, pid: Path) -> None:
    """What a process does that is to be killed; it writes its id first."""
    pid.write_text(str(os.getpid()))
    run(small_load(url, folder, layout, checkpoint), url)


def abstracts_load(url: str, file: Path, checkpoint: Path | None = None, **options: Any) -> Load:
    """A load of Medline files, in batches of two."""
    return Load(
        Sources([str(file)], "medline"),
        DocumentSettings(similarities([])),
        partial(client, url),
        checkpoint=checkpoint,
        **{"processes": 0, "group_readings": 2} | options,
    )


def run_abstracts_until_killed(url: str, file: Path, checkpoint: Path, pid: Path) -> None:
    """The same as `run_until_killed`, of abstracts."""
    pid.write_text(str(os.getpid()))
    run(abstracts_load(url, file, checkpoint), url)


def deadly_client(url: str) -> Elasticsearch:
    """A client with which a process dies as soon as it looks up an article called deadly."""
    es = client(url)
    look_up = es.mget

    def mget(**arguments: Any) -> Any:
        if any("deadly" in name for name in arguments["ids"]):
            os.kill(os.getpid(), 9)
        return look_up(**arguments)

    es.mget = mget  # type: ignore[method-assign]
    es.options = lambda **_: es  # type: ignore[method-assign,assignment]
    return es


def told(report: LoadReport, folder: Path) -> dict[str, Any]:
    """A report less what differs between equal loads of different folders."""
    body = json.loads(json.dumps(report.to_json()).replace(str(folder), "folder"))
    del body["seconds"]
    return dict(body)


def assert_resumed(resumed: dict[str, Any], undisturbed: dict[str, Any]) -> None:
    """The report of a resumed load is that of an undisturbed one, but that at most one group of
    two, which the interrupted run had written and not yet committed, counts as unchanged, or its
    deletions as of what was not indexed."""
    moved = resumed["unchanged"] - undisturbed["unchanged"]
    assert 0 <= moved <= 2
    assert undisturbed["articles"] - resumed["articles"] == moved
    assert 0 <= undisturbed["deleted"] - resumed["deleted"] <= 2
    written = (
        *("indexed", "replaced", "articles", "sentences", "spans", "citations", "deleted"),
        "unchanged",
    )
    for name in written:
        if not moved and name != "deleted":
            assert resumed[name] == undisturbed[name]
    assert {k: v for k, v in resumed.items() if k not in written} == {
        k: v for k, v in undisturbed.items() if k not in written
    }

"""Loads of a few small files, for tests that interrupt them; importable in other processes."""

import json
import os
import random
from functools import partial
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch
from made_articles import random_article

from citespan.pipelines.indexing.census import Census
from citespan.pipelines.indexing.documents.preparer import Layout
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.loading import Load
from citespan.pipelines.indexing.reading.recipe import Recipe
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.retrieval.model import similarities
from citespan.pipelines.text.splitter import DEFAULT


def line(article_id: str, sentences: int, seed: str = "") -> str:
    """An article as a line of JSON, the same for the same last part of its id."""
    generator = random.Random(article_id.rpartition("-")[2] + seed)
    article = random_article(article_id, sentences, generator)
    return json.dumps({"id": article_id, "text": article.text})


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
    return Elasticsearch(url, request_timeout=30)


def small_load(
    url: str,
    folder: Path,
    layout: Layout = "sentences",
    checkpoint: Path | None = None,
    **options: Any,
) -> Load:
    """A load of a folder, in groups of two."""
    return Load(
        Sources([str(folder)], "jsonl"),
        Recipe(layout, similarities([]), SpanLengths(1, 2), DEFAULT, None, partial(client, url)),
        checkpoint=checkpoint,
        **{"processes": 0, "group_articles": 2} | options,
    )


def run(load: Load, url: str) -> Census:
    """Run a load to its end."""
    with client(url) as es:
        return load.run(es, lambda _: None, lambda: None)


def run_until_killed(url: str, folder: Path, layout: Layout, checkpoint: Path, pid: Path) -> None:
    """What a process does that is to be killed; it writes its id first."""
    pid.write_text(str(os.getpid()))
    run(small_load(url, folder, layout, checkpoint), url)


def abstracts_load(url: str, file: Path, checkpoint: Path | None = None) -> Load:
    """A load of a Medline file, in batches of two."""
    return Load(
        Sources([str(file)], "medline"),
        Recipe("spans", similarities([]), SpanLengths(), DEFAULT, None, partial(client, url)),
        checkpoint=checkpoint,
        processes=0,
        group_articles=2,
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


def told(census: Census, folder: Path) -> dict[str, Any]:
    """A census less what differs between equal loads of different folders."""
    body = json.loads(json.dumps(census.to_json()).replace(str(folder), "folder"))
    del body["seconds"]
    return dict(body)

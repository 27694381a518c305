"""`citespan index --finish`: segments are merged once all is loaded."""

import json
import subprocess
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from small_loads import line

from citespan import index
from citespan.es_mappings.sentences import SENTENCES
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.store import segments
from citespan.pipelines.store.lease import hold_lease
from citespan.pipelines.store.retry import RetryPolicy
from citespan.pipelines.store.server import open_server

Citespan = Callable[..., subprocess.CompletedProcess[str]]


def load_one_by_one(es: Elasticsearch, folder: Path, name: str, loads: int) -> None:
    """Each load leaves a segment of its own in every index."""
    for number in range(loads):
        file = folder / f"{name}-{number}.jsonl"
        file.write_text(line(f"{name}-{number}", 3))
        assert index(file, layout="sentences", processes=1, client=es).indexed == 1


def finish(citespan: Citespan, folder: Path) -> dict[str, Any]:
    """Load once more what has not changed."""
    done = citespan("index", str(folder), "--layout", "sentences", "--finish", "--json")
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["indexed"] == 0
    return report | {"stderr": done.stderr}


def count_segments(es: Elasticsearch, index: str) -> list[int]:
    found = es.indices.segments(index=index)["indices"]
    return [
        len(copy["segments"])
        for described in found.values()
        for copies in described["shards"].values()
        for copy in copies
    ]


def test_each_shard_has_one_segment_and_a_repetition_does_nothing(
    citespan: Citespan, es: Elasticsearch, tmp_path: Path
) -> None:
    """Once the server, which refuses at first, does not refuse any more."""
    load_one_by_one(es, tmp_path, "merged", 3)
    es.indices.put_settings(index=SENTENCES, settings={"index.blocks.read_only": True})
    try:
        refused = citespan("index", str(tmp_path), "--layout", "sentences", "--finish")
    finally:
        es.indices.put_settings(index=SENTENCES, settings={"index.blocks.read_only": False})
    assert refused.returncode == 3
    [message] = refused.stderr.splitlines()
    assert "blocked by: [FORBIDDEN/5/index read-only (api)]" in message
    assert sum(count_segments(es, "citespan-articles")) >= 3
    merged = finish(citespan, tmp_path)["merged"]
    assert merged["indices"] >= 2
    assert merged["segments"] <= merged["indices"] < merged["segments_before"]
    assert 0 < merged["bytes"] < merged["bytes_before"]
    assert count_segments(es, "citespan-articles") == count_segments(es, SENTENCES) == [1]
    usage = es.perform_request(
        "POST",
        "/citespan-articles/_disk_usage",
        params={"run_expensive_tasks": "true"},
        headers={"accept": "application/json"},
    ).body
    fields = usage["citespan-articles"]["fields"]
    assert fields["text"]["total_in_bytes"] > 0
    assert fields["_recovery_source"]["stored_fields_in_bytes"] == 0  # texts are in no source
    again = finish(citespan, tmp_path)["merged"]
    assert (again["indices"], again["segments"]) == (0, 0)
    shown = citespan("index", str(tmp_path), "--layout", "sentences", "--finish")
    assert shown.stdout.splitlines()[-1] == "all segments are merged already"
    assert citespan("show", "merged-1").returncode == 0


def test_a_large_shard_keeps_as_many_segments_as_it_has_times_five_gigabytes(
    es: Elasticsearch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_one_by_one(es, tmp_path, "large", 4)
    es.indices.flush(index=SENTENCES)
    [[copy]] = es.indices.segments(index=SENTENCES)["indices"]["citespan-sentences-000"][
        "shards"
    ].values()
    size = sum(segment["size_in_bytes"] for segment in copy["segments"].values())
    monkeypatch.setattr(segments, "SEGMENT_BYTES", size * 2 // 3)
    monkeypatch.setattr(segments, "_LEASES_SECONDS", 0.0)  # what a merge keeps is no matter here
    shown: list[int] = []

    def show(shards: int) -> nullcontext[Callable[[int], None]]:
        shown.append(shards)
        return nullcontext(lambda _: None)

    merged = segments.merge_segments(es, RetryPolicy(30), LoadReport(), show)
    assert isinstance(merged, segments.Merged)
    assert shown == [merged.indices]  # of a shard each, without replicas
    assert count_segments(es, SENTENCES) == [2]


def test_nothing_is_merged_while_others_write(
    citespan: Citespan, es: Elasticsearch, tmp_path: Path
) -> None:
    load_one_by_one(es, tmp_path, "beside", 2)
    before = count_segments(es, "citespan-articles")
    with open_server(es, RetryPolicy(30), LoadReport()) as server, hold_lease(server, "link"):
        report = finish(citespan, tmp_path)
    assert report["merged"] is None
    [message] = report["stderr"].splitlines()
    assert message.startswith("nothing is merged, since `citespan link` by ")
    assert count_segments(es, "citespan-articles") == before

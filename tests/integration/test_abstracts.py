"""Abstracts on a real node: loaded, loaded again, updated, deleted; by the loader and by the
command line."""

import gzip
import json
import subprocess
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import loading
import pytest
from elasticsearch import Elasticsearch
from elasticsearch.dsl import Search
from made_medline import PROSE, citation, medline, section
from places import SHARED_DATA, TEST_DATA
from real_node import run_citespan

from citespan.es_mappings.abstracts import INDEX
from citespan.pipelines.corpus.readers.medline import MedlineReader
from citespan.pipelines.corpus.section_categories import Zone
from citespan.pipelines.errors import ElasticsearchUnreachableError
from citespan.pipelines.indexing.documents.abstract_document import PredictedZone, SplitAbstract
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.store.retry import RetryPolicy

Citespan = Callable[..., subprocess.CompletedProcess[str]]
READERS = TEST_DATA / "readers"
PUBMEDQA = SHARED_DATA / "pubmedqa/train.json"


class OneZone:
    def __init__(self, zone: Zone) -> None:
        self.version = zone
        self._zone = zone

    def __call__(self, abstracts: Sequence[SplitAbstract]) -> Iterator[list[PredictedZone]]:
        for _, sentences in abstracts:
            yield [(self._zone, 0.9)] * len(sentences)


@pytest.fixture(autouse=True)
def no_abstracts(es: Elasticsearch) -> Iterator[None]:
    es.indices.delete(index=INDEX, ignore_unavailable=True)
    yield
    es.indices.delete(index=INDEX, ignore_unavailable=True)


def load(
    es: Elasticsearch, tmp_path: Path, citations: Iterable[str], deleted: Iterable[int] = ()
) -> LoadReport:
    file = tmp_path / "m.xml"
    file.write_bytes(medline(citations, deleted))
    return loading.load_abstracts(es, MedlineReader().abstracts(file))


def outcomes(report: LoadReport) -> tuple[int, int, int, int, int]:
    assert report.inputs == (
        report.indexed
        + report.unchanged
        + report.replaced
        + len(report.skipped)
        + len(report.quarantined)
    )
    return (
        report.indexed,
        report.unchanged,
        report.replaced,
        len(report.skipped),
        len(report.quarantined),
    )


def indexed(es: Elasticsearch) -> dict[str, Any]:
    """The abstracts that are indexed, without what stands in place of deleted ones."""
    hits = es.search(index=INDEX, size=1000, version=True)["hits"]["hits"]
    return {hit["_id"]: hit for hit in hits if not hit["_source"].get("deleted")}


def test_loading_twice_writes_nothing(es: Elasticsearch, tmp_path: Path) -> None:
    citations = [citation(n) for n in range(1, 1203)]
    first = load(es, tmp_path, citations)
    assert outcomes(first) == (1202, 0, 0, 0, 0)
    assert first.sentences == 2 * 1202
    second = load(es, tmp_path, citations)
    assert outcomes(second) == (0, 1202, 0, 0, 0)
    assert (second.articles, second.sentences) == (0, 0)
    assert {hit["_version"] for hit in indexed(es).values()} == {1}
    assert es.count(index=INDEX)["count"] == 1202


def test_a_document_holds_sentences_with_zones(es: Elasticsearch, tmp_path: Path) -> None:
    structured = section(PROSE, "AIMS") + section("They slept.", "X", "RESULTS")
    load(es, tmp_path, [citation(1, abstract=structured)])
    source = indexed(es)["1"]["_source"]
    shown = [
        (source["text"][s["start"] : s["end"]], s["zone"], s["zone_from"])
        for s in source["sentences"]
    ]
    assert shown == [
        ("We measured the sleep of mice and of rats.", "Introduction", "label"),
        ("It was longer than that of the controls.", "Introduction", "label"),
        ("They slept.", "Results", "label"),
    ]
    assert (source["year"], source["languages"]) == (2001, ["eng"])
    search = Search().query("term", **{"sentences.zone": "Results"})
    assert es.count(index=INDEX, query=search.to_dict()["query"])["count"] == 1


def test_sentences_without_label_are_zoned_and_again_by_another_model(
    es: Elasticsearch, tmp_path: Path
) -> None:
    """The one model says Methods of all sentences, the other Results."""
    file = tmp_path / "m.xml"
    structured = section(PROSE, "AIMS")
    file.write_bytes(medline([citation(1), citation(2, abstract=structured)]))
    for zone, counts in (
        ("Methods", (2, 0, 0, 0, 0)),
        ("Methods", (0, 2, 0, 0, 0)),
        ("Results", (0, 1, 1, 0, 0)),
    ):
        assert (
            outcomes(loading.load_abstracts(es, MedlineReader().abstracts(file), OneZone(zone)))
            == counts
        )
        sources = {pmid: hit["_source"] for pmid, hit in indexed(es).items()}
        assert {s["zone"] for s in sources["1"]["sentences"]} == {zone}
        assert {s["zone"] for s in sources["2"]["sentences"]} == {"Introduction"}
        assert sources["1"]["zoned_by"] == zone
        assert "zoned_by" not in sources["2"]


def test_titles_and_abstracts_are_searched_by_bm25(es: Elasticsearch, tmp_path: Path) -> None:
    load(es, tmp_path, [citation(1, "TGF-β1 in mice"), citation(2, "Rats"), citation(3, "")])
    search = Search().query("match", text="TGF-beta1 mouse mice").to_dict()
    hits = es.search(index=INDEX, **search)["hits"]["hits"]
    assert hits[0]["_id"] == "1"
    assert hits[0]["_score"] > hits[1]["_score"]


def test_an_updated_citation_replaces_in_the_same_file_and_in_a_later_one(
    es: Elasticsearch, tmp_path: Path
) -> None:
    report = load(es, tmp_path, [citation(1), citation(2), citation(1, "Sleep of rats")])
    assert outcomes(report) == (2, 0, 1, 0, 0)
    assert indexed(es)["1"]["_source"]["title"] == "Sleep of rats"
    report = load(es, tmp_path, [citation(2, "Sleep of voles", version=2), citation(2, version=2)])
    assert outcomes(report) == (0, 0, 2, 0, 0)
    assert indexed(es)["2"]["_source"]["title"] == "Sleep of mice"


def test_an_older_version_or_revision_does_not_replace(es: Elasticsearch, tmp_path: Path) -> None:
    new = [citation(1, "New", version=2), citation(2, "New", revised="2020-05-17")]
    old = [
        citation(1, "Old", version=1, revised="2021-01-01"),
        citation(2, "Old", revised="2019-12-31"),
    ]
    load(es, tmp_path, new)
    report = load(es, tmp_path, old)
    assert outcomes(report) == (0, 0, 0, 2, 0)
    assert [r.reason for r in report.skipped] == [
        "version 1; version 2 is indexed",
        "revised 2019-12-31; the revision of 2020-05-17 is indexed",
    ]
    assert {hit["_source"]["title"] for hit in indexed(es).values()} == {"New"}
    assert outcomes(load(es, tmp_path, new)) == (0, 2, 0, 0, 0)


def test_loading_revised_deleted_and_restored_citations_again_writes_nothing(
    es: Elasticsearch, tmp_path: Path
) -> None:
    """1 is deleted, 2 is deleted and cited again, 3 is revised without a date, 4 is deleted in the
    file that cites it, 5 was never there."""
    files = tmp_path / "files"
    files.mkdir()
    cited = [citation(n, revised="") for n in range(1, 5)]
    (files / "a.xml").write_bytes(medline(cited, deleted=[4]))
    (files / "b.xml").write_bytes(medline([citation(3, "A title", revised="")], deleted=[1, 2, 5]))
    (files / "c.xml").write_bytes(medline([citation(2, revised="")]))
    first = run_citespan("index", str(files), "--json")
    assert first.returncode == 0, first.stderr
    assert set(indexed(es)) == {"2", "3"}
    es.indices.refresh(index=INDEX)
    before = es.search(index=INDEX, size=100, version=True)["hits"]["hits"]
    assert len(before) == 5
    again = json.loads(run_citespan("index", str(files), "--json").stdout)
    assert (again["inputs"], again["unchanged"], again["deleted"]) == (6, 6, 0)
    es.indices.refresh(index=INDEX)
    after = es.search(index=INDEX, size=100, version=True)["hits"]["hits"]
    assert {(hit["_id"], hit["_version"]) for hit in before} == {
        (hit["_id"], hit["_version"]) for hit in after
    }
    alone = json.loads(run_citespan("index", str(files / "a.xml"), "--json").stdout)
    assert [rejection["reason"].split(", by")[0] for rejection in alone["skipped"]] == [
        "Medline has deleted it since"
    ]
    assert "1" not in indexed(es)


def test_deleted_citations_are_removed_and_counted(es: Elasticsearch, tmp_path: Path) -> None:
    load(es, tmp_path, [citation(n) for n in range(1, 6)] + [citation(6, version=2)])
    report = load(es, tmp_path, [citation(7)], deleted=[2, 4, 6, 99, 7])
    assert outcomes(report) == (1, 0, 0, 0, 0)
    assert (report.deletions, report.deleted) == (5, 3)
    assert set(indexed(es)) == {"1", "3", "5", "6"}


def test_what_elasticsearch_refuses_is_quarantined(es: Elasticsearch, tmp_path: Path) -> None:
    loading.load_abstracts(es, [])
    es.indices.put_settings(index=INDEX, settings={"index.default_pipeline": "absent"})
    report = load(es, tmp_path, [citation(1), citation(2, abstract="")])
    assert outcomes(report) == (0, 0, 0, 1, 1)
    assert "Elasticsearch refused it: " in report.quarantined[0].reason


def test_a_server_that_is_away_is_told() -> None:
    away = Elasticsearch("http://127.0.0.1:9", request_timeout=1)
    with pytest.raises(ElasticsearchUnreachableError, match="accepted no request"):
        loading.load_abstracts(away, [], retry=RetryPolicy(0.5))


def test_the_command_line_loads_all_formats_at_once(citespan: Citespan, es: Elasticsearch) -> None:
    folders = [str(READERS / name) for name in ("medline", "pubmed", "pubmedqa", "jats")]
    done = citespan("index", *folders, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["inputs"], report["skipped"], report["quarantined"]) == (8, [], [])
    assert set(indexed(es)) == {f"900000{n}" for n in ("01", "02", "11", "12", "21", "22")}
    again = json.loads(citespan("index", *folders, "--json").stdout)
    assert (again["inputs"], again["unchanged"]) == (8, 8)


def test_a_truncated_file_is_one_line_and_what_was_read_is_loaded(
    citespan: Citespan, es: Elasticsearch, tmp_path: Path
) -> None:
    data = medline(citation(n, f"Sleep {n * 7919 % 1013}") for n in range(1, 2001))
    packed = gzip.compress(data)
    file = tmp_path / "m.xml.gz"
    kept = packed[: len(packed) * 2 // 3]
    file.write_bytes(kept)
    done = citespan("index", str(file), "--format", "medline", "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"quarantined: {file}: ")
    assert f"the {report['indexed']:,} records before that are read" in line
    assert report["indexed"] == es.count(index=INDEX)["count"]
    assert (
        report["indexed"] >= zlib.decompressobj(31).decompress(kept).count(b"</PubmedArticle>") - 1
    )
    assert report["inputs"] == report["indexed"] + 1


def test_many_skipped_for_one_reason_are_a_few_lines(citespan: Citespan, tmp_path: Path) -> None:
    file = tmp_path / "m.xml"
    file.write_bytes(medline([citation(n, abstract="") for n in range(1, 51)], deleted=[3]))
    done = citespan("index", str(file))
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert lines[0] == f"skipped: {file}: PMID 1: no abstract"
    assert len(lines) == 21
    assert lines[-1] == "skipped: 30 more: no abstract"
    assert "0 of 1 deleted citations were indexed" in done.stdout


@pytest.mark.skipif(not PUBMEDQA.is_file(), reason="../shared/data is not here")
def test_pubmedqa_is_loaded_whole(citespan: Citespan, es: Elasticsearch) -> None:
    done = citespan("index", str(PUBMEDQA), "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["inputs"], report["indexed"]) == (500, 500)
    sources = [hit["_source"] for hit in indexed(es).values()]
    assert sum(len(source["sentences"]) for source in sources) == report["sentences"]
    assert all(source["sentences"][-1]["zone"] == "Conclusions" for source in sources)

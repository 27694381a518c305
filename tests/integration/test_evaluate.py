"""`citespan evaluate` as users run it: on the sample, and on real citances where they are."""

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from elasticsearch import Elasticsearch
from places import ROOT
from real_node import run_citespan

from citespan.es_mappings import articles
from citespan.es_mappings.index_name import EXPERIMENTS
from citespan.pipelines.evaluation.experiment_index import ExperimentIndex
from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.read_collection import read_collection
from citespan.pipelines.evaluation.shipped import sample
from citespan.pipelines.evaluation.spans_file import read_spans
from citespan.pipelines.evaluation.specification import read_experiment
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.reader import vocabulary_readers
from citespan.pipelines.vocabulary.terms import VocabularyTerm

Citespan = Callable[..., subprocess.CompletedProcess[str]]

MODELS = str(ROOT / "experiments/models.yml")
SCISUMM = ROOT.parent / "shared/data/scisumm/train"
NAACL = str(ROOT / "experiments/naacl2015.yml")
CRAFT = ROOT.parent / "shared/data/craft/vocabulary/META"
SYSTEMS = ["vsm", "bm25", "dfr", "lmd", "sentence-bm25"]
PUBLISHED = [
    *("baseline", "umls-reduce", "keywords", "np", "umls-expand"),
    *("umls-reduce+umls-expand", "np+umls-expand"),
]


def run(
    citespan: Citespan, folder: Path, *arguments: str, experiment: str = MODELS
) -> dict[str, Any]:
    done = citespan("evaluate", "run", experiment, "--out", str(folder), "--json", *arguments)
    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads(done.stdout)
    return results


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of some concepts that the sample's articles and citances are about."""
    folder = tmp_path_factory.mktemp("vocabulary") / "store"
    concepts = {
        "C1": ("pVHL", "von Hippel-Lindau protein"),
        "C2": ("hypoxia", "low oxygen"),
        "C3": ("degradation", "breakdown"),
        "C4": ("oxygen", "O2"),
    }
    build(
        [
            VocabularyTerm(cui, text, "MADE", "SY", text == texts[0])
            for cui, texts in concepts.items()
            for text in texts
        ],
        folder,
        "made for a test",
    )
    return str(folder)


@pytest.fixture(scope="module")
def model_run(node: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of the retrieval models on the sample."""
    folder = tmp_path_factory.mktemp("models") / "run"
    run(run_citespan, folder)
    return folder


def test_the_sample_is_evaluated(citespan: Citespan, tmp_path: Path) -> None:
    results = run(citespan, tmp_path / "run")
    assert (results["citances"], results["records"], results["records_used"]) == (11, 44, 44)
    assert [system["system"] for system in results["systems"]] == SYSTEMS
    for system in results["systems"]:
        measured = system["measures"]
        assert {"recall", "precision", "f1", "rouge_l", "sentence_f1_micro"} <= set(measured)
        assert all(0 <= value <= 1 for value in measured.values())
        assert system["low"] <= measured["f1"] <= system["high"]
        assert measured["f1"] > 0.1
    assert results["systems"][0]["p_value"] is None
    assert 0 < results["systems"][-1]["p_value"] <= 1


def test_the_run_folder_has_what_other_tools_read(citespan: Citespan, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    results = run(citespan, folder)
    assert results.pop("run_folder") == str(folder)
    assert json.loads((folder / "results.json").read_text()) == results
    assert results["configuration"]["systems"]["vsm"]["options"]["phrase_terms"] == 3
    assert results["versions"].keys() >= {"server", "python", "citespan", "numpy"}
    assert "| `vsm` | " in (folder / "table.md").read_text()
    qrels = list(ir_measures.read_trec_qrels(str(folder / "qrels.txt")))
    for system in SYSTEMS:
        ranking = list(ir_measures.read_trec_run(str(folder / f"{system}.run")))
        assert {line.query_id for line in ranking} <= {line.query_id for line in qrels}
        figures = ir_measures.calc_aggregate([ir_measures.RR], qrels, ranking)
        assert figures[ir_measures.RR] > 0.2
    lines = list(read_spans(folder / "spans.jsonl"))
    assert len(lines) == 11 * len(SYSTEMS)
    assert all(len(line.spans) <= 3 for line in lines)


def test_running_again_gives_the_same(citespan: Citespan, tmp_path: Path) -> None:
    first = run(citespan, tmp_path / "first")
    second = run(citespan, tmp_path / "second")
    assert first.pop("run_folder") != second.pop("run_folder")
    assert first == second
    for file in (tmp_path / "first").iterdir():
        assert file.read_bytes() == (tmp_path / "second" / file.name).read_bytes()


def test_the_table_names_every_system(citespan: Citespan, tmp_path: Path) -> None:
    shown = citespan("evaluate", "run", MODELS, "--out", str(tmp_path / "run"))
    assert shown.returncode == 0
    assert all(f"│ {system} " in shown.stdout for system in SYSTEMS)
    assert "44 annotation records: 44 used, 0 not" in shown.stdout


def test_names_are_printed_as_they_are(citespan: Citespan, tmp_path: Path) -> None:
    # ":train:" is how an emoji is named
    shutil.copytree(sample("tac2014"), tmp_path / "train")
    collection = f"tac2014:{tmp_path / 'train'}"
    out = str(tmp_path / "run")
    shown = citespan("evaluate", "run", MODELS, "--out", out, "--collection", collection)
    assert "models on tac2014:train: 11 citances" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("nowhere.yml",), "nowhere.yml: can't be read"),
        ((MODELS, "--collection", "scisumm"), "write it as FORMAT:PATH"),
        ((MODELS, "--collection", "jats:x"), "format 'jats' has no citances; use one of: "),
        ((MODELS, "--collection", "tac2014:nowhere"), "nowhere: no such file or folder"),
        ((MODELS, "--collection", "brat:x"), "unknown format 'brat'"),
        ((MODELS, "--collection", "trec:x"), "x: no such file or folder"),
    ],
)
def test_what_cannot_be_run_is_one_clear_line(
    citespan: Citespan, arguments: tuple[str, ...], expected: str
) -> None:
    done = citespan("evaluate", "run", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert expected in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_paper_s_table_of_the_sample(
    citespan: Citespan, tmp_path: Path, vocabulary: str
) -> None:
    arguments = ("--vocabulary", vocabulary, "--out", str(tmp_path / "run"))
    shown = citespan("evaluate", "run", NAACL, *arguments)
    assert shown.returncode == 0, shown.stderr
    results = json.loads((tmp_path / "run/results.json").read_text())
    systems = {system["system"]: system for system in results["systems"]}
    assert list(systems)[: len(PUBLISHED)] == PUBLISHED
    baseline = systems["baseline"]
    for name, system in systems.items():
        assert f"│ {name} " in shown.stdout
        assert system["published"] == {}
        if name == "baseline":
            assert set(system["changes"].values()) == {None}
            assert system["p_value"] is None
            continue
        change = 100 * (system["measures"]["f1"] / baseline["measures"]["f1"] - 1)
        assert system["changes"]["f1"] == pytest.approx(change)
        assert 0 < system["p_randomisation"] <= system["p_randomisation_corrected"] <= 1
        assert system["tests"]["f1"]["p_value"] == system["p_value"]
        assert system["tests"]["sentence_f1_micro"]["p_value"] is None
        assert system["queries_changed"] > 0
    assert baseline["queries_changed"] == 0
    assert "No published figures beside these: " in shown.stdout
    assert "is not the 20 topics of TAC 2014" in results["published"]["remark"]
    assert "%)" in shown.stdout
    assert "Holm's correction" in shown.stdout.replace("\n", " ")


def test_published_figures_stand_beside_those_of_their_topics(
    citespan: Citespan, tmp_path: Path
) -> None:
    # Twenty topics of the names that NIST's have, made of the sample's two.
    topics = sorted((sample("tac2014") / "data").iterdir())
    for number in range(1, 21):
        shutil.copytree(topics[number % 2], tmp_path / f"data/D14{number:02}_TRAIN")
    reduced = tmp_path / "some.yml"
    kept = [
        line
        for line in Path(NAACL).read_text().splitlines()
        if not ("umls" in line and ("model:" in line or "[" in line))
    ]
    reduced.write_text("\n".join(kept))
    arguments = ("--collection", f"tac2014:{tmp_path / 'data'}", "--out", str(tmp_path / "run"))
    shown = citespan("evaluate", "run", str(reduced), *arguments)
    assert shown.returncode == 0, shown.stderr
    assert ".185** (+18.8%)" in shown.stdout
    assert shown.stdout.count("  published ") == 3
    assert "they are on 313 citances, and here are 110" in shown.stdout.replace("\n", " ")
    results = json.loads((tmp_path / "run/results.json").read_text())
    assert results["published"]["shown"]
    (np,) = (system for system in results["systems"] if system["system"] == "np")
    assert np["published"]["f1"] == {"value": 0.185, "stars": 2, "change": 18.8}


def test_what_a_reformulation_lacks_is_said_before_anything_is_indexed(
    citespan: Citespan, es: Elasticsearch, tmp_path: Path
) -> None:
    folder = tmp_path / "data/D1477_NOWHERE"
    shutil.copytree(sample("tac2014") / "data/D1401_SAMPLE", folder)
    arguments = ("--collection", f"tac2014:{tmp_path / 'data'}", "--out", str(tmp_path / "run"))
    for more, expected in (
        ((), "system umls-reduce: umls-reduce needs a vocabulary: name one by --vocabulary"),
        (("--vocabulary", str(tmp_path / "none")), str(tmp_path / "none")),
    ):
        done = citespan("evaluate", "run", NAACL, *arguments, *more)
        assert (done.returncode, done.stdout) == (2, "")
        assert expected in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()
    if es.indices.exists(index=articles.INDEX):
        es.indices.refresh(index=articles.INDEX)
        query = {"ids": {"values": ["D1477_NOWHERE"]}}
        assert es.count(index=articles.INDEX, query=query)["count"] == 0


@pytest.mark.skipif(not SCISUMM.is_dir(), reason="../shared/data is not here")
def test_every_reformulation_runs_on_every_citance(citespan: Citespan, tmp_path: Path) -> None:
    """Of ten topics of CL-SciSumm."""
    topics = tmp_path / "topics"
    topics.mkdir()
    for topic in sorted(SCISUMM.iterdir())[:10]:
        (topics / topic.name).symlink_to(topic)
    reader = vocabulary_readers["umls"]
    build(reader.terms(CRAFT), tmp_path / "craft", reader.version(CRAFT))
    arguments = ("--collection", f"scisumm:{topics}", "--vocabulary", str(tmp_path / "craft"))
    results = run(citespan, tmp_path / "run", *arguments, experiment=NAACL)
    records = results["records"]
    assert records > 100
    assert (results["records_used"], results["rejected"]) == (records, [])
    systems = {system["system"]: system for system in results["systems"]}
    assert set(PUBLISHED) <= set(systems)
    assert systems["baseline"]["measures"]["f1"] > 0.1
    lines = list(read_spans(tmp_path / "run/spans.jsonl"))
    assert len(lines) == records * len(systems)
    for name, system in systems.items():
        empty = {line.citance for line in lines if line.system == name and not line.spans}
        assert set(system["without_terms"]) <= empty


def test_measures_describe_themselves(citespan: Citespan) -> None:
    listed = json.loads(citespan("evaluate", "measures", "--json").stdout)
    assert {"f1", "rouge_l", "official_sentence_f1_micro"} <= {entry["name"] for entry in listed}
    assert all(entry["description"] and entry["source"] for entry in listed)


def test_two_systems_are_compared(citespan: Citespan, model_run: Path) -> None:
    names = f"{model_run}:vsm", f"{model_run}:sentence-bm25"
    compared = json.loads(citespan("evaluate", "compare", *names, "--json", "--top", "2").stdout)
    systems = {
        s["system"]: s for s in json.loads((model_run / "results.json").read_text())["systems"]
    }
    vsm, other = systems["vsm"], systems["sentence-bm25"]
    assert (compared["measure"], compared["citances"]) == ("f1", 11)
    assert compared["first"]["value"] == pytest.approx(vsm["measures"]["f1"])
    assert compared["second"]["value"] == pytest.approx(other["measures"]["f1"])
    assert compared["p_value"] == pytest.approx(other["p_value"])
    assert compared["p_randomisation"] == pytest.approx(other["p_randomisation"])
    assert compared["wins"] + compared["ties"] + compared["losses"] == 11
    moved = [*compared["gained"], *compared["lost"]]
    assert 0 < len(moved) <= 4
    for citance in moved:
        assert citance["text"]
        assert citance["second"] - citance["first"] == pytest.approx(citance["difference"])
        marked = "".join(gold["text"] for gold in citance["gold"])
        for span in (*citance["first_spans"], *citance["second_spans"]):
            for start, end in span["gold"]:
                assert span["text"][start:end] in marked
    shown = citespan("evaluate", "compare", *names, "--measure", "rouge_l").stdout
    assert "rouge_l on tac2014:tac2014, 11 citances: vsm " in shown
    assert "⟦" in shown
    assert "paired t-test: p = " in shown


def test_runs_that_cannot_be_compared_are_one_clear_line(
    citespan: Citespan, model_run: Path, tmp_path: Path
) -> None:
    shutil.copytree(sample("tac2014"), tmp_path / "other")
    run(citespan, tmp_path / "run", "--collection", f"tac2014:{tmp_path / 'other'}")
    shutil.rmtree(tmp_path / "other")
    vsm = f"{model_run}:vsm"
    other = f"{tmp_path / 'run'}:vsm"
    for names, expected in (
        ((vsm, other), "compare runs on one collection"),
        ((vsm, str(model_run)), "has several systems; write"),
        ((vsm, f"{model_run}:none"), "choose from: vsm, bm25"),
        ((vsm, str(tmp_path)), "give a folder that `citespan evaluate run` has written"),
        ((other, other), "no such file or folder"),
        ((vsm, vsm, "--measure", "sentence_f1_micro"), "has no value for a single citance"),
        ((vsm, vsm, "--measure", "bleu"), "unknown measure 'bleu'"),
    ):
        done = citespan("evaluate", "compare", *names)
        assert (done.returncode, done.stdout) == (2, "")
        assert expected in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_agreement_of_the_sample(citespan: Citespan) -> None:
    collection = f"tac2014:{sample('tac2014')}"
    found = json.loads(citespan("evaluate", "agreement", collection, "--json").stdout)
    counts = {level["level"]: level["count"] for level in found["levels"]}
    assert counts == {"full": 3, "all": 1, "majority": 5, "minority": 1, "none": 1}
    assert (found["total"], found["single_annotator"], found["unmarked"]) == (11, 0, 0)
    shown = citespan("evaluate", "agreement", collection).stdout
    assert "full agreement" in shown
    assert "No published figures beside these: tac2014:tac2014 is not the 20 topics" in shown


@pytest.mark.skipif(not SCISUMM.is_dir(), reason="../shared/data is not here")
def test_one_annotator_has_nobody_to_agree_with(citespan: Citespan) -> None:
    done = citespan("evaluate", "agreement", f"scisumm:{SCISUMM}", "--json")
    found = json.loads(done.stdout)
    assert (found["total"], found["single_annotator"]) == (0, 753)
    assert citespan("evaluate", "agreement", "scisumm").returncode == 2


def at_80_columns(node: str, *arguments: str) -> str:
    """What a command prints on a terminal of 80 columns."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    kept = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        [sys.executable, "-m", "citespan.cli.main", *arguments],
        stdout=terminal,
        stderr=subprocess.PIPE,
        env=kept | {"CITESPAN_ES_URL": node, "TERM": "xterm"},
    )
    os.close(terminal)
    written = b""
    while True:
        try:
            part = os.read(controller, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    os.close(controller)
    assert process.stderr is not None
    assert process.wait() == 0, process.stderr.read().decode()
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", written.decode()).replace("\r", "")


def test_tables_keep_the_names_of_systems_at_80_columns(
    node: str, tmp_path: Path, vocabulary: str
) -> None:
    naacl = (NAACL, "--vocabulary", vocabulary)
    names = [system.name for system in read_experiment(Path(NAACL)).systems]
    for arguments, rows in (((MODELS,), SYSTEMS), (naacl, names)):
        shown = at_80_columns(node, "evaluate", "run", *arguments, "--out", str(tmp_path / "run"))
        assert "…" not in shown
        assert max(len(line) for line in shown.splitlines() if "│" in line) <= 80
        tables = shown.count("┏")
        assert tables > 2
        for name in rows:
            # all tables but that of the p-values, which has no row of the baseline
            assert shown.count(f"│ {name} ") in (tables, tables - 1)
    collection = f"tac2014:{sample('tac2014')}"
    for arguments, rows in (
        (("measures",), measures.names()),
        (("experiments",), ["models", "naacl2015", "bionlp2015"]),
        (("agreement", collection), ["full agreement", "no agreement at all"]),
    ):
        shown = at_80_columns(node, "evaluate", *arguments)
        assert "…" not in shown
        assert all(f"│ {name} " in shown for name in rows)


def test_the_run_folder_is_checked_before_the_work(citespan: Citespan, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    done = citespan("evaluate", "run", MODELS, "--out", str(file / "run"), "--collection", "no:x")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{file} is a file; name another folder by --out" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_shipped_experiment_is_run_by_its_name_from_anywhere(node: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "citespan.cli.main", "evaluate", "run", "models", "--json"],
        cwd=tmp_path,
        env=os.environ | {"CITESPAN_ES_URL": node, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    results = json.loads(done.stdout)
    assert (tmp_path / results["run_folder"] / "results.json").exists()
    assert (results["experiment"], results["citances"]) == ("models", 11)


def test_spans_of_other_lengths_and_models_need_no_indexing_again(es: Elasticsearch) -> None:
    collection = read_collection(f"tac2014:{sample('tac2014')}")
    indexed: list[int] = []
    index = ExperimentIndex(es, indexed.append)
    first = index.ensure(collection.articles, [SpanLengths(1, 3)], ["vsm"])
    assert first.entries.keys() == collection.articles.keys()
    assert not first.rejected
    assert {entry.layout for entry in first.entries.values()} == {"sentences"}
    second = index.ensure(collection.articles, [SpanLengths(2, 7)], ["vsm", "bm25"])
    for article, entry in first.entries.items():
        assert second.entries[article].edition == entry.edition
        assert second.entries[article].loaded == entry.loaded
    spans = index.ensure(collection.articles, [SpanLengths(1, 3)], ["vsm"], layout="spans")
    assert {entry.layout for entry in spans.entries.values()} == {"spans"}


def test_indices_of_another_version_are_made_anew(es: Elasticsearch) -> None:
    """Their mapping lacks what searches need."""
    collection = read_collection(f"tac2014:{sample('tac2014')}")
    index = ExperimentIndex(es)
    index.ensure(collection.articles, [SpanLengths()], ["vsm"])
    es.indices.delete(index=EXPERIMENTS.articles)
    es.indices.create(
        index=EXPERIMENTS.articles,
        mappings={"_meta": {"citespan_mapping": 1}, "properties": {"article": {"type": "keyword"}}},
    )
    indexed: list[int] = []
    again = ExperimentIndex(es, indexed.append).ensure(
        collection.articles, [SpanLengths()], ["vsm"]
    )
    assert again.entries.keys() == collection.articles.keys()
    assert sum(indexed) == len(collection.articles)
    es.indices.refresh(index=EXPERIMENTS.shared("sentences"))
    editions = [entry.edition for entry in again.entries.values()]
    mine = es.count(index=EXPERIMENTS.shared("sentences"), query={"terms": {"edition": editions}})
    assert mine["count"] == es.count(index=EXPERIMENTS.shared("sentences"))["count"] > 0


def test_a_run_folder_s_qrels_are_a_collection(citespan: Citespan, tmp_path: Path) -> None:
    """Topics and qrels of the sample's citances, asked again as a collection of one's own."""
    original = read_collection(f"tac2014:{sample('tac2014')}")
    run(citespan, tmp_path / "run", "--collection", f"tac2014:{sample('tac2014')}")
    folder = tmp_path / "trec"
    folder.mkdir()
    shutil.copytree(sample("tac2014"), folder / "articles")
    shutil.copy(tmp_path / "run/qrels.txt", folder / "qrels.txt")
    topics = [f"{citance.id}\t{' '.join(citance.text.split())}" for citance in original.citances]
    (folder / "topics.tsv").write_text("\n".join(topics))
    again = run(citespan, tmp_path / "again", "--collection", f"trec:{folder}")
    assert again["citances"] == len(original.citances)
    systems = {system["system"]: system["measures"] for system in again["systems"]}
    assert systems["dfr"]["success_1"] > 0

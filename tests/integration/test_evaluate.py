"""`citespan evaluate run` as users run it: on the sample, and on real citances where they are."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pytest

from citespan.pipelines.corpus.sample_data import sample
from citespan.pipelines.evaluation.spans_file import read_spans

Citespan = Callable[..., subprocess.CompletedProcess[str]]

ROOT = Path(__file__).parents[2]
MODELS = str(ROOT / "experiments/models.yml")
SCISUMM = ROOT.parent / "shared/data/scisumm/train"
SYSTEMS = ["vsm", "bm25", "dfr", "lmd", "sentence-bm25"]


def run(citespan: Citespan, folder: Path, *arguments: str) -> dict[str, Any]:
    done = citespan("evaluate", "run", MODELS, "--out", str(folder), "--json", *arguments)
    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads(done.stdout)
    return results


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
    assert results["run_folder"] == str(folder)
    assert json.loads((folder / "results.json").read_text()) == results
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
        if file.name != "results.json":
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
        ((MODELS, "--collection", "trec:x"), "unknown format 'trec'"),
    ],
)
def test_what_cannot_be_run_is_one_clear_line(
    citespan: Citespan, arguments: tuple[str, ...], expected: str
) -> None:
    done = citespan("evaluate", "run", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert expected in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(not SCISUMM.is_dir(), reason="../shared/data is not here")
def test_every_annotation_of_scisumm_is_accounted_for(citespan: Citespan, tmp_path: Path) -> None:
    results = run(citespan, tmp_path / "run", "--collection", f"scisumm:{SCISUMM}")
    assert (results["records"], results["records_used"], results["rejected"]) == (753, 753, [])
    f1 = {system["system"]: system["measures"]["f1"] for system in results["systems"]}
    assert f1["vsm"] > 0.1


def test_measures_describe_themselves(citespan: Citespan) -> None:
    listed = json.loads(citespan("evaluate", "measures", "--json").stdout)
    assert {"f1", "rouge_l", "official_sentence_f1_micro"} <= {entry["name"] for entry in listed}
    assert all(entry["description"] and entry["source"] for entry in listed)

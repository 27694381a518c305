"""Plug-ins of another distribution, working and broken, in commands of their own process."""

import json
import os
import subprocess
import sys
from pathlib import Path

GOOD = """
from citespan.pipelines.retrieval.model import models

@models.register
class Flat:
    name = "flat"
    description = "every term scores one"
    similarity = {"type": "boolean"}

    def score(self, statistics):
        return (statistics.frequencies > 0) * 1.0
"""

BROKEN = {
    "raises": ("raise RuntimeError('half\\ninstalled')", "RuntimeError: half installed"),
    "exits": ("raise SystemExit(7)", "SystemExit: 7"),
    "taken": (GOOD.replace('"flat"', '"bm25"'), "ValueError: two models are called 'bm25'"),
    "wrong_type": (GOOD.replace("score", "scores"), "TypeError: Flat is no model: no score"),
    "no_model": ("class Flat: pass", "TypeError: no_model:Flat registers no model"),
    "without": ("", "AttributeError: module 'without' has no attribute 'Flat'"),
}


def install(folder: Path, module: str, code: str) -> None:
    """Put a distribution into a folder, as pip would."""
    (folder / f"{module}.py").write_text(code)
    metadata = folder / f"{module}-1.2.dist-info"
    metadata.mkdir()
    name = module.replace("_", "-")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    (metadata / "entry_points.txt").write_text(
        f"[citespan.retrieval_models]\nflat = {module}:Flat\n"
    )


def citespan(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command with a folder of distributions, and without a server."""
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.run(
        [sys.executable, "-m", "citespan.cli.main", *arguments],
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join(paths),
            "CITESPAN_ES_URL": "http://127.0.0.1:9",
            "COLUMNS": "200",
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_plugin_is_used_and_listed(tmp_path: Path) -> None:
    install(tmp_path, "flat_model", GOOD)
    shown = citespan(tmp_path, "search", "--help-all")
    assert "flat: every term scores one" in " ".join(shown.stdout.replace("│", " ").split())
    assert shown.stderr == ""
    found = json.loads(citespan(tmp_path, "doctor", "--json").stdout)["findings"]
    assert [(f["state"], f["found"]) for f in found if f["check"] == "plug-ins"] == [
        ("ok", "model 'flat' of flat-model 1.2")
    ]


def test_a_module_may_register_an_instance_of_a_class_of_citespan(tmp_path: Path) -> None:
    code = (
        "from citespan.pipelines.evaluation.measure import MeanOverCitances, measures\n"
        "measures.add(MeanOverCitances('flat', 'always one', 'this test', lambda outcome: 1.0))\n"
    )
    install(tmp_path, "flat_measure", code)
    points = tmp_path / "flat_measure-1.2.dist-info" / "entry_points.txt"
    points.write_text("[citespan.measures]\nflat = flat_measure\n")
    shown = citespan(tmp_path, "evaluate", "measures", "--json")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "always one" in shown.stdout


def test_broken_plugins_are_named_in_a_line_each_and_stop_nothing(tmp_path: Path) -> None:
    expected = set()
    for module, (code, problem) in BROKEN.items():
        install(tmp_path, module, code)
        expected.add((f"model 'flat' of {module.replace('_', '-')} 1.2", problem))
    install(tmp_path, "flat_model", GOOD)
    shown = citespan(tmp_path, "search", "--help-all")
    assert shown.returncode == 0
    assert "flat: every term scores one" in " ".join(shown.stdout.replace("│", " ").split())
    lines = shown.stderr.splitlines()
    assert len(lines) == len(BROKEN)
    assert set(lines) == {f"the {name} is left out: {problem}" for name, problem in expected}
    found = json.loads(citespan(tmp_path, "doctor", "--json").stdout)["findings"]
    failures = [f for f in found if f["check"] == "plug-ins" and f["state"] == "failure"]
    assert len(failures) == len(BROKEN)
    assert {f["found"] for f in failures} == {f"{name}: {problem}" for name, problem in expected}


def test_what_needs_no_plugin_says_nothing_of_a_broken_one(tmp_path: Path) -> None:
    install(tmp_path, "broken_plugin", BROKEN["raises"][0])
    for arguments in (["--version"], ["--help"], ["kibana", "export"], ["node", "--help"]):
        shown = citespan(tmp_path, *arguments)
        assert (shown.returncode, shown.stderr) == (0, "")

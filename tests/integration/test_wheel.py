"""The wheel, installed in an environment of its own, away from the checkout."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from places import ROOT

LARGEST = 40_000_000
_OF_THE_CHECKOUT = {"Dockerfile", "Dockerfile.dockerignore", ".gitattributes"}
"""The image is built, and lines end, in a checkout."""
_NOT_PACKAGED = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__", "runs")


def build(folder: Path, umask: int) -> Path:
    """Build the wheel from a copy, since building leaves files in the sources."""
    copy = folder / "sources"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=_NOT_PACKAGED)
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1767225600"}
    subprocess.run(
        [*pip, "--wheel-dir", str(folder), str(copy)],
        check=True,
        cwd=folder,
        env=environment,
        umask=umask,
    )
    (built,) = folder.glob("citespan-*.whl")
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel."""
    return build(tmp_path_factory.mktemp("wheel"), 0o022)


def test_it_is_the_same_bytes_whoever_builds_it(wheel: Path, tmp_path: Path) -> None:
    assert build(tmp_path, 0o077).read_bytes() == wheel.read_bytes()


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment with the wheel in it.

    It takes the libraries that citespan depends on from this environment, as they were installed
    with the same constraints. citespan itself is not found there: an editable installation works
    through a file that is only read from an environment's own folder.
    """
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    packages = Path(
        sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    )
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(packages)]
    subprocess.run([*pip, str(wheel)], check=True, cwd=folder)
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "python"


@pytest.fixture
def run(installed: Path, node: str, tmp_path: Path):
    """Runs the command line of the wheel in an empty folder."""

    def run_command(*arguments: str) -> str:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        done = subprocess.run(
            [str(installed), "-m", "citespan.cli.main", *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env=environment | {"CITESPAN_ES_URL": node},
            timeout=600,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run_command


def test_it_is_small_and_whole(wheel: Path) -> None:
    assert wheel.stat().st_size < LARGEST
    with zipfile.ZipFile(wheel) as files:
        names = set(files.namelist())
        metadata = files.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    assert "Description-Content-Type: text/markdown" in metadata
    assert not re.search(r"\]\((?!https?:)", metadata)
    assert "citespan/commit.txt" in names
    packaged = {
        f"citespan/{file.relative_to(ROOT)}"
        for folder in ("cli", "deploy", "es_mappings", "experiments", "pipelines", "serve")
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert {name.rpartition("/")[2] for name in packaged - names} <= _OF_THE_CHECKOUT
    assert not {name for name in names if name.startswith(("tests/", "benchmarks/", "studies/"))}


def test_it_indexes_searches_and_evaluates(run, installed: Path) -> None:
    where = "import citespan, citespan.cli.main as main; print(main.__file__)"
    found = subprocess.run(
        [str(installed), "-c", where], capture_output=True, text=True, check=True, cwd="/"
    )
    assert str(ROOT) not in found.stdout
    sample = Path(found.stdout).parents[1] / "pipelines" / "corpus" / "sample"

    assert "citespan" in run("--version")
    report = json.loads(run("index", str(sample / "jats"), "--json"))
    assert report["quarantined"] == []
    assert report["indexed"] + report["replaced"] + report["unchanged"] > 0
    citance = "When DNA is damaged, p53 is stabilised and stops the cell cycle through p21 [12]"
    passages = json.loads(run("search", citance, "--article", "p53-dna-damage", "--json"))
    assert "p21" in json.dumps(passages)
    manuscript = sample / "manuscript" / "signals.md"
    assert "3 found" in run("check", str(manuscript), "--html", "report.html")
    results = json.loads(run("evaluate", "run", "models", "--json"))
    assert [system["system"] for system in results["systems"]][:1] == ["vsm"]


NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture
def kernel(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a kernel of Jupyter with the wheel."""
    folder = tmp_path / "jupyter" / "kernels" / "wheel"
    folder.mkdir(parents=True)
    command = [str(installed), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": command, "display_name": "wheel", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(spec))
    for variable, value in (
        ("JUPYTER_PATH", tmp_path / "jupyter"),
        ("JUPYTER_RUNTIME_DIR", tmp_path / "runtime"),
        ("IPYTHONDIR", tmp_path / "ipython"),
        ("MPLCONFIGDIR", tmp_path / "matplotlib"),
    ):
        monkeypatch.setenv(variable, str(value))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return "wheel"


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebooks_run(file: Path, kernel: str, node: str, tmp_path: Path) -> None:
    notebook = nbformat.read(file, 4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "stored without outputs"
    client = NotebookClient(notebook, timeout=300, kernel_name=kernel)
    client.execute(cwd=str(tmp_path))
    shown = [
        output for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output
    ]
    assert any("<mark>" in output["data"].get("text/html", "") for output in shown)
    assert any("image/png" in output["data"] for output in shown)
    # a table of pandas is as wide as it is; all that is citespan's is short
    own = [
        output["data"] for output in shown if "dataframe" not in output["data"].get("text/html", "")
    ]
    assert max(len(shapes["text/plain"]) for shapes in own) <= 500

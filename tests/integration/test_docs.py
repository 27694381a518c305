"""Every example in the docs and in the help of commands runs, in their order, on a real node."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from made_example_files import ROOT, write_example_files
from real_node import become_user_of, empty_node, run_citespan

from citespan.cli.app import app, run
from citespan.cli.commands import walk
from citespan.cli.reference import examples
from citespan.deploy.client import connect
from citespan.pipelines.store import segments

_TASKS = re.findall(r"tasks/\S+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
PAGES = ("README.md", *(f"docs/{task}" for task in _TASKS), "docs/notebooks/README.md",
         "CONTRIBUTING.md", "deploy/README.md", "deploy/operations.md",
         "deploy/sizing.md")  # fmt: skip
_BLOCK = re.compile(r"^```(\w*)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)

_FILES = ("json", "yaml")
"""Languages of blocks that are parts of files and nothing to run."""
_PRINTED = re.compile(r"^(citespan [^\n]*)\n```\n\n```text\n(.*?)\n```$", re.MULTILINE | re.DOTALL)

NO_DOCKER = "there is no Docker engine, and no Kubernetes, where the tests run"
FEW_TOPICS = "it trains on five folds of topics; the fixture has fewer"
WHOLE_SUITE = "it runs these tests"
NOT_RUN = {
    "make ": WHOLE_SUITE,
    "pipx install ": "it downloads what the tests have; test_wheel.py installs the wheel",
    "python -m benchmarks.growth ": "it measures for hours",
    ".venv/bin/pytest ": WHOLE_SUITE,
    "citespan kibana import ": "there is no Kibana where the tests run",
    "citespan index articles/ --layout sentences --rebuild": "it replaces what others need; "
    "test_rebuild.py runs it",
    "citespan fetch ": "it asks services on the Web; test_fetch.py asks made ones",
    "citespan check manuscript.tex --fetch ": "it asks services on the Web; test_fetch.py asks "
    "made ones",
    "citespan mcp": "it serves until it is stopped; test_agents.py starts it",
    "citespan delete p53-dna-damage\n": "it asks before it deletes; test_delete.py answers",
    "citespan demo": "it serves until it is stopped; test_demo.py starts it",
    "citespan check pipelines/corpus/sample/manuscript/signals.md --decide": "it asks; "
    "test_check.py answers",
    "citespan serve": "it serves until it is stopped; test_serve.py starts it",
    "citespan tagger train ": "it takes minutes; test_tagger.py trains with a small configuration",
    "citespan evaluate run models --collection scisumm:data/train": "the fixture has no citance "
    "of two systems' interest",
    "citespan evaluate run rankers ": FEW_TOPICS,
    "citespan evaluate summaries ": FEW_TOPICS,
    "citespan facets ": FEW_TOPICS,
    "citespan disagreement ": FEW_TOPICS,
    "kubectl ": NO_DOCKER,
    "docker ": NO_DOCKER,
    "(umask 077; for name in ELASTIC_PASSWORD": NO_DOCKER,
    "curl --cacert": "the node has no security; test_node_security.py creates keys by each role",
}
"""The beginnings of the examples that are not run, each with the reason."""

AGAIN = {"citespan delete ": ["citespan", "index", "articles/"]}
"""By the beginnings of examples, what undoes them."""


@dataclass(frozen=True)
class Example:
    """A command line, a script for a shell or for Python, or a file of a plug-in."""

    page: str
    line: int
    kind: str
    code: str

    @property
    def reason(self) -> str | None:
        """Why it is not run."""
        found = [why for start, why in NOT_RUN.items() if f"{self.code}\n".startswith(start)]
        return found[0] if found else None

    def __str__(self) -> str:
        return f"{self.page}:{self.line} {self.code.splitlines()[0][:60]}"


def find_examples() -> Iterator[Example]:
    """Yield the examples of all pages, then those at the ends of help."""
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for block in _BLOCK.finditer(text):
            language, file, code = block.groups()
            line = text[: block.start()].count("\n") + 2
            if file is None and language not in _FILES:
                yield from split_block(page, line, language or "shell", code)
    for names, command in walk(typer.main.get_group(app)):
        for example in examples(command):
            yield Example(" ".join(names), 0, "shell", example)


def split_block(page: str, line: int, language: str, code: str) -> Iterator[Example]:
    """Yield a block as it is, or each line of one that has a command on every line."""
    if language != "shell":
        yield Example(page, line, language, code)
        return
    whole = re.sub(r" \\\n\s*", " ", code)
    lines = [re.sub(r"\s{2,}# .*", "", written) for written in whole.splitlines()]
    if any(written.startswith((" ", "for ")) for written in lines):
        yield Example(page, line, "shell", "\n".join(lines))
        return
    for number, command in enumerate(lines):
        yield Example(page, line + number, "shell", command)


ALL = list(find_examples())
EXAMPLES = [
    example
    for place, example in enumerate(ALL)
    if example.code not in {earlier.code for earlier in ALL[:place]}
]
"""Each once, where it stands first."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the examples run in."""
    folder = tmp_path_factory.mktemp("examples")
    write_example_files(folder)
    shim = folder / "bin" / "citespan"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -m citespan.cli.main "$@"\n')
    shim.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def plugins(folder: Path) -> Path:
    """The files of CONTRIBUTING.md with their metadata, as pip would install them."""
    to = folder / "plugins"
    to.mkdir()
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for _, name, code in _BLOCK.findall(text):
        if name:
            (to / name).write_text(code, encoding="utf-8")
    project = tomllib.loads((to / "pyproject.toml").read_text(encoding="utf-8"))
    modules = {f"{name}.py" for name in project["tool"]["setuptools"]["py-modules"]}
    assert modules == {file.name for file in to.glob("*.py")}
    stated = project["project"]
    metadata = to / f"{stated['name'].replace('-', '_')}-{stated['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {stated['name']}\nVersion: {stated['version']}\n"
    )
    (metadata / "entry_points.txt").write_text(
        "\n".join(
            f"[{group}]\n" + "\n".join(f"{name} = {target}" for name, target in points.items())
            for group, points in stated["entry-points"].items()
        )
    )
    return to


@pytest.fixture
def user(node: str, node_home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This process as the user of the node, in the folder of the examples."""
    become_user_of(node_home, monkeypatch)
    monkeypatch.chdir(folder)
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("ES", node)
    monkeypatch.setattr(segments, "_LEASES_SECONDS", 0.0)  # what a merge keeps is no matter here


@pytest.mark.usefixtures("user")
@pytest.mark.parametrize(
    "example", [example for example in EXAMPLES if example.reason is None], ids=str
)
def test_example(
    example: Example, plugins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if example.page == "CONTRIBUTING.md":
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(plugins)]))
    if example.code.startswith("citespan node down"):
        monkeypatch.setenv("CITESPAN_HOME", str(tmp_path))  # where none runs: others need it
    run_example(example)
    for start, command in AGAIN.items():
        if example.code.startswith(start):
            run_here(command[1:])


def delete_all() -> None:
    """Delete all indices of the node that CITESPAN_ES_URL names, or of the user's."""
    with connect() as client:
        empty_node(client)


def run_example(example: Example) -> None:
    """Run an example; the command line in this process where it can be.

    Raises:
        AssertionError: if its exit status is not 0.
    """
    words = shlex.split(example.code) if example.kind == "shell" else []
    is_plain = words[:1] == ["citespan"] and not {"|", ">", "for"} & set(words)
    if is_plain and example.page != "CONTRIBUTING.md":
        run_here(words[1:])
        return
    script = ["bash", "-euo", "pipefail", "-c", example.code]
    if example.kind == "python":
        Path("example.py").write_text(example.code, encoding="utf-8")
        script = [sys.executable, "example.py"]
    # As README says, the commands of the virtual environment stand for those of the examples.
    env = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(script, capture_output=True, text=True, check=False, timeout=300, env=env)
    assert done.returncode == 0, done.stderr or done.stdout
    assert "is left out" not in done.stderr


def run_here(arguments: list[str]) -> None:
    """Run the command line in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        patch.setattr(sys, "argv", ["citespan", *arguments])
        run()
    said = b"".join(stream.buffer.getvalue() for stream in (err, out))  # type: ignore[attr-defined]
    assert ended.value.code in (0, None), said.decode()


def test_every_example_that_is_not_run_is_listed_with_its_reason() -> None:
    left_out = [example for example in EXAMPLES if example.reason is not None]
    for start in NOT_RUN:
        assert any(f"{example.code}\n".startswith(start) for example in left_out), (
            f"no such example: {start}"
        )


def test_every_command_has_an_example() -> None:
    shown = {example.page for example in ALL}
    for names, command in walk(typer.main.get_group(app)):
        if not hasattr(command, "commands"):
            assert " ".join(names) in shown


@pytest.mark.usefixtures("user")
def test_the_tutorial_prints_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    delete_all()
    (tmp_path / "pipelines").symlink_to(ROOT / "pipelines")
    monkeypatch.chdir(tmp_path)
    run_here(["index", "pipelines/corpus/sample/jats"])
    shown = _PRINTED.findall((ROOT / "docs/tutorial.md").read_text(encoding="utf-8"))
    assert len(shown) == 4
    for command, output in shown:
        done = run_citespan(*shlex.split(command)[1:])
        assert done.returncode == 0, done.stderr
        assert "\n".join(map(str.rstrip, done.stdout.rstrip().splitlines())) == output, command

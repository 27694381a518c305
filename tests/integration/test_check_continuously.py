"""Checks that run by themselves: the exit status and the lines, the action, the hook, on a real
repository with a wrong citation; on a real node, and on a folder of articles."""

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from lxml import etree
from places import ROOT

import citespan as front_door
from citespan.cli.app import run
from citespan.pipelines.evaluation.shipped import sample

Citespan = Callable[..., subprocess.CompletedProcess[str]]
SIGNALS = sample("jats").parent / "manuscript"
WRONG = "Honeybees dance"
"""How the sentence begins that cites an article on insulin."""


def check(articles: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `citespan check` on a folder of articles, in this process, which has read its models
    after the first time."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        patch.setattr(sys, "argv", ["citespan", "check", "--articles", articles, *arguments])
        run()
    status = ended.value.code
    assert isinstance(status, int)
    said = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return subprocess.CompletedProcess(arguments, status, *said)


@pytest.fixture(scope="module")
def indexed(node: str) -> str:
    """The address of a node with the sample."""
    with front_door.connect() as client:
        front_door.index(sample("jats"), layout="sentences", client=client, processes=0)
    return node


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder of the sample's articles."""
    return str(shutil.copytree(sample("jats"), tmp_path_factory.mktemp("read") / "articles"))


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the sample's manuscript, in which the tests run."""
    (tmp_path / "papers").mkdir()
    for file in SIGNALS.iterdir():
        shutil.copy(file, tmp_path / "papers")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    git("init", "--quiet")
    commit()
    return tmp_path


def git(*arguments: str) -> None:
    own = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    subprocess.run(["git", *own, *arguments], check=True, capture_output=True)


def commit() -> None:
    git("add", ".")
    git("commit", "--quiet", "--allow-empty", "--message", "Text")


def line_of(file: Path, text: str, key: str) -> int:
    """The line of the first key behind a text."""
    written = file.read_text(encoding="utf-8")
    return written.count("\n", 0, written.index(key, written.index(text))) + 1


@pytest.mark.usefixtures("indexed", "repository")
def test_status_four_and_the_line_of_each_finding(citespan: Citespan, articles: str) -> None:
    file = Path("papers/signals.md")
    done = citespan("check", str(file), "--format", "github", "--fail-on", "none,retracted")
    assert done.returncode == 4
    assert done.stderr == "--fail-on none,retracted: 1 citation\n"
    annotations = [line for line in done.stdout.splitlines() if line.startswith("::")]
    wrong = line_of(file, WRONG, "@glut4")
    assert annotations[0].startswith(f"::error file=papers/signals.md,line={wrong},")
    others = [line_of(file, "A citing", "@cohan"), line_of(file, "Nobody", "@lost")]
    for line, name, shown in zip(others, ("notice", "warning"), annotations[1:], strict=True):
        assert shown.startswith(f"::{name} file=papers/signals.md,line={line},")

    assert check(articles, str(file), "--fail-on", "weak,differs").returncode == 0
    log = json.loads(check(articles, str(file), "--format", "sarif").stdout)
    places = [result["locations"][0]["physicalLocation"] for result in log["runs"][0]["results"]]
    assert [place["region"]["startLine"] for place in places] == [wrong, *others]
    done = check(articles, str(file), "--format", "junit", "--fail-on", "none")
    assert done.returncode == 4
    [failed] = etree.fromstring(done.stdout.encode()).xpath("//testcase[failure]")
    assert failed.get("line") == str(wrong)


def test_several_manuscripts_and_one_that_cannot_be_read(repository: Path, articles: str) -> None:
    copy = repository / "papers" / "copy.md"
    shutil.copy(repository / "papers" / "signals.md", copy)
    (repository / "papers" / "broken.tex").write_bytes(b"\xff\xfe\x00")
    done = check(articles, "papers/signals.md", "papers/broken.tex", "papers/copy.md", "--json")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("citespan: papers/broken.tex: ")
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["totals"] == second["totals"]
    rows = check(articles, "papers/signals.md", "papers/copy.md", "--csv").stdout.splitlines()
    assert rows[0].startswith("manuscript,id,")
    assert len(rows) == 15
    refused = check(articles, "papers/signals.md", "papers/copy.md", "--html", "x.html")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


def test_only_what_has_changed_is_checked(repository: Path, articles: str) -> None:
    file = repository / "papers" / "signals.md"
    options = ("--since", "HEAD", "--fail-on", "none", "--json")
    done = check(articles, str(file), *options)
    assert done.returncode == 0
    assert json.loads(done.stdout)["totals"]["citations"] == 0
    assert "0 of 6 citations changed since HEAD\n" in done.stderr
    written = file.read_text(encoding="utf-8")
    file.write_text(written.replace(WRONG, f"All {WRONG.lower()}"), encoding="utf-8")
    done = check(articles, str(file), *options)
    assert done.returncode == 4
    [wrong] = [
        citation
        for citation in json.loads(done.stdout)["citations"]
        if citation["status"] == "none"
    ]
    assert wrong["text"].startswith("All honeybees")
    unknown = check(articles, str(file), "--since", "nowhere")
    assert unknown.returncode == 2
    assert unknown.stderr.startswith("citespan: --since nowhere: unknown revision of ")


def test_arguments_that_cannot_be_used(repository: Path, articles: str) -> None:
    for options, reason in (
        (("--fail-on", "bad"), "unknown status 'bad'; choose from: differs, weak, none"),
        (("--format", "latex"), "that of the manuscript is --reader"),
        (("--format", "sarif", "--json"), "can't be combined"),
        (("--reader", "nothing"), "unknown"),
    ):
        done = check(articles, "papers/signals.md", *options)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert reason in done.stderr


def run_step(name: str, temporary: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the action as a runner does."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    [step] = [step for step in action["runs"]["steps"] if step["name"] == name]
    values = {key: declared.get("default", "") for key, declared in action["inputs"].items()} | {
        key.replace("_", "-"): value for key, value in inputs.items()
    }
    named = {f"${{{{ inputs.{key} }}}}": value for key, value in values.items()}
    assert step["shell"] == "bash"
    environment = {key: named.get(value, value) for key, value in step["env"].items()}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env={**os.environ, "RUNNER_TEMP": str(temporary), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder RUNNER_TEMP, with a citespan where the action's first step installs it."""
    folder = tmp_path_factory.mktemp("runner")
    shim = folder / "citespan" / "bin" / "citespan"
    shim.parent.mkdir(parents=True)
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -m citespan.cli.main "$@"\n')
    shim.chmod(0o755)
    return folder


@pytest.mark.usefixtures("indexed")
def test_the_action_fails_with_an_annotation_in_the_right_line(
    repository: Path, runner: Path, articles: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "papers" / "with space.md").write_text("Nothing is cited.\n")
    done = run_step("Check citations", runner, manuscripts="  papers/sig*.md \n\npapers/w* s*.md\n")
    assert done.returncode == 4, done.stderr
    wrong = line_of(Path("papers/signals.md"), WRONG, "@glut4")
    assert f"::error file=papers/signals.md,line={wrong}," in done.stdout
    assert "papers/with space.md: 0 citations" in done.stdout

    monkeypatch.setenv("CITESPAN_ES_URL", "http://127.0.0.1:9")  # no server is asked from here on
    done = run_step(
        "Check citations",
        runner,
        manuscripts="papers/signals.md",
        articles=articles,
        since="HEAD",
        format="sarif",
        output="check.sarif",
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads(Path("check.sarif").read_text())["runs"][0]["results"] == []


def test_the_action_says_what_is_missing(repository: Path, runner: Path) -> None:
    done = run_step("Check citations", runner, manuscripts=" \n")
    assert done.returncode == 2
    assert done.stdout.startswith("::error::no manuscript is named")
    done = run_step("Check citations", runner, manuscripts="$(touch x)\n; touch x\n`touch x`")
    assert done.returncode != 0
    assert not (repository / "x").exists()


def test_the_action_installs_what_is_locked() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    install = action["runs"]["steps"][0]["run"]
    for name in ("build.txt", "install.txt"):
        assert f'--require-hashes --requirement "$CITESPAN_ACTION/constraints/{name}"' in install
        assert (ROOT / "constraints" / name).is_file()
    assert all("${{" not in step["run"] for step in action["runs"]["steps"])


def run_hook(files: list[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the hook as pre-commit does: its entry, the user's arguments, the files of the commit."""
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert all(re.search(hook["files"], file) for file in files)
    command, *given = shlex.split(hook["entry"])
    assert (command, hook["language"]) == ("citespan", "python")
    return subprocess.run(
        [sys.executable, "-m", "citespan.cli.main", *given, *arguments, *files],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_hook_stops_a_commit_with_a_wrong_citation(repository: Path, articles: str) -> None:
    options = ("--articles", articles, "--format", "github", "--since", "HEAD")
    file = repository / "papers" / "signals.md"
    done = run_hook(["papers/signals.md"], *options)
    assert done.returncode == 0, done.stderr
    written = file.read_text(encoding="utf-8")
    file.write_text(written.replace(WRONG, f"All {WRONG.lower()}"), encoding="utf-8")
    done = run_hook(["papers/signals.md"], *options)
    assert done.returncode == 4
    line = line_of(file, "All honeybees", "@glut4")
    assert f"::error file=papers/signals.md,line={line}," in done.stdout

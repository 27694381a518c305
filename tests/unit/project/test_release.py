"""What is released: a readme for an index of packages, and the commit that a wheel is of."""

import re
import runpy
import subprocess
import tomllib
from collections.abc import Callable
from importlib.metadata import metadata
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from places import ROOT

from citespan.cli.app import _find_commit

SETUP = runpy.run_path(str(ROOT / "setup.py"), run_name="setup")


def test_the_readme_of_an_index_links_to_no_file_and_says_the_rest() -> None:
    text: str = SETUP["make_readme"]()
    targets = re.findall(r'(?:href|src)="([^"]*)"', MarkdownIt().render(text))
    assert targets
    assert all(target.startswith("https://") for target in targets)
    written = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.startswith("# citespan\n")
    assert re.findall(r"^#+ .*", text, re.MULTILINE) == re.findall(r"^#+ .*", written, re.MULTILINE)
    assert text.count("```") == written.count("```")


def test_python_in_the_readme_has_six_lines_at_most() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    assert all(len([line for line in block.splitlines() if line.strip()]) <= 6 for block in blocks)


def test_every_python_that_is_promised_can_have_what_citespan_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    promised = SpecifierSet(project["requires-python"])
    pythons = [*promised.filter(f"3.{minor}.50" for minor in range(30))]
    named = re.findall(r":: (3\.\d+)", " ".join(project["classifiers"]))
    assert named == [python.removesuffix(".50") for python in pythons]
    for requirement in map(Requirement, project["dependencies"]):
        accepted = metadata(requirement.name).get("Requires-Python", "")
        assert [*SpecifierSet(accepted).filter(pythons)] == pythons, requirement.name


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Runs git in an empty repository, which setup.py takes for its own."""
    find = SETUP["find_commit"]
    monkeypatch.setitem(find.__globals__, "ROOT", tmp_path)

    def git(*arguments: str) -> None:
        own = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", tmp_path, *own, *arguments], check=True, capture_output=True)

    return git


def test_the_commit_says_whether_files_differ_from_it(
    checkout: Callable[..., None], tmp_path: Path
) -> None:
    find = SETUP["find_commit"]
    assert find() == ""
    checkout("init")
    assert find() == ""
    (tmp_path / "file").write_text("one")
    checkout("add", "file")
    checkout("commit", "-m", "one")
    commit = find()
    assert re.fullmatch("[0-9a-f]{12}", commit)
    (tmp_path / "file").write_text("two")
    assert find() == f"{commit}+"


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the checkout has no history here")
def test_a_checkout_knows_its_commit() -> None:
    assert re.fullmatch("[0-9a-f]{12}", _find_commit())

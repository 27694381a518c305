"""The site of the documentation is built without a network, and loads nothing from one."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT


def build(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(site)],
        cwd=root,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    done = build(ROOT, target)
    assert done.returncode == 0, done.stderr
    return target


def test_every_task_has_a_page_of_its_own(site: Path) -> None:
    tasks = sorted((ROOT / "docs" / "tasks").glob("*.md"))
    assert len(tasks) > 15
    for task in tasks:
        title = task.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        page = site / "tasks" / task.stem / "index.html"
        assert f'<h1 id="{task.stem}">{title}' in page.read_text(encoding="utf-8")


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        loaded = re.findall(r"<(?:script|link|img|iframe)[^>]*//[^>]*>", page.read_text())
        assert not loaded, page


def test_a_broken_link_is_an_error(tmp_path: Path) -> None:
    for name in ("docs", "deploy"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("mkdocs.yml", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    citations = tmp_path / "pipelines/citations"
    citations.mkdir(parents=True)
    shutil.copy(ROOT / "pipelines/citations/resolution.md", citations)
    with (tmp_path / "docs/methods.md").open("a") as methods:
        methods.write("\n[Nothing](nowhere.md)\n")
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode != 0
    assert "nowhere.md" in done.stderr

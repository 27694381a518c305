"""What of a manuscript has changed since a revision, by real repositories of git."""

import shutil
import subprocess
from pathlib import Path

import pytest

from citespan.cli.changes import find_changes, keep_changed
from citespan.pipelines.citations.manuscript import read_citations
from citespan.pipelines.citing.source_lines import SourceLines
from citespan.pipelines.errors import InputError

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
WRITTEN = """# Yeast

It grows on sugar
[1]. It grows on bread [2]
in the dark.

It rises [1].
It falls [2].

# References

1. Ito K. Sugar feeds yeast. 2001.
2. Ry B. Bread feeds yeast. 2002.
"""


def git(folder: Path, *arguments: str) -> str:
    own = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    done = subprocess.run(
        ["git", *own, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def manuscript(tmp_path: Path) -> Path:
    """A manuscript in a folder of a repository, as it was committed."""
    git(tmp_path, "init", "--quiet")
    file = tmp_path / "text [1]" / "m.md"
    file.parent.mkdir()
    file.write_text(WRITTEN, encoding="utf-8")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "First")
    return file


def keep(file: Path, revision: str = "HEAD") -> list[str]:
    """The sentences of the citations that are kept."""
    found = read_citations(file)
    lines = SourceLines(file.read_text(encoding="utf-8"), found.article.text)
    kept = keep_changed(found, file, revision, lines)
    assert kept.uncited == found.uncited
    text = found.article.text
    return [text[citation.sentence.start : citation.sentence.end] for citation in kept.citations]


def test_nothing_has_changed(manuscript: Path) -> None:
    assert find_changes(manuscript, "HEAD") == []
    assert keep(manuscript) == []


def test_the_citations_of_changed_lines_alone_are_kept(manuscript: Path) -> None:
    manuscript.write_text(WRITTEN.replace("in the dark", "in the light"), encoding="utf-8")
    assert find_changes(manuscript, "HEAD") == [(5, 5)]
    assert keep(manuscript) == ["It grows on bread [2]\nin the light.".replace("\n", " ")]
    manuscript.write_text(WRITTEN.replace("It falls [2]", "It falls [1]"), encoding="utf-8")
    assert keep(manuscript) == ["It falls [1]."]
    manuscript.write_text(WRITTEN.replace("\nin the dark", ""), encoding="utf-8")
    assert len(keep(manuscript)) >= 1


def test_a_change_is_counted_from_the_revision_that_is_named(manuscript: Path) -> None:
    manuscript.write_text(WRITTEN.replace("It rises", "It rose"), encoding="utf-8")
    git(manuscript.parent, "commit", "--quiet", "--all", "--message", "Second")
    assert keep(manuscript) == []
    assert keep(manuscript, "HEAD~1") == ["It rose [1]."]
    assert keep(manuscript, git(manuscript.parent, "rev-parse", "HEAD~1")) == ["It rose [1]."]


def test_all_of_a_new_file_has_changed(manuscript: Path) -> None:
    new = manuscript.with_name("new.md")
    new.write_text(WRITTEN, encoding="utf-8")
    assert find_changes(new, "HEAD") is None
    assert len(keep(new)) == 4


def test_a_file_without_lines_is_checked_whole_if_it_has_changed(manuscript: Path) -> None:
    found = read_citations(manuscript)
    assert keep_changed(found, manuscript, "HEAD", None).citations == ()
    manuscript.write_bytes(b"PK\x00\xff\x00")
    assert find_changes(manuscript, "HEAD") is None
    assert keep_changed(found, manuscript, "HEAD", None).citations == found.citations


@pytest.mark.parametrize("revision", ["nothing", "--output=x", "-", "HEAD~7", "m.md", ""])
def test_an_unknown_revision_is_said(manuscript: Path, revision: str) -> None:
    with pytest.raises(InputError, match=rf"--since {revision}: unknown revision of .*unshallow"):
        find_changes(manuscript, revision)
    assert not (manuscript.parent / "x").exists()


def test_a_file_in_no_repository_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "m.md").write_text(WRITTEN)
    with pytest.raises(InputError, match="m.md: .*not a git repository.*leave --since out"):
        find_changes(tmp_path / "m.md", "HEAD")


def test_without_git_the_line_says_so(manuscript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(manuscript.parent))
    with pytest.raises(InputError, match="--since HEAD: git is not installed"):
        find_changes(manuscript, "HEAD")

"""What pyproject.toml can't say: the readme for an index of packages, and the commit of a wheel."""

import os
import re
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
_IMAGE = re.compile(r"^!\[[^\]]*\]\((?!https?:)[^)]*\)\n+", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")


def make_readme() -> str:
    """Return README without what an index has not: images and pages that are files beside it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return _LINK.sub(r"\1", _IMAGE.sub("", text))


def find_commit() -> str:
    """Return the commit that is checked out, with a plus if files differ from it; "" if unknown."""
    if not (ROOT / ".git").exists():
        return ""
    git = ["git", "-C", str(ROOT)]
    try:
        commit = subprocess.run(  # noqa: S603  the arguments are ours
            [*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
        changed = subprocess.run(  # noqa: S603
            [*git, "status", "--porcelain", "--untracked-files=no"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f"{commit}+" if changed else commit


class BuildWithCommit(build_py):
    """Builds the packages, with the commit in `citespan/commit.txt`."""

    def run(self) -> None:
        """Build them."""
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib) / "citespan" / "commit.txt"
            target.write_text(f"{find_commit()}\n", encoding="ascii")


if __name__ == "__main__":
    os.umask(0o022)  # so that the wheel has the same bytes whoever builds it
    setup(
        long_description=make_readme(),
        long_description_content_type="text/markdown",
        cmdclass={"build_py": BuildWithCommit},
    )

"""What of a manuscript has changed since a revision of its git repository."""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from citespan.pipelines.citing.citations import ArticleCitations, Citation
from citespan.pipelines.citing.source_lines import SourceLines
from citespan.pipelines.errors import InputError

_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_SECONDS = 60
_REMEDY = "name a commit, tag or branch; a shallow clone has few (`git fetch --unshallow`)"

Lines = tuple[float, float]


def keep_changed(
    found: ArticleCitations, file: Path, revision: str, lines: SourceLines | None
) -> ArticleCitations:
    """Return what a manuscript cites in lines that have changed since a revision.

    A citation is kept whose sentence, marker or sentence before, if that belongs to it, has
    changed, or whose lines are not known. Of a file without lines, all are kept if it has changed.

    Args:
        lines: of the file; None if it has none.

    Raises:
        InputError: if git is missing, the file is in no repository, or the revision is unknown.
    """
    changes = find_changes(file, revision)
    if changes is None or (lines is None and changes):
        return found
    kept = tuple(
        citation
        for citation in found.citations
        if lines is not None and _is_changed(_find_lines(citation, lines), changes)
    )
    return replace(found, citations=kept)


def _is_changed(lines: Lines | None, changes: Sequence[Lines]) -> bool:
    return lines is None or any(lines[0] <= end and start <= lines[1] for start, end in changes)


def _find_lines(citation: Citation, lines: SourceLines) -> Lines | None:
    start = citation.context.start if citation.context is not None else citation.sentence.start
    found = lines.find(start, citation.sentence.end)
    marker = lines.find_marker(citation)
    if found is None or marker is None:
        return None
    return min(found[0], marker), max(found[1], marker)


def find_changes(file: Path, revision: str) -> Sequence[Lines] | None:
    """Return the first and the last line of each change to a file since a revision, as it is on the
    disk; lines that are gone stood between two, as in (7.5, 7.5). None if all of it is new.

    Raises:
        InputError: if git is missing, the file is in no repository, or the revision is unknown.
    """
    where = f"--since {revision}"
    folder = file.absolute().parent
    inside = _run_git(folder, where, "rev-parse", "--show-toplevel")
    if inside.returncode:
        reason = inside.stderr.strip().splitlines()[:1] or ["git fails"]
        raise InputError(f"{where}: {file}: {reason[0]}; leave --since out to check all of it")
    named = () if revision.startswith("-") else (f"{revision}^{{commit}}",)
    known = _run_git(folder, where, "rev-parse", "--verify", "--quiet", *named)
    if not named or known.returncode:
        raise InputError(f"{where}: unknown revision of {inside.stdout.strip()}; {_REMEDY}")
    if _run_git(folder, where, "ls-files", "--error-unmatch", "--", file.name).returncode:
        return None
    options = ("--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
    told = _run_git(folder, where, "diff", *options, known.stdout.strip(), "--", file.name)
    if told.returncode:
        raise InputError(f"{where}: {file}: git diff fails: {told.stderr.strip()[:200]}")
    hunks = [(int(start), int(count or 1)) for start, count in _HUNK.findall(told.stdout)]
    if told.stdout and not hunks:
        return None  # no text, or its mode has changed
    return [(a + 0.5, a + 0.5) if n == 0 else (a, a + n - 1) for a, n in hunks]


def _run_git(folder: Path, where: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603
            ["git", "--literal-pathspecs", *arguments],  # noqa: S607  the user's own
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_SECONDS,
        )
    except FileNotFoundError as error:
        raise InputError(
            f"{where}: git is not installed, or {folder} is not there; install git, or leave "
            "--since out"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise InputError(f"{where}: git has not answered within {_SECONDS} s") from error

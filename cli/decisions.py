"""Merge what people have decided about the citations of a manuscript.

Example: citespan decisions merge mine.decisions.jsonl theirs.decisions.jsonl --out both.jsonl
"""

import getpass
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.commands import Group
from citespan.cli.output import open_private, warn, writing
from citespan.pipelines.citations.checking import CheckedCitation, CheckedManuscript
from citespan.pipelines.citations.decisions import (
    SETTLED,
    Decision,
    Judgement,
    append_decisions,
    decide,
    find_conflicts,
    merge_decisions,
    name_file,
    read_decisions,
)
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.serve.report import describe_judgement, describe_place, describe_reference

app = Group(__doc__)
_LETTERS: dict[str, Judgement] = {"r": "right", "w": "wrong", "t": "to do"}
_HELP = "r right, w wrong, t to do, each with a note behind it if you like; Enter skips, q stops"


@app.command()
def merge(
    files: Annotated[list[Path], typer.Argument(help="Files of decisions about one manuscript.")],
    out: Annotated[Path | None, typer.Option(help="Write to this file, not to stdout.")] = None,
) -> None:
    """Merge files of decisions, such as those of two co-authors, into one.

    Each decision is kept once, in the order of their times; of each person, the last about a
    citation counts. Where people disagree, both are named. Lines that are no decisions are named
    and left out, and the exit status is then 1.

    Example: citespan decisions merge mine.decisions.jsonl theirs.decisions.jsonl --out both.jsonl
    """
    read = [read_decisions(file) for file in files]
    merged = merge_decisions(*(decisions for decisions, _ in read))
    mistakes = [problem for _, problems in read for problem in problems]
    lines = b"".join(decision.to_line() for decision in merged).decode()
    if out is None:
        sys.stdout.write(lines)
    else:
        with writing(out), open_private(out) as file:
            file.write(lines)
    for conflict in find_conflicts(merged):
        said = ", ".join(f"{decision.by}: {decision.decision}" for decision in conflict)
        warn(f"disputed ({said}): {conflict[-1].clause}")
    for mistake in mistakes:
        warn(mistake)
    warn(f"{format_count(len(merged), 'decision')} of {format_count(len(files), 'file')}")
    raise typer.Exit(1 if mistakes else 0)


def name_person(named: str) -> str:
    """Return who decides: whom an option names, or the user of this account.

    Raises:
        InputError: if neither is known.
    """
    try:
        return named.strip() or getpass.getuser()
    except (OSError, KeyError) as error:
        raise InputError("the name of your account is not known; give one with `by`") from error


class DecisionFiles:
    """The files of decisions about a manuscript.

    Args:
        manuscript: its file, or "-".
        named: the files; none for the one beside the manuscript.
        by: who is asked about what is left to decide; "" if nobody is.
        is_part: whether only some citations of the manuscript are checked, so that decisions about
            the others are no mistake.

    Attributes:
        target: the file that answers are kept in; None if nobody is asked.
        mistakes: a line for what is wrong with each file.

    Raises:
        InputError: if answers have no place.
    """

    def __init__(self, manuscript: str, named: Sequence[Path], by: str, is_part: bool) -> None:
        if by and not named and manuscript == "-":
            raise InputError("`decide`: standard input has no place beside it; name `decisions`")
        files = [*named] or ([name_file(manuscript)] if manuscript != "-" else [])
        self.target = files[0] if by else None
        self.mistakes: list[str] = []
        self._by = by
        self._is_part = is_part
        self._files = [file for file in files if named or file.exists()]

    def add_to(self, checked: CheckedManuscript) -> CheckedManuscript:
        """Return a checked manuscript with what is decided, after asking if somebody is asked.

        Raises:
            InputError: if a file can't be read, or an answer can't be kept.
        """
        if not self._files and self.target is None:
            return checked
        decisions = merge_decisions(*(self._read(file, checked) for file in self._files))
        for mistake in self.mistakes:
            warn(mistake)
        checked = checked.with_decisions(decisions, self.mistakes)
        return checked if self.target is None else self._ask(checked, decisions, self.target)

    def _read(self, file: Path, checked: CheckedManuscript) -> list[Decision]:
        if file == self.target and not file.exists():
            return []
        found, problems = read_decisions(file)
        self.mistakes += problems
        matched = checked.with_decisions(found).decisions
        if found and matched is not None and not matched.decided and not self._is_part:
            self.mistakes.append(
                f"{file}: none of its {format_count(len(found), 'decision')} is about a citation "
                f"of {checked.found.article.source}; it may belong to another manuscript"
            )
        return found

    def _ask(
        self, checked: CheckedManuscript, decisions: Sequence[Decision], target: Path
    ) -> CheckedManuscript:
        """Ask about each citation that is left to decide, and keep each answer at once."""
        left = [
            judged
            for judged in checked.citations
            if checked.states[judged.citation.id] not in SETTLED
        ]
        made = [*decisions]
        if left:
            warn(_HELP)
        for place, judged in enumerate(left, 1):
            _show(checked, judged, f"{place} of {len(left)}")
            answer = _read_answer()
            if answer is None:
                break
            judgement, note = answer
            if judgement is not None:
                subject = checked.subjects[judged.citation.id]
                made.append(decide(subject, judgement, self._by, note))
                append_decisions(target, made[-1:])
        return checked.with_decisions(made, self.mistakes)


def _show(checked: CheckedManuscript, judged: CheckedCitation, place: str) -> None:
    text, reference = checked.found.article.text, judged.citation.reference
    warn(f"{place}: {judged.citation.id}, {describe_judgement(judged)}")
    warn(collapse_space(text[slice(*judged.citation.clause)]))
    warn(f"cites {describe_reference(reference) if reference else judged.citation.name}")
    if judged.evidence:
        best = judged.evidence[0]
        warn(f"{collapse_space(best.text)} ({describe_place(best)})")
        for difference in judged.evidence.differences:
            warn(f"differs: {difference}")
    for decided in checked.find_decided(judged):
        warn(f"decided: {decided}")


def _read_answer() -> tuple[Judgement | None, str] | None:
    """Return what is decided with a note; None for both to stop, and no decision to go on."""
    while True:
        sys.stderr.write("> ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        answer, _, note = line.strip().partition(" ")
        if not line or answer == "q":
            return None
        if not answer or answer in _LETTERS:
            return _LETTERS.get(answer), note
        warn(_HELP)

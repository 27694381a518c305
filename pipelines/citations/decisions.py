"""What people have decided about the citations of a manuscript, in a file beside it.

The file is JSON Lines, a decision a line, and is only ever appended to. Of each person, the last
decision about a citation counts, so the lines of several files may be put together in any order.
A line has the texts that it is about, so the decision is found again however the rest of the
manuscript changes.
"""

import fcntl
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from dataclasses import dataclass as plain_dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

import numpy as np
import orjson
from pydantic import AfterValidator, Field, StrictStr, TypeAdapter, model_validator
from pydantic.dataclasses import dataclass

from citespan.pipelines.corpus.files import read_utf8
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError, raise_if_machine
from citespan.pipelines.validation import KnownKeys, validate_json

Judgement = Literal["right", "wrong", "to do"]
State = Literal["right", "wrong", "to do", "undecided", "changed", "disputed"]
Part = Literal["clause", "reference", "evidence"]

JUDGEMENTS: Final[tuple[Judgement, ...]] = get_args(Judgement)
STATES: Final[tuple[State, ...]] = get_args(State)
SETTLED: Final[tuple[State, ...]] = ("right", "wrong")
ENDING = ".decisions.jsonl"
"""What the name of a manuscript's file of decisions ends in, behind that of the manuscript."""
LONGEST_NOTE, LONGEST_NAME = 2000, 100
MOST_DECISIONS = 5000
LEFT_OUT = "it is left out"
_LONGEST_TEXT = 2000
_MOST_BYTES = 20_000_000
_MOST_WORDS = 60
_NEAR = 0.5
_SHOWN = 20


@plain_dataclass(frozen=True, slots=True)
class Subject:
    """What a decision is about, as far as it is kept.

    Attributes:
        clause: what the citation says, without its markers.
        reference: the cited reference in words, without its number.
        status, article, passage: what the check has found for it: the status, the id of the cited
            article, and the best passage.
    """

    clause: str
    reference: str
    status: str = ""
    article: str = ""
    passage: str = ""

    @property
    def key(self) -> str:
        """What names a citation as long as it says the same of the same reference."""
        return make_key(self.clause, self.reference)


def make_subject(
    clause: str, reference: str, status: str = "", article: str = "", passage: str = ""
) -> Subject:
    """Return what a decision is about, of texts of any length."""
    texts = (collapse_space(text)[:_LONGEST_TEXT].strip() for text in (clause, reference, passage))
    clause, reference, passage = texts
    return Subject(clause, reference, status, article, passage)


def make_key(clause: str, reference: str) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of both texts."""
    return sha256(f"{clause}\0{reference}".encode()).hexdigest()[:16]


def _read_time(value: str) -> str:
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        time = None
    if time is None or time.tzinfo is None:
        raise ValueError("no time with a time zone; write it as 2026-01-31T12:00:00Z")
    return time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _clean(text: str) -> str:
    return collapse_space("".join(c if c.isprintable() else " " for c in text))


_Text = Annotated[StrictStr, Field(max_length=_LONGEST_TEXT)]


@dataclass(frozen=True)
class Decision(KnownKeys):
    """What a person has decided about a citation; a line of the file.

    Attributes:
        citation: the key of its subject.
        by: the name of the person.
        at: when, in UTC, as ISO 8601 writes it.
        clause, reference, status, article, passage: of its subject.
    """

    citation: StrictStr
    decision: Judgement
    by: Annotated[StrictStr, AfterValidator(_clean), Field(min_length=1, max_length=LONGEST_NAME)]
    at: Annotated[StrictStr, AfterValidator(_read_time)]
    clause: _Text
    reference: _Text
    status: Annotated[StrictStr, Field(max_length=100)] = ""
    article: Annotated[StrictStr, Field(max_length=1000)] = ""
    passage: _Text = ""
    note: Annotated[StrictStr, AfterValidator(_clean), Field(max_length=LONGEST_NOTE)] = ""

    @model_validator(mode="after")
    def _is_about_its_texts(self) -> "Decision":
        if self.citation != make_key(self.clause, self.reference):
            raise ValueError("citation is not the key of this clause and reference")
        return self

    @property
    def subject(self) -> Subject:
        """What it is about."""
        return Subject(self.clause, self.reference, self.status, self.article, self.passage)

    def to_line(self) -> bytes:
        """Return its line of the file."""
        return orjson.dumps(asdict(self)) + b"\n"


def decide(
    subject: Subject, judgement: Judgement, by: str, note: str = "", at: str | None = None
) -> Decision:
    """Return a decision that is made now, or at another time.

    Raises:
        InputError: if name or note is too long, or the name is empty.
    """
    time = at or datetime.now(UTC).isoformat()
    said = {"citation": subject.key, "decision": judgement, "by": by, "at": time, "note": note}
    data = orjson.dumps(asdict(subject) | said)
    return validate_json(_LINE, data, "decision", "one that can be kept", "correct it")


_LINE: TypeAdapter[Decision] = TypeAdapter(Decision)


def name_file(manuscript: str | Path) -> Path:
    """Return where the decisions about a manuscript are kept: beside it."""
    return Path(f"{manuscript}{ENDING}")


def read_decisions(
    path: Path, source: str = "", remedy: str = LEFT_OUT
) -> tuple[list[Decision], list[str]]:
    """Return the decisions of a file, and a line for each line of it that is none.

    Args:
        source: what the file is called there; "" for its path.
        remedy: what is said of such a line.

    Raises:
        InputError: if the file can't be read.
    """
    try:
        text = read_utf8(path, _MOST_BYTES)
    except InputError as error:
        raise InputError(f"{source or path}: {error}") from error
    return parse_decisions(text, source or str(path), remedy)


def parse_decisions(
    text: str, source: str, remedy: str = LEFT_OUT
) -> tuple[list[Decision], list[str]]:
    """Return the decisions of the text of a file as `read_decisions` does."""
    decisions, problems = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            data, place = line.strip().encode(), f"{source}:{number}"
            found = validate_json(_LINE, data, place, "a decision", remedy)
        except InputError as error:
            problems.append(str(error))
            continue
        decisions.append(found)
    return decisions, problems


def append_decisions(path: Path, decisions: Iterable[Decision]) -> None:
    """Add lines to a file, whoever else does so at the same time. A new file can be read by its
    owner alone.

    Raises:
        InputError: if it can't be written.
        MachineError: if this machine has no room for it.
    """
    lines = b"".join(decision.to_line() for decision in decisions)
    try:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        with os.fdopen(os.open(path, flags, 0o600), "r+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = file.seek(0, os.SEEK_END)
            if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
                lines = b"\n" + lines  # an editor has left the last line without its end
            file.write(lines)
            os.fsync(file.fileno())
    except OSError as error:
        raise_if_machine(error)
        raise InputError(
            f"{path}: decisions can't be kept there: {error.strerror}; choose another place"
        ) from error


def merge_decisions(*files: Iterable[Decision]) -> list[Decision]:
    """Return the decisions of several files, each once, in the order of their times."""
    return sorted({decision for file in files for decision in file}, key=_order)


def _order(decision: Decision) -> tuple[str, bytes]:
    return decision.at, decision.to_line()


def find_conflicts(decisions: Iterable[Decision]) -> list[tuple[Decision, ...]]:
    """Return, for each citation about which people have decided otherwise, the last decision of
    each, by name."""
    found = []
    for of_person in _group_last(decisions).values():
        last = tuple(of_person[by] for by in sorted(of_person))
        if len({decision.decision for decision in last}) > 1:
            found.append(last)
    return found


def _group_last(decisions: Iterable[Decision]) -> dict[str, dict[str, Decision]]:
    """Return the last decision of each person, by the citation's key and the person's name."""
    last: dict[str, dict[str, Decision]] = defaultdict(dict)
    for decision in sorted(decisions, key=_order):
        last[decision.citation][decision.by] = decision
    return last


@plain_dataclass(frozen=True, slots=True)
class Decided:
    """The last decision of a person about a citation.

    Attributes:
        changed: which of its texts are others now than when it was made.
    """

    decision: Decision
    changed: tuple[Part, ...] = ()

    def __str__(self) -> str:
        decision = self.decision
        verb = "has" if len(self.changed) == 1 else "have"
        parts = " and the ".join(self.changed)
        since = f" (the {parts} {verb} changed since)" if parts else ""
        note = f": {decision.note}" if decision.note else ""
        return f"{decision.decision}, {decision.by}, {decision.at[:10]}{since}{note}"

    def to_json(self) -> dict[str, Any]:
        """Return it as `citespan check --json` does."""
        said = {name: getattr(self.decision, name) for name in ("decision", "note", "by", "at")}
        return said | {"changed": list(self.changed)}


@plain_dataclass(frozen=True, slots=True)
class Matched:
    """The decisions about the citations of a manuscript.

    Attributes:
        decided: by the citation's id, the last decision of each person, by name.
        states: what they come to, by the id of each citation.
        gone: those that no citation of the manuscript is near to.
        problems: a line for each line of their file that is no decision.
    """

    decided: Mapping[str, tuple[Decided, ...]]
    states: Mapping[str, State]
    gone: tuple[Decision, ...] = ()
    problems: tuple[str, ...] = ()

    def find(self, citation: str) -> tuple[Decided, ...]:
        """Return the last decision of each person about a citation."""
        return self.decided.get(citation, ())

    def describe_left(self) -> Iterator[str]:
        """Yield lines that say what is decided about citations, and what is left."""
        counted = Counter(self.states.values())
        said = ", ".join(f"{counted[state]:,} {state}" for state in STATES if counted[state])
        yield f"Decisions: {said or 'none'}"
        left = [name for name, state in self.states.items() if state not in SETTLED]
        if left:
            more = len(left) - _SHOWN
            others = f" and {more:,} more" if more > 0 else ""
            yield f"Left to decide: {', '.join(left[:_SHOWN])}{others}"
        if self.gone:
            gone = format_count(len(self.gone), "decision")
            verb = "is" if len(self.gone) == 1 else "are"
            yield f"{gone} {verb} about what the manuscript no longer says"


def match_decisions(
    subjects: Mapping[str, Subject], decisions: Iterable[Decision], problems: Iterable[str] = ()
) -> Matched:
    """Return which citations decisions are about.

    A decision is about the citations of its key. If none is left, it is about the one of the same
    reference that says most nearly the same, or else of one that says the same of another
    reference, unless the same person has decided about that later.

    Args:
        subjects: of the citations, by their ids.
        problems: what is returned with them.
    """
    near = _Near(subjects)
    persons: dict[str, dict[str, Decision]] = defaultdict(dict)
    for key, of_person in _group_last(decisions).items():
        for by, decision in of_person.items():
            persons[by][key] = decision
    decided: dict[str, list[Decided]] = defaultdict(list)
    gone: list[Decision] = []
    for by in sorted(persons):
        last: dict[str, Decision] = {}
        moved: list[tuple[str, Decision]] = []
        for key, decision in persons[by].items():
            for citation in near.by_key.get(key, ()):
                last[citation] = decision
            if key not in near.by_key:
                found = near.find(decision.subject)
                moved += [(found, decision)] if found is not None else []
                gone += [decision] if found is None else []
        for citation, decision in moved:
            if citation not in last or _order(last[citation]) < _order(decision):
                last[citation] = decision
        for citation, decision in last.items():
            changed = _compare(decision.subject, subjects[citation])
            decided[citation].append(Decided(decision, changed))
    in_order = {citation: tuple(decided[citation]) for citation in subjects if citation in decided}
    states = {citation: settle(in_order.get(citation, ())) for citation in subjects}
    return Matched(in_order, states, tuple(gone), tuple(problems))


class _Near:
    """Finds citations by what they say and cite."""

    def __init__(self, subjects: Mapping[str, Subject]) -> None:
        self.by_key: dict[str, list[str]] = defaultdict(list)
        clauses: dict[str, list[tuple[str, str]]] = defaultdict(list)
        references: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for name, subject in subjects.items():
            self.by_key[subject.key].append(name)
            clauses[subject.reference].append((name, subject.clause))
            references[subject.clause].append((name, subject.reference))
        self._of_reference = {text: _Texts(named) for text, named in clauses.items()}
        self._of_clause = {text: _Texts(named) for text, named in references.items()}

    def find(self, subject: Subject) -> str | None:
        """Return the nearest citation of the same reference, or else of the same clause."""
        of_reference = self._of_reference.get(subject.reference)
        if of_reference is not None:
            name, likeness = of_reference.find(subject.clause)
            if likeness >= _NEAR:
                return name
        of_clause = self._of_clause.get(subject.clause)
        return None if of_clause is None else of_clause.find(subject.reference)[0]


class _Texts:
    """Texts with names, of which the nearest to another by words is found.

    A file may have thousands of decisions about as many citations, so words are looked up.
    """

    def __init__(self, named: Sequence[tuple[str, str]]) -> None:
        self._names = [name for name, _ in named]
        words = [_find_words(text) for _, text in named]
        self._sizes = np.array([len(each) for each in words])
        places: dict[str, list[int]] = defaultdict(list)
        for place, each in enumerate(words):
            for word in each:
                places[word].append(place)
        self._places = {word: np.array(found) for word, found in places.items()}

    def find(self, text: str) -> tuple[str, float]:
        """Return the name of the nearest, and Dice's coefficient of their words."""
        words = _find_words(text)
        found = [self._places[word] for word in words if word in self._places]
        places = np.concatenate(found) if found else np.array([], dtype=np.int64)
        shared = np.bincount(places, minlength=len(self._names))
        likeness = 2 * shared / np.maximum(1, len(words) + self._sizes)
        best = int(likeness.argmax())
        return self._names[best], float(likeness[best])


def _find_words(text: str) -> frozenset[str]:
    return frozenset(text.lower().split()[:_MOST_WORDS])


def _compare(before: Subject, now: Subject) -> tuple[Part, ...]:
    evidence = [(subject.status, subject.article, subject.passage) for subject in (before, now)]
    parts: dict[Part, bool] = {
        "clause": before.clause != now.clause,
        "reference": before.reference != now.reference,
        "evidence": bool(before.status and now.status) and evidence[0] != evidence[1],
    }
    return tuple(part for part, differs in parts.items() if differs)


def settle(decided: Sequence[Decided]) -> State:
    """Return what the decisions about a citation come to: "changed" if all are about what it was
    before, "disputed" if people have decided otherwise than each other."""
    current = {person.decision.decision for person in decided if not person.changed}
    if not current:
        return "changed" if decided else "undecided"
    return "disputed" if len(current) > 1 else current.pop()


def list_problems(decisions: Matched | None) -> list[dict[str, Any]]:
    """Return a row for each line of a file of decisions that is none, as `citespan check --csv`
    prints it."""
    problems = decisions.problems if decisions is not None else ()
    return [{"status": "no decision", "problem": problem} for problem in problems]


def describe_decided(citation: str, decisions: Matched | None) -> dict[str, Any]:
    """Return what is decided about a citation, as `citespan check --json` prints it."""
    if decisions is None:
        return {"decision": None, "decisions": []}
    decided = [person.to_json() for person in decisions.find(citation)]
    return {"decision": decisions.states[citation], "decisions": decided}


def describe_states(decisions: Matched | None) -> dict[str, Any]:
    """Return the numbers of citations in each state, and of the decisions about none, as `citespan
    check --json` prints them; nothing if nobody was asked."""
    if decisions is None:
        return {}
    counted = Counter(decisions.states.values())
    return {"decided": {state: counted[state] for state in STATES} | {"gone": len(decisions.gone)}}

"""Decisions about citations: kept, found again, merged, and read however the file was edited."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.citations.decisions import (
    JUDGEMENTS,
    Decision,
    Subject,
    append_decisions,
    decide,
    find_conflicts,
    make_subject,
    match_decisions,
    merge_decisions,
    parse_decisions,
    read_decisions,
)
from citespan.pipelines.errors import InputError

CLAUSE = "p53 stops the cell cycle after DNA damage"
SUBJECT = Subject(CLAUSE, "Ito. Arrest. 2001", "found", "PMC7", "It stops.")
OTHER = Subject(
    "insulin moves GLUT4 to the surface of the cell", "Kim. Sugar. 2003", "weak", "PMC8"
)
EARLY, LATE = "2026-01-01T10:00:00Z", "2026-01-02T10:00:00Z"

subjects = st.builds(make_subject, st.sampled_from(["a b c", "a b d", "x"]), st.sampled_from("RS"))
times = st.integers(1, 28).map(lambda day: f"2026-02-{day:02d}T12:00:00+01:00")
decisions = st.builds(
    decide, subjects, st.sampled_from(JUDGEMENTS), st.sampled_from(["Ada", "Bo"]),
    st.text(max_size=20), times,
)  # fmt: skip
files = st.lists(decisions, max_size=8)


def write(some: list[Decision]) -> str:
    return b"".join(decision.to_line() for decision in some).decode()


@given(files, files, files)
def test_files_merge_in_any_order_and_how_often_you_like(
    first: list[Decision], other: list[Decision], third: list[Decision]
) -> None:
    merged = merge_decisions(first, other, third)
    assert merged == merge_decisions(third, merge_decisions(other, first))
    assert merged == merge_decisions(merged, merged)
    assert set(merged) == {*first, *other, *third}


@given(files, files)
def test_files_that_are_put_together_line_by_line_say_what_merged_ones_say(
    first: list[Decision], other: list[Decision]
) -> None:
    together, problems = parse_decisions(write(first) + write(other), "both")
    assert not problems
    about = {"1": make_subject("a b c", "R"), "2": make_subject("a b c d", "S")}
    assert match_decisions(about, together) == match_decisions(about, merge_decisions(other, first))
    assert find_conflicts(together) == find_conflicts(merge_decisions(first, other))


@given(files)
def test_the_last_decision_of_each_person_counts(some: list[Decision]) -> None:
    about = {"1": make_subject("a b c", "R")}
    exact = [decision for decision in some if decision.citation == about["1"].key]
    for decided in match_decisions(about, exact).decided.get("1", ()):
        own = [decision for decision in exact if decision.by == decided.decision.by]
        assert decided.decision.at == max(decision.at for decision in own)


def test_a_decision_is_found_again_when_the_rest_of_the_manuscript_changes() -> None:
    kept = decide(SUBJECT, "right", "Ada", "p. 3")
    matched = match_decisions({"0.1.1": OTHER, "7.2.1": SUBJECT}, [kept])
    [found] = matched.decided["7.2.1"]
    assert (found.decision, found.changed, matched.gone) == (kept, (), ())
    assert "0.1.1" not in matched.decided


@pytest.mark.parametrize(
    ("now", "changed"),
    [
        (Subject(f"{CLAUSE} in mice", "Ito. Arrest. 2001", "found", "PMC7", "It stops."), "clause"),
        (Subject(CLAUSE, "Ito. Arrest. 2002", "found", "PMC7", "It stops."), "reference"),
        (Subject(CLAUSE, "Ito. Arrest. 2001", "weak", "PMC7", "It stops."), "evidence"),
        (Subject(CLAUSE, "Ito. Arrest. 2001", "found", "PMC9", "It stops."), "evidence"),
        (Subject(CLAUSE, "Ito. Arrest. 2001", "found", "PMC7", "It goes on."), "evidence"),
    ],
)
def test_what_has_changed_since_is_named(now: Subject, changed: str) -> None:
    matched = match_decisions({"1": now, "2": OTHER}, [decide(SUBJECT, "right", "Ada")])
    [found] = matched.decided["1"]
    assert found.changed == (changed,)
    assert matched.states["1"] == "changed"
    assert f"the {changed} has changed since" in str(found)


def test_a_decision_about_what_is_no_longer_there_is_gone() -> None:
    matched = match_decisions({"1": OTHER}, [decide(SUBJECT, "right", "Ada")])
    assert (len(matched.decided), len(matched.gone)) == (0, 1)


def test_who_decides_again_after_a_change_has_replaced_the_decision_before() -> None:
    now = Subject(f"{CLAUSE} in mice", SUBJECT.reference)
    both = [decide(SUBJECT, "wrong", "Ada", at=EARLY), decide(now, "right", "Ada", at=LATE)]
    matched = match_decisions({"1": now}, both)
    [found] = matched.decided["1"]
    assert (found.decision.decision, found.changed, matched.gone) == ("right", (), ())


def test_two_people_who_disagree_are_both_named() -> None:
    both = [decide(SUBJECT, "wrong", "Bo", at=LATE), decide(SUBJECT, "right", "Ada", at=EARLY)]
    [[first, second]] = find_conflicts(both)
    assert (first.by, second.by) == ("Ada", "Bo")
    about_more = decide(make_subject("no", "more"), "right", "Ada")
    matched = match_decisions({"1": SUBJECT, "2": OTHER}, [*both, about_more])
    assert matched.states == {"1": "disputed", "2": "undecided"}
    assert not find_conflicts([*both, decide(SUBJECT, "wrong", "Ada")])
    assert [*matched.describe_left()] == [
        "Decisions: 1 undecided, 1 disputed",
        "Left to decide: 1, 2",
        "1 decision is about what the manuscript no longer says",
    ]


def test_two_who_save_at_once_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.md.decisions.jsonl"
    some = [decide(SUBJECT, "right", f"P{number}", "n" * 1500) for number in range(40)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda decision: append_decisions(file, [decision]), some))
    read, problems = read_decisions(file)
    assert not problems
    assert {decision.by for decision in read} == {decision.by for decision in some}
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_mistake_by_hand_is_named_by_its_line_and_the_rest_is_used(tmp_path: Path) -> None:
    file = tmp_path / "a.md.decisions.jsonl"
    good = decide(SUBJECT, "right", "Ada")
    wrong = orjson.loads(good.to_line())
    lines = [
        good.to_line().decode(),
        "{oops\n",
        orjson.dumps(wrong | {"decision": "fine"}).decode() + "\n",
        orjson.dumps(wrong | {"clause": "something else"}).decode() + "\n",
        orjson.dumps(wrong | {"at": "yesterday"}).decode() + "\n",
        orjson.dumps(wrong | {"by": " "}).decode() + "\n",
        orjson.dumps({name: wrong[name] for name in wrong if name != "by"}).decode(),
    ]
    file.write_text("".join(lines))
    append_decisions(file, [decide(OTHER, "wrong", "Bo")])
    read, problems = read_decisions(file)
    assert [decision.by for decision in read] == ["Ada", "Bo"]
    assert [problem.split(": ")[0] for problem in problems] == [
        f"{file}:{line}" for line in range(2, 8)
    ]
    for problem, said in zip(
        problems, ["JSON", "choose from: right, wrong, to do", "key", "time zone", "by", "missing"],
        strict=True,
    ):  # fmt: skip
        assert said in problem


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.jsonl: decisions can't be kept there: No such"):
        append_decisions(tmp_path / "nowhere" / "a.jsonl", [decide(SUBJECT, "right", "Ada")])


@pytest.mark.parametrize("name", ["", " \n", "n" * 101])
def test_a_decision_has_a_name(name: str) -> None:
    with pytest.raises(InputError, match="by"):
        decide(SUBJECT, "right", name)

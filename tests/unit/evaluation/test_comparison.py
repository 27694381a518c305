"""Two runs compared citance by citance, from the files that an experiment leaves."""

from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from made_outcomes import make_outcome, tens, write_run

from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.errors import InputError, UnknownNameError
from citespan.pipelines.evaluation.comparison import (
    check_same_collection,
    compare,
    find_marked_within,
)
from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.run_folder import read_run

F1 = measures["f1"]


def one(name: str, *retrieved: tuple[int, int]) -> Outcome:
    """Sentence 2 is marked."""
    return make_outcome(tens(6), [[(20, 29)]], retrieved, name=name)


BEFORE = [one("gains", (0, 0)), one("loses", (2, 2)), one("stays", (1, 2)), one("slips", (2, 2))]
AFTER = [one("gains", (2, 2)), one("loses"), one("stays", (2, 3)), one("slips", (1, 2))]
COLLECTION = Collection("made:set", {"article": tens(6)}, tuple(o.citance for o in BEFORE), (), 4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", {"old": BEFORE, "new": AFTER})


def test_citances_are_in_the_order_in_which_they_moved(folder: Path) -> None:
    compared = compare(read_run(f"{folder}:old"), read_run(f"{folder}:new"), COLLECTION, F1)
    assert [moved.first.citance.id for moved in compared.differences] == [
        "gains",
        "stays",
        "slips",
        "loses",
    ]
    # F1 of nine characters marked and nineteen retrieved, all nine among them.
    wide = 2 * 9 / (9 + 19)
    assert [moved.difference for moved in compared.differences] == pytest.approx(
        [1, 0, wide - 1, -1]
    )
    assert compared.wins_ties_losses == (1, 1, 2)
    assert compared.values == pytest.approx(((2 + wide) / 4, (1 + 2 * wide) / 4))
    assert [moved.first.citance.id for moved in compared.list_gained(3)] == ["gains"]
    assert [moved.first.citance.id for moved in compared.list_lost(3)] == ["loses", "slips"]
    assert [moved.first.citance.id for moved in compared.list_lost(1)] == ["loses"]
    assert 0 < compared.p_randomisation <= 1
    assert compared.p_value is not None


def test_the_other_way_round_gains_and_losses_change_places(folder: Path) -> None:
    forth = compare(read_run(f"{folder}:old"), read_run(f"{folder}:new"), COLLECTION, F1)
    back = compare(read_run(f"{folder}:new"), read_run(f"{folder}:old"), COLLECTION, F1)
    assert back.wins_ties_losses == forth.wins_ties_losses[::-1]
    assert back.p_value == pytest.approx(forth.p_value)
    assert back.p_randomisation == forth.p_randomisation


def test_a_run_compared_with_itself_moves_nothing(folder: Path) -> None:
    run = read_run(f"{folder}:old")
    compared = compare(run, run, COLLECTION, F1)
    assert compared.wins_ties_losses == (0, 4, 0)
    assert (compared.list_gained(9), compared.list_lost(9)) == ([], [])
    assert (compared.p_value, compared.p_randomisation) == (None, 1)


def test_json_has_texts_with_what_is_marked_in_them(folder: Path) -> None:
    compared = compare(read_run(f"{folder}:old"), read_run(f"{folder}:new"), COLLECTION, F1)
    printed = orjson.loads(orjson.dumps(compared.to_json(1)))
    assert (printed["wins"], printed["ties"], printed["losses"]) == (1, 1, 2)
    assert len(printed["lost"]) == 1
    (gained,) = printed["gained"]
    assert (gained["citance"], gained["first"], gained["second"]) == ("gains", 0, 1)
    assert gained["gold"] == [{"start": 20, "end": 29, "text": "sentencec"}]
    assert [span["text"] for span in gained["first_spans"]] == ["sentencea"]
    assert [span["gold"] for span in gained["first_spans"]] == [[]]
    assert [span["gold"] for span in gained["second_spans"]] == [[[0, 9]]]


def test_marked_characters_are_cut_to_the_span() -> None:
    made = make_outcome(tens(6), [[(5, 12), (20, 25)], [(24, 45)]], [(1, 2)])
    assert find_marked_within(made, made.spans[0]) == ((0, 2), (10, 19))


def test_a_folder_of_one_system_is_a_run(tmp_path: Path) -> None:
    run = read_run(str(write_run(tmp_path / "a:b", {"only": BEFORE})))
    assert (run.system, list(run.retrieved)) == ("only", ["gains", "loses", "stays", "slips"])


def test_citances_of_one_run_alone_are_counted(tmp_path: Path) -> None:
    first = read_run(str(write_run(tmp_path / "first", {"s": BEFORE[:3]})))
    second = read_run(str(write_run(tmp_path / "second", {"s": AFTER[2:]})))
    compared = compare(first, second, COLLECTION, F1)
    assert [moved.first.citance.id for moved in compared.differences] == ["stays"]
    assert (compared.only_first, compared.only_second) == (2, 1)


def test_what_does_not_belong_together_is_named(tmp_path: Path, folder: Path) -> None:
    old = read_run(f"{folder}:old")
    other = read_run(str(write_run(tmp_path / "other", {"s": BEFORE}, collection="made:other")))
    with pytest.raises(InputError, match=r"is on made:set and .* on made:other; compare runs on"):
        check_same_collection(old, other)
    apart = read_run(str(write_run(tmp_path / "apart", {"s": [one("another", (0, 0))]})))
    with pytest.raises(InputError, match="have no citance in common"):
        compare(old, apart, COLLECTION, F1)
    with pytest.raises(InputError, match="'sentence_f1_micro' has no value for a single citance"):
        compare(old, old, COLLECTION, measures["sentence_f1_micro"])


@pytest.mark.parametrize(
    "changed",
    [
        replace(COLLECTION, articles={"article": tens(2)}),
        replace(COLLECTION, articles={}),
        replace(COLLECTION, citances=COLLECTION.citances[1:]),
    ],
)
def test_a_collection_that_has_changed_is_told(folder: Path, changed: Collection) -> None:
    run = read_run(f"{folder}:old")
    with pytest.raises(InputError, match="made:set is not what it was in this run; run the exp"):
        compare(run, run, changed, F1)


def test_a_run_that_cannot_be_read_is_named(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(InputError, match=r"results\.json: can't be read .*; give a folder"):
        read_run(str(tmp_path))
    with pytest.raises(InputError, match=r"write .*run:SYSTEM with one of: old, new"):
        read_run(str(folder))
    with pytest.raises(UnknownNameError, match=r"unknown system of .*run 'x'; choose from: old"):
        read_run(f"{folder}:x")
    (folder / "results.json").write_bytes(b"{")
    with pytest.raises(InputError, match=r"results\.json: not JSON .*; run the experiment again"):
        read_run(f"{folder}:old")
    for broken in (b"[]", b'{"format": 2}', b'{"format": 2, "systems": 7}', b'{"format": "2.0"}'):
        (folder / "results.json").write_bytes(broken)
        with pytest.raises(InputError, match=r"results\.json: not of a run .*experiment again"):
            read_run(f"{folder}:old")
    (folder / "results.json").write_bytes(b'{"systems": []}')
    with pytest.raises(InputError, match="has format 1 of another version of citespan, and this"):
        read_run(f"{folder}:old")


@pytest.mark.parametrize("lost", [0, 1, 5])
def test_a_half_written_run_is_named(folder: Path, lost: int) -> None:
    lines = (folder / "spans.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "spans.jsonl").write_bytes(b"".join(lines[:lost] + lines[lost + 1 :]))
    with pytest.raises(
        InputError, match=r"spans\.jsonl and results\.json don't belong together; run"
    ):
        read_run(f"{folder}:old")


def test_a_run_that_is_written_again_has_no_results_before_its_end(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("citespan.pipelines.evaluation.results.write_spans", fail)
    with pytest.raises(KeyboardInterrupt):
        write_run(folder, {"old": BEFORE})
    with pytest.raises(InputError, match="give a folder that `citespan evaluate run` has written "):
        read_run(f"{folder}:old")

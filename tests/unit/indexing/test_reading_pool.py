"""What the pool says of processes that die: the frames of a process are given, so that each dies
at a chosen place."""

import pickle
from pathlib import Path

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.reading.pool import ReadingPool
from citespan.pipelines.indexing.reading.protocol import Reached, Task
from citespan.pipelines.indexing.reading.unit import Unit

UNIT = Unit("three", "jsonl", Path("three.jsonl"))
READ = [Rejected(f"three.jsonl:{number}", "broken") for number in (1, 2, 3)]
DIES = None


class DyingProcess:
    """Gives the frames of one life after the other."""

    def __init__(self, lives: list[list[object]]) -> None:
        self._lives = [iter(life) for life in lives]
        self.tasks: list[Task] = []

    def next(self) -> bytes | None:
        frame = next(self._lives[0])
        return None if frame is DIES else pickle.dumps(frame)

    def explain(self) -> str:
        return "was killed"

    def restart(self, task: Task) -> None:
        self.tasks.append(task)
        del self._lives[0]


def reached(number: int) -> Reached:
    return Reached(f"three.jsonl:{number}" if number else "")


def read_by(process: DyingProcess) -> list[tuple[str, str]]:
    """Return the source and the reason of all that was found, as `READ` are."""
    with ReadingPool(DocumentSettings((), "sentences"), None, 1) as pool:
        events = pool._read_task(process, Task((UNIT,)))  # type: ignore[arg-type]
        readings = [event.reading for event in events]
    return [
        (reading.source, reading.reason) for reading in readings if isinstance(reading, Rejected)
    ]


def test_a_record_that_was_received_is_not_what_its_process_died_of() -> None:
    first, second, third = ((0, reading) for reading in READ)
    process = DyingProcess(
        [
            [first, DIES],
            [reached(2), second, DIES],
            [reached(0), reached(3), third, reached(0), (0, None)],
        ]
    )
    assert read_by(process) == [(reading.source, "broken") for reading in READ]
    assert [task.units[0].done for task in process.tasks] == [1, 2]


def test_a_process_that_dies_twice_between_two_records_ends_the_unit() -> None:
    first, second, _ = ((0, reading) for reading in READ)
    lives = [[first, DIES], [reached(2), second, reached(0), DIES], [reached(0), DIES]]
    process = DyingProcess([*lives, []])
    *received, last = read_by(process)
    assert received == [(reading.source, "broken") for reading in READ[:2]]
    assert last == ("three.jsonl", "was killed; the 2 records before that are read")


def test_a_record_that_a_process_dies_of_twice_is_quarantined() -> None:
    first, _, third = ((0, reading) for reading in READ)
    process = DyingProcess([[first, DIES], [reached(2), DIES], [reached(3), third, (0, None)]])
    assert read_by(process) == [
        ("three.jsonl:1", "broken"),
        ("three.jsonl:2", "was killed"),
        ("three.jsonl:3", "broken"),
    ]
    assert process.tasks[-1].units[0].lost == {"three.jsonl:2"}

"""Reading in other processes: the order of the units, and processes that die."""

import json
import os
import random
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from made_vocabularies import vocabulary
from small_loads import client, deadly_client, line, run, small_load

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import InputError, MachineError
from citespan.pipelines.indexing.documents.prepared import PreparedArticle
from citespan.pipelines.indexing.documents.settings import DocumentSettings, SynonymSource
from citespan.pipelines.indexing.reading.pool import ReadingPool
from citespan.pipelines.indexing.reading.protocol import Setup
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit import Event
from citespan.pipelines.limits import Limits
from citespan.pipelines.vocabulary.store import open_vocabulary
from citespan.pipelines.vocabulary.store_format import CONCEPTS
from citespan.pipelines.vocabulary.terms import VocabularyTerm


@pytest.fixture
def setup(node: str) -> Setup:
    connect = partial(client, node)
    return Setup(DocumentSettings((), "sentences"), connect, Limits())


def lines(folder: Path, number: int, name: str = "article") -> Path:
    file = folder / f"{number:03}.jsonl"
    articles = [line(f"{name}-{number}-{n}", number % 7 + 1) for n in range(number % 4)]
    file.write_text("\n".join([*articles, "broken"]))
    return file


def seen(events: list[Event]) -> list[str]:
    """What came, in short: the id of an article, the source of an input that is none."""
    found = []
    for event in events:
        match event.reading:
            case PreparedArticle() as article:
                found.append(article.id)
            case Rejected() as rejected:
                found.append(rejected.source)
            case None:
                found.append(f"end of {event.unit.path.name}")
    return found


@pytest.mark.parametrize("processes", [1, 2, 5])
def test_units_come_in_their_order(setup: Setup, tmp_path: Path, processes: int) -> None:
    expected = []
    for number in range(70):
        file = lines(tmp_path, number)
        expected += [f"article-{number}-{n}" for n in range(number % 4)]
        expected += [f"{file}:{number % 4 + 1}", f"end of {file.name}"]
    with ReadingPool(setup.settings, setup.connect, processes) as pool:
        assert seen(list(pool.events(Sources([str(tmp_path)], "jsonl")))) == expected


def test_what_is_done_is_not_read_again(setup: Setup, tmp_path: Path) -> None:
    for number in (2, 3):
        lines(tmp_path, number)
    two, three = Sources([str(tmp_path)], "jsonl")
    units = [replace(two, finished=True, done=3), replace(three, done=2)]
    with ReadingPool(setup.settings, setup.connect, 1) as pool:
        assert seen(list(pool.events(units))) == [
            "end of 002.jsonl",
            "article-3-2",
            f"{tmp_path}/003.jsonl:4",
            "end of 003.jsonl",
        ]


@pytest.mark.parametrize("seed", range(4))
def test_a_process_that_is_killed_is_replaced_and_nothing_is_lost(
    setup: Setup, tmp_path: Path, seed: int
) -> None:
    for number in range(60):
        lines(tmp_path, number)
    units = list(Sources([str(tmp_path)], "jsonl"))
    with ReadingPool(setup.settings, setup.connect, 2) as pool:
        expected = seen(list(pool.events(units)))
    generator = random.Random(seed)
    with ReadingPool(setup.settings, setup.connect, 2) as pool:
        found = []
        for event in pool.events(units):
            found.append(event)
            if generator.random() < 0.02:
                generator.choice(pool._workers)._process.kill()
        remaining = [article for article in seen(found) if article not in set(expected)]
    # one that is killed twice at one place is taken for one that dies of it
    assert all(".jsonl" in source for source in remaining)
    if not remaining:
        assert seen(found) == expected


def test_a_process_that_is_killed_before_it_has_begun_is_started_again(
    setup: Setup, tmp_path: Path
) -> None:
    for number in range(20):
        lines(tmp_path, number)
    units = list(Sources([str(tmp_path)], "jsonl"))
    with ReadingPool(setup.settings, setup.connect, 2) as pool:
        expected = seen(list(pool.events(units)))
    with ReadingPool(setup.settings, setup.connect, 2) as pool:
        pool._workers[0]._process.kill()
        assert seen(list(pool.events(units))) == expected


def test_what_a_process_dies_of_is_quarantined_and_the_rest_goes_on(
    node: str, setup: Setup, tmp_path: Path
) -> None:
    for number in range(40):
        lines(tmp_path, number, "deadly" if number in (10, 11, 30) else "harmless")

    with ReadingPool(setup.settings, partial(deadly_client, node), 2) as pool:
        events = list(pool.events(Sources([str(tmp_path)], "jsonl")))
    quarantined = [
        event.reading.source
        for event in events
        if isinstance(event.reading, Rejected) and "ended its process" in event.reading.reason
    ]
    lost = [(n, place) for n in (10, 11, 30) for place in range(1, n % 4 + 1)]
    assert quarantined == [f"{tmp_path}/{n:03}.jsonl:{place}" for n, place in lost]
    found = seen(events)
    assert f"{tmp_path}/011.jsonl:4" in found, "the line after those"
    assert sum(article.startswith("harmless") for article in found) == sum(
        n % 4 for n in range(40) if n not in (10, 11, 30)
    )
    assert sum(article.startswith("end of") for article in found) == 40


@pytest.mark.parametrize("damaged", [False, True])
def test_a_damaged_vocabulary_is_blamed_and_no_article(
    node: str, setup: Setup, tmp_path: Path, damaged: bool
) -> None:
    folder = tmp_path / "vocabulary"
    vocabulary(folder, [VocabularyTerm("C1", "nuclear receptor", "MSH", "PT", True, ())])
    if damaged:  # such that it can still be opened
        concepts = folder / CONCEPTS
        concepts.write_bytes(concepts.read_bytes().replace(b"nuclear", b"nucleus"))
        open_vocabulary(folder)
    file = lines(tmp_path, 3, "deadly")
    settings = replace(setup.settings, synonym_source=SynonymSource(folder))
    with ReadingPool(settings, partial(deadly_client, node), 1) as pool:
        events = pool.events(Sources([str(file)], "jsonl"))
        if damaged:
            with pytest.raises(MachineError, match=f"{CONCEPTS} does not have its checksum"):
                list(events)
        else:
            places = [f"{file}:{place}" for place in range(1, 5)]
            assert seen(list(events)) == [*places, f"end of {file.name}"]


def test_settings_that_cannot_be_used_are_reported(setup: Setup, tmp_path: Path) -> None:
    lines(tmp_path, 1)
    source = SynonymSource(tmp_path / "nowhere")
    nowhere = replace(setup.settings, synonym_source=source)
    with ReadingPool(nowhere, setup.connect, 1) as pool, pytest.raises(InputError, match="nowhere"):
        list(pool.events(Sources([str(tmp_path)], "jsonl")))


def test_a_load_by_processes_is_the_same_as_one_by_itself(
    node: str, setup: Setup, tmp_path: Path
) -> None:
    for number in range(30):
        lines(tmp_path, number, "both")
    other = run(small_load(node, tmp_path, processes=2), node)
    same = run(small_load(node, tmp_path, processes=0), node)
    assert (other.indexed, other.inputs) == (same.unchanged, same.inputs)
    assert other.quarantined == same.quarantined
    assert other.inputs == len(other.quarantined) + other.indexed


def test_processes_end_with_the_load(setup: Setup, tmp_path: Path) -> None:
    (tmp_path / "many.jsonl").write_text(
        "\n".join(json.dumps({"id": n, "text": "A. " * 999}) for n in range(2000))
    )
    with ReadingPool(setup.settings, setup.connect, 1) as pool:
        next(iter(pool.events(Sources([str(tmp_path)], "jsonl"))))
        number = pool._workers[0]._process.pid
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)

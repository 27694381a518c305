"""Building a store: the same bytes from the same terms, everything counted, nothing half done."""

import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_vocabularies import terms, vocabulary

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.vocabulary import builder
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.rows import MOST_TOKENS
from citespan.pipelines.vocabulary.store import Vocabulary, open_vocabulary
from citespan.pipelines.vocabulary.store_format import VocabularyError
from citespan.pipelines.vocabulary.terms import VocabularyTerm


def term(text: str, cui: str = "C1", source: str = "MSH") -> VocabularyTerm:
    return VocabularyTerm(cui, text, source, "PT", preferred=True)


def contents(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


@settings(deadline=None, max_examples=40)
@given(terms(), st.randoms(use_true_random=False))
def test_the_same_bytes_in_whatever_order_and_pieces(
    some: list[VocabularyTerm], chance: random.Random
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        first, again, shuffled = (Path(scratch) / name for name in ("first", "again", "shuffled"))
        vocabulary(first, some)
        vocabulary(again, some)
        chance.shuffle(some)
        vocabulary(shuffled, some)
        assert contents(first) == contents(again) == contents(shuffled)
        Vocabulary(first).verify()


def test_every_row_is_counted(tmp_path: Path) -> None:
    rows = [
        term("lung cancer"),
        term("lung cancer", source="NCI"),
        term(" lung  cancer\t"),
        term("of the"),
        term("+"),
        term("word " * 500),
        term("word " * MOST_TOKENS),
        term("nobody's", cui=""),
        term("tabbed", source="M\tSH"),
        term("broken", source="MSH\n"),
        term("half a \ud83d character"),
        Rejected("f", "not English", "skipped"),
        Rejected("f", "not English", "skipped"),
        Rejected("f:12", "17 columns in place of 18"),
    ]
    report = build(iter(rows), tmp_path / "store", "1")
    assert (report.rows, report.concepts, report.terms) == (14, 1, 3)
    assert report.sources == {"MSH": 2, "NCI": 1}
    assert report.skipped == {
        "the same term of the same source again": 1,
        "no word to match by": 2,
        f"more than {MOST_TOKENS} words": 1,
        "no concept": 1,
        "a tab or line break in a field": 2,
        "characters that are not Unicode text": 1,
        "not English": 2,
    }
    assert (report.quarantined, report.examples) == (1, rows[-1:])
    assert report.rows == report.terms + report.skipped.total() + report.quarantined


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    told = []
    build(
        [term("a lung"), term("lungs", source="NCI"), term("liver", cui="C2")],
        tmp_path / "store",
        "1",
        progress=lambda stage, done: told.append((stage, done)),
    )
    assert told == [("terms", 3), ("concepts", 3), ("keys", 3)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no term was read"),
        ([term("of")], r"none of 1 rows is left .*\(no word to match by: 1\)"),
        ([Rejected("f:1", "3 columns")], r"none of 1 rows is left .*\(can't be read: 1\)"),
    ],
)
def test_an_empty_vocabulary_is_refused(
    tmp_path: Path, rows: list[VocabularyTerm | Rejected], message: str
) -> None:
    with pytest.raises(VocabularyError, match=message):
        build(rows, tmp_path / "store", "1")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_vocabulary_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(VocabularyError, match="exists and is not a vocabulary; name another place"):
        build([term("lung")], tmp_path, "1")
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_former_store_is_replaced_and_opened_anew(tmp_path: Path) -> None:
    place = tmp_path / "store"
    place.mkdir()
    build([term("lung")], place, "1")
    former = open_vocabulary(place)
    assert open_vocabulary(place) is former
    build([term("liver")], place, "2")
    assert open_vocabulary(place).version == "2"
    assert open_vocabulary(place).concept(0).preferred == "liver"
    assert former.concept(0).preferred == "lung"
    assert list(tmp_path.iterdir()) == [place]


def test_a_reader_that_fails_leaves_the_former_store(tmp_path: Path) -> None:
    def failing() -> Iterator[VocabularyTerm]:
        yield term("liver")
        raise OSError("the disk is gone")

    build([term("lung")], tmp_path / "store", "1")
    with pytest.raises(OSError, match="the disk is gone"):
        build(failing(), tmp_path / "store", "2")
    assert open_vocabulary(tmp_path / "store").version == "1"
    assert [file.name for file in tmp_path.iterdir()] == ["store"]


_ENDLESS = """
import sys, time
from pathlib import Path
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.terms import VocabularyTerm

def endless():
    yield VocabularyTerm("C1", "liver", "MSH", "PT", True)
    print("building", flush=True)
    time.sleep(600)

build(endless(), Path(sys.argv[1]), "2")
"""


@pytest.fixture
def other_build(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", _ENDLESS, str(tmp_path / "store")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"building\n"
        yield process
        process.kill()


def test_two_builds_of_one_store_at_once(
    tmp_path: Path, other_build: subprocess.Popen[bytes]
) -> None:
    with pytest.raises(VocabularyError, match="another build is writing it; wait for it"):
        build([term("lung")], tmp_path / "store", "1")
    assert other_build.poll() is None


def test_a_build_that_is_killed(tmp_path: Path, other_build: subprocess.Popen[bytes]) -> None:
    os.kill(other_build.pid, signal.SIGKILL)
    other_build.wait()
    assert [file.name for file in tmp_path.iterdir()] == [".store.building"]
    with pytest.raises(VocabularyError, match="there is no vocabulary"):
        open_vocabulary(tmp_path / "store")
    build([term("lung")], tmp_path / "store", "1")
    assert [file.name for file in tmp_path.iterdir()] == ["store"]
    open_vocabulary(tmp_path / "store").verify()


def test_synonyms_of_one_concept_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder, "MOST_TERMS", 3)
    report = build([term(f"name {n}") for n in range(5)], tmp_path / "store", "1")
    assert (report.rows, report.terms) == (5, 3)
    assert sum(report.skipped.values()) == 2
    assert any("terms of one concept" in reason for reason in report.skipped)

"""Summaries of CL-SciSumm: odd names and mark-up; nothing dropped in silence."""

from pathlib import Path

import pytest
from made_collections import write_topics
from places import SHARED_DATA

from citespan.pipelines.corpus.reference_summaries import KINDS, read_summaries
from citespan.pipelines.errors import InputError

TRAIN = SHARED_DATA / "scisumm" / "train"


def test_summaries_are_texts_without_mark_up_and_title(tmp_path: Path) -> None:
    found = read_summaries(write_topics(tmp_path, 2))
    assert found.unused == ()
    assert found.texts["T1"] == {
        "abstract": "We ask how lamps are made and sold. We describe a method to sort lamps by "
        "weight. The method sorts lamps with an accuracy of nine in ten.",
        "community": "We describe a method to sort lamps by weight. Our method weighs all lamps "
        "twice and compares both figures. In all the results, sorted lamps were cheaper by half.",
        "human": "The authors sort lamps by weight. Sorted lamps are cheaper by half.",
    }
    assert read_summaries(tmp_path / "T1").texts == {"T1": found.texts["T1"]}


def test_odd_names_are_understood_or_reported(tmp_path: Path) -> None:
    folder = write_topics(tmp_path, 2) / "T0" / "summary"
    (folder / "T0.human.txt").rename(folder / "J0.human")  # misspelt, without an ending
    (folder / "T0.community.xml").rename(folder / "T0.summary.xml")  # only its mark-up says what
    (folder / "T1_abstract.txt").write_text("of another topic")
    (folder / "T0.abstract").write_text("a second one")
    (folder / "T0.combined.summary.txt").write_text("all of them")
    found = read_summaries(tmp_path)
    assert sorted(found.texts["T0"]) == sorted(KINDS)
    assert {Path(rejected.source).name: rejected.reason for rejected in found.unused} == {
        "T1_abstract.txt": "named after topic T1",
        "T0.abstract.txt": "a second abstract summary",
        "T0.combined.summary.txt": "not named as one of human, community, abstract",
    }


def test_an_empty_file_and_no_summaries(tmp_path: Path) -> None:
    folder = write_topics(tmp_path, 1)
    (folder / "T0" / "summary" / "T0.human.txt").write_text("<S sid='0'>Only a title</S>")
    [unused] = read_summaries(folder).unused
    assert unused.reason == "no text"
    with pytest.raises(InputError, match="no summaries there"):
        read_summaries(tmp_path / "nowhere")


@pytest.mark.skipif(not TRAIN.is_dir(), reason=f"{TRAIN} is absent")
def test_every_topic_of_the_training_set_has_each_kind() -> None:
    found = read_summaries(TRAIN)
    assert len(found.texts) == 40
    assert all(sorted(own) == sorted(KINDS) for own in found.texts.values())
    assert len(found.unused) == 14

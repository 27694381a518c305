"""Zone models: trained, written, read again, and refused when they are not sound."""

import json
from pathlib import Path

import pytest
from made_abstracts import abstract_of, made_abstract

from citespan.pipelines.answers.abstract_files import GatheredAbstracts
from citespan.pipelines.answers.zones import model as zone_model
from citespan.pipelines.answers.zones.configuration import CITESPAN, HIROHATA2008
from citespan.pipelines.answers.zones.features import analyse_abstracts, make_items
from citespan.pipelines.corpus.abstract import AbstractPart
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.zones import (
    ZoneFamily,
    count_sentences,
    make_zone_examples,
    train_crf,
)

ABSTRACTS = [made_abstract(number) for number in range(12)]


@pytest.fixture(scope="module")
def crf() -> bytes:
    return train_crf(list(make_zone_examples(ABSTRACTS, CITESPAN)), CITESPAN)


@pytest.fixture
def folder(tmp_path: Path, crf: bytes) -> Path:
    family = ZoneFamily(GatheredAbstracts([]), CITESPAN)
    head, files = family.dump(zone_model.open_model(crf, CITESPAN))
    zone_model.KIND.write(tmp_path / "model", head, "# A card\n", files)
    return tmp_path / "model"


def test_the_same_abstracts_give_the_same_bytes(crf: bytes) -> None:
    assert train_crf(list(make_zone_examples(ABSTRACTS, CITESPAN)), CITESPAN) == crf


def test_a_model_that_was_read_tags_as_it_did(crf: bytes, folder: Path) -> None:
    read = zone_model.load_model(folder)
    assert read.configuration == CITESPAN
    (analysis,) = analyse_abstracts([made_abstract(33, labels=False)], CITESPAN)
    features = make_items(analysis, CITESPAN)
    found = read.tag(features)
    assert found == zone_model.open_model(crf, CITESPAN).tag(features)
    assert [zone for zone, _ in found] == [
        *("Introduction", "Introduction", "Methods", "Methods"),
        *("Results", "Results", "Conclusions", "Conclusions"),
    ]
    assert all(0.25 < probability <= 1 for _, probability in found)


def test_nothing_is_tagged_as_nothing(folder: Path) -> None:
    assert zone_model.load_model(folder).tag([]) == []


def test_a_sequence_is_cut_where_a_section_has_no_zone() -> None:
    abstract = abstract_of(
        [
            AbstractPart("AIM", "Mice eat. They sleep."),
            AbstractPart("METHODS AND RESULTS", "They were fed. They grew."),
            AbstractPart("CONCLUSION", "Corn helps."),
        ]
    )
    (example,) = make_zone_examples([abstract], HIROHATA2008)
    assert [zones for _, zones in example.runs] == [
        ["Introduction", "Introduction"],
        ["Conclusions"],
    ]
    assert len(example.items) == 5
    first, last = example.runs[0][0].items()[1], example.runs[1][0].items()[0]
    assert "n:they were" in first, "features still see the sentence that is left out"
    assert "l:9" in last
    assert count_sentences([example]) == {"Introduction": 2, "mixed": 2, "Conclusions": 1}


def test_without_labels_there_is_nothing_to_train_on() -> None:
    with pytest.raises(InputError, match="no abstract with a section"):
        train_crf(list(make_zone_examples([made_abstract(0, labels=False)], CITESPAN)), CITESPAN)


def test_a_model_of_another_version(folder: Path) -> None:
    head = json.loads((folder / zone_model.KIND.head).read_text())
    (folder / zone_model.KIND.head).write_text(json.dumps(head | {"version": 99}))
    with pytest.raises(InputError, match="version 99, this citespan reads version 1"):
        zone_model.load_model(folder)


def test_a_model_with_features_of_another_version(folder: Path) -> None:
    head = json.loads((folder / zone_model.KIND.head).read_text())
    head["configuration"]["features"].append("moon")
    (folder / zone_model.KIND.head).write_text(json.dumps(head))
    with pytest.raises(InputError, match="unknown features: moon"):
        zone_model.load_model(folder)


@pytest.mark.parametrize("change", [{"c9": 1.0}, {"features": None}])
def test_a_head_without_a_sound_configuration(folder: Path, change: dict[str, object]) -> None:
    head = json.loads((folder / zone_model.KIND.head).read_text())
    head["configuration"] |= change
    (folder / zone_model.KIND.head).write_text(json.dumps(head))
    with pytest.raises(InputError, match="no configuration of a zone model"):
        zone_model.load_model(folder)


def test_a_damaged_model_never_reaches_crfsuite(folder: Path) -> None:
    data = (folder / zone_model.CRF).read_bytes()
    (folder / zone_model.CRF).write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match="not the file that"):
        zone_model.load_model(folder)


def test_a_head_that_is_not_json(folder: Path) -> None:
    (folder / zone_model.KIND.head).write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        zone_model.load_model(folder)


def test_no_model_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no zone model"):
        zone_model.load_model(tmp_path)

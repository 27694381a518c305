"""Abstracts with the zone of each sentence."""

import json
from pathlib import Path

import pytest
from made_abstracts import abstract_of, made_abstract, made_parts, made_pubmedqa

from citespan.pipelines.answers.abstract_files import gather, read_abstracts
from citespan.pipelines.answers.indexed_abstracts import read_abstract
from citespan.pipelines.answers.zones import model as zone_model
from citespan.pipelines.answers.zones.configuration import HIROHATA2008
from citespan.pipelines.answers.zones.model import ZoneModel
from citespan.pipelines.answers.zones.zoning import assign_zones
from citespan.pipelines.corpus.abstract import Abstract, AbstractPart
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.documents.abstract_document import build_document, split_abstract
from citespan.pipelines.text.splitter import DEFAULT, splitters
from citespan.pipelines.training.zones import make_zone_examples, train_crf


@pytest.fixture(scope="module")
def model() -> ZoneModel:
    made = [made_abstract(number) for number in range(12)]
    return zone_model.open_model(
        train_crf(list(make_zone_examples(made, HIROHATA2008)), HIROHATA2008), HIROHATA2008
    )


def test_labels_say_the_zone_where_there_are_labels(model: ZoneModel) -> None:
    ((abstract, found),) = assign_zones([made_abstract(20)], model)
    assert {s.by for s in found} == {"label"}
    assert {s.probability for s in found} == {1.0}
    assert all(abstract.text[s.start : s.end] == s.text for s in found)
    assert found[0].zone == "Introduction"
    assert found[-1].zone == "Conclusions"


def test_the_model_says_the_others(model: ZoneModel) -> None:
    parts = [AbstractPart(label, text) for label, text in made_parts(21)]
    parts[1:3] = [AbstractPart("METHODS AND RESULTS", f"{parts[1].text} {parts[2].text}")]
    ((_, found),) = assign_zones([abstract_of(parts, title="Does it help?")], model)
    assert [s.by for s in found] == [*["label"] * 2, *["model"] * 4, *["label"] * 2]
    assert [s.zone for s in found[2:6]] == ["Methods", "Methods", "Results", "Results"]
    assert all(s.probability < 1 for s in found[2:6])


def test_labels_can_be_passed_over(model: ZoneModel) -> None:
    ((_, found),) = assign_zones([made_abstract(20)], model, labels=False)
    assert {s.by for s in found} == {"model"}


def test_an_unstructured_abstract(model: ZoneModel) -> None:
    ((_, found),) = assign_zones([made_abstract(20, labels=False)], model)
    assert [s.zone for s in found] == [
        *("Introduction", "Introduction", "Methods", "Methods"),
        *("Results", "Results", "Conclusions", "Conclusions"),
    ]


def test_one_sentence_without_title(model: ZoneModel) -> None:
    ((_, found),) = assign_zones([abstract_of([AbstractPart("", "We saw mice")])], model)
    assert [s.text for s in found] == ["We saw mice"]


def test_abstracts_come_in_order_and_as_they_are_asked_for(model: ZoneModel) -> None:
    taken = []

    def endless():  # type: ignore[no-untyped-def]
        number = 0
        while True:
            taken.append(number)
            yield made_abstract(number, labels=False)
            number += 1

    found = assign_zones(endless(), model)
    assert [next(found)[0].id for _ in range(3)] == ["1", "2", "3"]
    assert len(taken) < 1000


def test_the_shipped_model_zones_what_it_has_not_seen() -> None:
    right = total = 0
    for number in range(5):
        ((_, gold),) = assign_zones([made_abstract(number)])
        ((_, found),) = assign_zones([made_abstract(number, labels=False)])
        right += sum(g.zone == f.zone for g, f in zip(gold, found, strict=True))
        total += len(gold)
    assert right / total > 0.85


def test_an_indexed_abstract_comes_back_as_it_was(model: ZoneModel) -> None:
    abstract = made_abstract(7)
    sentences = split_abstract(abstract, splitters[DEFAULT])
    back = read_abstract(build_document(abstract, sentences, "hash"))
    assert (back.text, back.title, back.sections) == (
        *(abstract.text, abstract.title, abstract.sections),
    )
    (first, other) = assign_zones([back, abstract], model)
    assert first[1] == other[1]


def test_plain_text_with_a_title_and_labels(tmp_path: Path) -> None:
    file = tmp_path / "12.txt"
    file.write_text("Does corn help\n\nAIM: We fed the mice.\n\nRESULTS: They grew.\n")
    (abstract,) = read_abstracts(file)
    assert isinstance(abstract, Abstract)
    assert (abstract.id, abstract.title) == ("12", "Does corn help")
    assert [s.title for s in abstract.sections] == ["", "AIM", "RESULTS"]


def test_plain_text_without_a_title(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("We fed the mice.\nThey grew.\n")
    (abstract,) = read_abstracts(file)
    assert isinstance(abstract, Abstract)
    assert (abstract.title, abstract.text) == ("", "We fed the mice. They grew.")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no text"),
        (
            "Die Mäuse wurden mit Mais gefüttert und in großen Käfigen gehalten, bis sie nach "
            "vielen Wochen endlich größer waren.",
            "not in English",
        ),
    ],
)
def test_plain_text_that_is_no_abstract(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    (reading,) = read_abstracts(tmp_path / "a.txt")
    assert isinstance(reading, Rejected)
    assert reading.outcome == "skipped"
    assert reason in reading.reason


def test_a_format_without_abstracts(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<article/>")
    with pytest.raises(InputError, match="jats holds no abstracts; those that do are medline"):
        list(read_abstracts(tmp_path / "a.xml", "jats"))


def test_the_last_record_of_a_pmid_counts(tmp_path: Path) -> None:
    records = made_pubmedqa(2)
    for name, title in (("a.json", "First?"), ("b.json", "Second?")):
        records["1"]["QUESTION"] = title
        (tmp_path / name).write_text(json.dumps(records))
    (tmp_path / "c.json").write_text(json.dumps({"x": {"QUESTION": "?"}}))
    found = gather([tmp_path], "pubmedqa")
    assert [a.title for a in found.abstracts if a.id == "1"] == ["Second?"]
    assert (len(found.abstracts), found.replaced, len(found.rejected)) == (2, 2, 1)

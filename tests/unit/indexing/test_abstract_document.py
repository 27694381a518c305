"""An abstract's document: its fields, its sentences with zones, and its hash."""

from dataclasses import replace
from typing import Any

import pytest
from places import TEST_DATA

from citespan.es_mappings import abstracts
from citespan.pipelines.corpus.abstract import Abstract, Deletion
from citespan.pipelines.corpus.notices import Notice
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.readers.medline import MedlineReader
from citespan.pipelines.corpus.readers.pubmedqa import PubmedqaReader
from citespan.pipelines.indexing.documents.abstract_document import (
    build_document,
    build_tombstone,
    hash_abstract,
    needs_zones,
    split_abstract,
)
from citespan.pipelines.text.splitter import splitters

DATA = TEST_DATA / "readers"
PUNKT = splitters["punkt"]


@pytest.fixture
def abstract() -> Abstract:
    found = next(iter(MedlineReader().abstracts(DATA / "medline/citations.xml")))
    assert isinstance(found, Abstract)
    return found


def made(abstract: Abstract) -> dict[str, Any]:
    return build_document(abstract, split_abstract(abstract, PUNKT), "hash")


def test_sentences_are_the_abstract_s_with_the_zone_of_their_label(abstract: Abstract) -> None:
    body = made(abstract)
    shown = [(abstract.text[s["start"] : s["end"]], s.get("zone")) for s in body["sentences"]]
    assert shown[0] == ("Walking is cheap.", "Introduction")
    assert [zone for _, zone in shown] == [
        "Introduction",
        "Introduction",
        "Methods",
        "Results",
        "Results",
        "Conclusions",
    ]
    assert {s["zone_from"] for s in body["sentences"]} == {"label"}


def test_a_sentence_of_a_mixed_or_unknown_section_has_no_zone() -> None:
    first, second = PubmedqaReader().abstracts(DATA / "pubmedqa/questions.json")
    assert isinstance(first, Abstract)
    assert isinstance(second, Abstract)
    zones = [s.get("zone") for s in made(first)["sentences"]]
    assert zones == ["Introduction", "Introduction", None, "Results", "Conclusions"]
    assert [set(s) for s in made(second)["sentences"]] == [
        {"start", "end"},
        {"start", "end", "zone", "zone_from"},
    ]


def test_an_abstract_without_title_has_all_its_sentences(abstract: Abstract) -> None:
    text = "Mice sleep. Rats do not."
    sections = (replace(abstract.sections[1], start=0, end=len(text)),)
    untitled = replace(abstract, title="", text=text, sections=sections)
    assert len(made(untitled)["sentences"]) == 2
    assert "title" not in made(untitled)


def test_every_field_is_in_the_mapping(abstract: Abstract) -> None:
    unlabelled = replace(abstract.sections[1], title="", category="")
    sections = (abstract.sections[0], unlabelled, *abstract.sections[2:])
    full = replace(
        abstract,
        sections=sections,
        other_abstracts=(("fre", "Le sommeil."),),
        version=3,
        publication=Publication(
            authors=("Ito, K.",),
            journal="Sleep",
            pmid=abstract.id,
            pmcid="PMC1",
            doi="10.9999/sleep",
            notices=(Notice("retracted", "pmid:9"),),
            notice="corrected",
            notice_of=("pmid:8",),
        ),
    )
    sentences = split_abstract(full, PUNKT)
    body = build_document(full, sentences, "hash", [("Methods", 0.5)] * len(sentences), "a model")
    tombstone = build_tombstone(Deletion("1", "a.xml"), body)
    written = {"unit", "article"}  # by what writes it; as another name of the PMID
    assert body.keys() | tombstone.keys() | written == set(abstracts.mapping()["properties"])
    inner = abstracts.mapping()["properties"]["sentences"]["properties"]
    assert {key for s in body["sentences"] for key in s} == set(inner)


def test_a_predicted_zone_stands_where_no_label_says_one() -> None:
    first, _ = PubmedqaReader().abstracts(DATA / "pubmedqa/questions.json")
    assert isinstance(first, Abstract)
    assert needs_zones(first)
    sentences = split_abstract(first, PUNKT)
    body = build_document(
        first, sentences, "hash", [("Methods", 0.123456)] * len(sentences), "a model"
    )
    assert [(s["zone"], s["zone_from"], s.get("probability")) for s in body["sentences"]] == [
        ("Introduction", "label", None),
        ("Introduction", "label", None),
        ("Methods", "model", 0.1235),
        ("Results", "label", None),
        ("Conclusions", "label", None),
    ]
    assert body["zoned_by"] == "a model"


def test_the_hash_changes_with_all_that_is_indexed_and_nothing_else(abstract: Abstract) -> None:
    same = hash_abstract(abstract, PUNKT)
    assert hash_abstract(replace(abstract, source="elsewhere"), PUNKT) == same
    sections = (*abstract.sections[:-1], replace(abstract.sections[-1], category="RESULTS"))
    changed = [
        replace(abstract, title="x"),
        replace(abstract, text=abstract.text + " "),
        replace(abstract, sections=sections),
        replace(abstract, year=None),
        replace(abstract, mesh=()),
        replace(abstract, version=2),
        replace(abstract, revised=""),
        replace(abstract, languages=()),
        replace(abstract, publication_types=()),
        replace(abstract, also_known_as=()),
        replace(abstract, other_abstracts=(("fre", "x"),)),
    ]
    hashes = {hash_abstract(abstract, PUNKT) for abstract in changed}
    assert len(hashes) == len(changed)
    assert same not in hashes
    assert hash_abstract(abstract, splitters["punkt-plain"]) != same
    assert hash_abstract(abstract, PUNKT, "a model") not in {same, *hashes}

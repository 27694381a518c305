"""Abstracts as articles: their entries, and their sentences."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_abstracts import abstract_of

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.corpus.abstract import AbstractPart
from citespan.pipelines.indexing.documents.abstract_document import build_document, split_abstract
from citespan.pipelines.store.abstracts import divide_document, is_abstract, make_entry
from citespan.pipelines.store.layout import ABSTRACTS, layout_of, layouts
from citespan.pipelines.text.splitter import splitters

PUNKT = splitters["punkt"]
SENTENCE = st.sampled_from(
    ["Mice sleep longer than rats.", "It was so!", "We used 4.5 mg/kg (i.v.) of it.", "Why not?"]
)
PARTS = st.lists(
    st.tuples(st.sampled_from(["", "RESULTS", "Aim & scope"]), st.lists(SENTENCE, min_size=1)),
    min_size=1,
    max_size=4,
)


@given(PARTS, st.sampled_from(["", "Sleep of mice.", "Do mice sleep? They do."]))
def test_offsets_and_texts_are_those_of_the_abstract(
    written: Sequence[tuple[str, Sequence[str]]], title: str
) -> None:
    parts = [AbstractPart(label, " ".join(sentences)) for label, sentences in written]
    abstract = abstract_of(parts, title=title)
    document = build_document(abstract, split_abstract(abstract, PUNKT), "hash")
    sentences = divide_document(document)
    assert "".join(str(sentence["text"]) for sentence in sentences.values()) == abstract.text
    for sentence in sentences.values():
        assert str(sentence["text"]).rstrip() == abstract.text[sentence["start"] : sentence["end"]]
        assert sentence["section"].split(" / ")[0] in ("Title", "Abstract")
    labels = {label for label, _ in written if label}
    named = {sentence["section"].partition(" / ")[2] for sentence in sentences.values()}
    assert named - {""} == labels

    entry = make_entry(document)
    assert (entry.sentences, entry.characters) == (len(sentences), len(abstract.text))
    assert (entry.article, entry.edition, entry.citations) == ("1", "hash", 0)


def test_an_abstract_has_a_layout_that_no_article_is_loaded_into() -> None:
    abstract = abstract_of([AbstractPart("", "Mice sleep.")])
    entry = make_entry(build_document(abstract, split_abstract(abstract, PUNKT), "hash"))
    assert is_abstract(entry)
    assert layout_of(entry) is ABSTRACTS
    assert ABSTRACTS.name not in layouts.names()
    assert not is_abstract(ArticleEntry(layout="spans"))  # type: ignore[call-arg]


@pytest.mark.parametrize("part", ["reader", "searcher"])
def test_the_layout_of_abstracts_has_the_parts_that_searches_need(part: str) -> None:
    assert getattr(ABSTRACTS, part).__doc__

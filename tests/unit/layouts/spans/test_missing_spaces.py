"""Sentences that meet are indexed apart, and shown as they stand."""

from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.layouts.spans.missing_spaces import (
    find_missing_spaces,
    insert_spaces,
    restore_offset,
    restore_text,
)


@given(st.lists(st.tuples(st.sampled_from(["ab.", "Cd", "x"]), st.sampled_from(["", " "]))))
def test_any_span_comes_back_as_it_stands(parts: list[tuple[str, str]]) -> None:
    text, sentences = "", []
    for sentence, space in parts:
        sentences.append(Sentence(len(text), len(text) + len(sentence)))
        text += sentence + space
    places = find_missing_spaces(sentences)
    for first, opening in enumerate(sentences):
        for other in sentences[first:]:
            indexed, inside = insert_spaces(text, opening.start, other.end, places)
            source = {"text": indexed, "joints": inside}
            shown = text[opening.start : other.end]
            assert restore_text(source) == shown
            between = [s for s in sentences if opening.start <= s.start <= other.start]
            assert len(indexed.split()) == len(between)
            for offset, character in enumerate(indexed):
                if offset not in inside:
                    assert shown[restore_offset(offset, source)] == character


def test_nothing_is_added_where_there_is_a_space() -> None:
    assert insert_spaces("A b. C", 0, 6, find_missing_spaces([Sentence(0, 4), Sentence(5, 6)])) == (
        "A b. C",
        [],
    )

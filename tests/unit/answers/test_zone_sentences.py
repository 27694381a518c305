"""The sentences of abstracts with the zones of their labels."""

from hypothesis import given
from hypothesis import strategies as st
from made_abstracts import abstract_of, made_abstract

from citespan.pipelines.answers.zones.sentences import hide_sections, split_and_label
from citespan.pipelines.corpus.abstract import AbstractPart

_WORDS = ("the", "mice", "of", "Dr.", "p53", "were.", "fed?", "(Fig. 1)", "12.5", "β", "—", "and")
_TEXT = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=9).map(
    lambda words: "We saw the mice. " + " ".join(words)
)


def test_sentences_have_the_zone_of_their_section() -> None:
    abstract = made_abstract(3)
    found = split_and_label(abstract)
    assert [s.label for s in found] == [
        *("Introduction", "Introduction", "Methods", "Methods"),
        *("Results", "Results", "Conclusions", "Conclusions"),
    ]
    assert found[0].text.startswith("Many patients with eczema")
    assert all(abstract.text[s.start : s.end] == s.text for s in found)


def test_the_title_is_no_sentence_of_the_abstract() -> None:
    abstract = abstract_of([AbstractPart("", "Mice ate.")], title="What do mice eat?")
    assert [s.text for s in split_and_label(abstract)] == ["Mice ate."]


def test_nlms_category_decides_over_an_unknown_label() -> None:
    abstract = abstract_of([AbstractPart("WHAT WE DID", "Mice ate.", "METHODS")])
    assert [s.label for s in split_and_label(abstract)] == ["Methods"]


def test_a_mixed_section_and_an_unknown_one_have_no_label() -> None:
    abstract = abstract_of(
        [
            AbstractPart("METHODS AND RESULTS", "Mice ate."),
            AbstractPart("WEATHER", "It rained."),
            AbstractPart("RESULTS", "They grew."),
        ]
    )
    found = split_and_label(abstract)
    assert [s.section for s in found] == ["mixed", "unmapped", "Results"]
    assert [s.label for s in found] == [None, None, "Results"]


def test_hidden_sections_keep_all_offsets() -> None:
    abstract = made_abstract(4)
    hidden = hide_sections(abstract)
    assert not hidden.structured
    assert (len(hidden.text), hidden.start) == (len(abstract.text), abstract.start)
    seen = split_and_label(hidden)
    assert [(s.start, s.end) for s in seen] == [(s.start, s.end) for s in split_and_label(abstract)]
    assert {s.section for s in seen} == {"unmapped"}


def test_a_section_that_does_not_end_in_a_full_stop_is_glued_to_the_next() -> None:
    abstract = abstract_of(
        [AbstractPart("SETTING", "A hospital in town"), AbstractPart("RESULTS", "they grew.")]
    )
    assert len(split_and_label(abstract)) == 2
    assert len(split_and_label(hide_sections(abstract))) == 1


@given(st.lists(_TEXT, min_size=1, max_size=4), st.booleans())
def test_sentences_are_in_order_and_inside_their_sections(texts: list[str], titled: bool) -> None:
    labels = ("AIM", "METHODS", "RESULTS", "CONCLUSION")
    parts = [AbstractPart(*pair) for pair in zip(labels, texts, strict=False)]
    abstract = abstract_of(parts, title="Mice" if titled else "")
    found = split_and_label(abstract)
    assert all(abstract.text[s.start : s.end] == s.text for s in found)
    assert [s.start for s in found] == sorted(s.start for s in found)
    sections = [s for s in abstract.sections if s.kind == "abstract"]
    for sentence in found:
        (inside,) = [s for s in sections if s.start <= sentence.start and sentence.end <= s.end]
        number = labels.index(inside.title)
        assert sentence.label == ("Introduction", "Methods", "Results", "Conclusions")[number]

"""Keys of texts, and where they stand. That they agree with the server's analyzer is tested on a
real node, in tests/integration."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.es_mappings.analysis import analysis
from citespan.pipelines.vocabulary.normalise import is_acronym, keys, normalise


@pytest.mark.parametrize(
    ("term", "other"),
    [
        ("TGF-β1", "TGF beta1"),
        ("TNFα", "tnfalpha"),
        ("Crohn's disease", "CROHN DISEASE"),
        ("Crohn’s diseases", "Crohn disease"),
        ("Sjögren syndrome", "Sjogren Syndromes"),
        ("Straße", "strasse"),
        ("Ångström, Łódź, Ørsted, œdema", "angstrom lodz orsted edema"),
        ("biopsies", "biopsy"),
        ("cancer of the lung", "cancer lung"),
        ("1,25-dihydroxyvitamin", "1 25 dihydroxyvitamin"),
        ("ﬁbrosis", "fibrosis"),
        ("cell(s)", "cell s"),
        ("5-HT₂", "5 ht"),
        ("e.g. this", "e g"),
        ("Tumours, haemorrhages", "tumor hemorrhage"),
        ("IL-2 receptor", "IL two receptors"),
    ],
)
def test_one_term(term: str, other: str) -> None:
    assert keys(term) == keys(other) != []


@pytest.mark.parametrize(
    ("term", "other"), [("virus", "viru"), ("class", "clas"), ("IL-2", "IL-12"), ("α", "β")]
)
def test_two_terms(term: str, other: str) -> None:
    assert keys(term) != keys(other)


def test_only_stop_words_and_punctuation() -> None:
    assert keys("of the … (+) -- ") == []


def test_offsets_are_of_the_text() -> None:
    text = "of Crohn’s 1,25-ﬁbres"
    assert [(key, text[start:end]) for key, start, end in normalise(text)] == [
        ("crohn", "Crohn"),
        ("1", "1"),
        ("25", "25"),
        ("fiber", "ﬁbres"),
    ]


@given(st.text())
def test_any_text_gives_tokens_in_order_inside_it(text: str) -> None:
    tokens = normalise(text)
    assert [key for key, _, _ in tokens] == keys(text)
    before = 0
    for key, start, end in tokens:
        assert key
        assert not set(key) & set(" \t\n")
        assert before <= start < end <= len(text)
        before = start


@given(st.text(alphabet="abs -'’.,1α"), st.text(alphabet="abs -'’.,1α"))
def test_tokens_of_two_texts_are_those_of_each(text: str, other: str) -> None:
    assert keys(f"{text} {other}") == keys(text) + keys(other)


def test_every_greek_letter_that_the_analyzer_names() -> None:
    for mapping in analysis()["char_filter"]["greek_names"]["mappings"]:
        letter, name = mapping.split(" => ")
        assert keys(f"x{letter}x") == [f"x{name}x"]


@pytest.mark.parametrize("text", ["CAT", "mRNA", "TGF-beta", "CATs", "pH"])
def test_acronyms(text: str) -> None:
    assert is_acronym(text)


@pytest.mark.parametrize("text", ["Cat", "cat", "Vitamin D", "A-form", ""])
def test_no_acronyms(text: str) -> None:
    assert not is_acronym(text)

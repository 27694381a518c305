"""The analyzer in Python. That it is the server's is tested on a real node, in
tests/integration/test_server_analysis.py."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.text.lucene import count_terms, covers, split_words, tokenise


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The p53 proteins of cells", ["p53", "protein", "cell"]),
        ("TGF-β1 and TNFα", ["tgf", "beta1", "tnfalpha"]),
        ("Crohn’s biopsies", ["crohn", "biopsy"]),
        (
            "1,25-dihydroxyvitamin at 3.5 e.g. here",
            ["1,25", "dihydroxyvitamin", "3.5", "e.g", "here"],
        ),
        ("Sjögren, Łódź; Straße", ["sjogren", "lodz", "strasse"]),
        ("CuSO4·5H2O a·b", ["cuso4", "5h2o", "a·b"]),
        ("of the — (+) …", []),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert [token.term for token in tokenise(text)] == terms
    assert count_terms(text) == len(terms)


def test_positions_count_stop_words_and_offsets_are_of_the_text() -> None:
    text = "cancer of the lungs"
    assert tokenise(text) == [("cancer", 0, 0, 6), ("lung", 3, 14, 19)]


@pytest.mark.parametrize("text", ["日本", "a_b", "x\u200dy", "9\u202fmm", "\U0001f600", "a" * 256])
def test_what_only_the_server_knows(text: str) -> None:
    assert not covers(text)
    with pytest.raises(ValueError, match="server"):
        tokenise(text)
    assert count_terms(f"known {text}") is None


_TEXTS = st.text(alphabet="abs 'thies-’.,1αé")


@given(_TEXTS, _TEXTS)
def test_texts_with_white_space_between_are_analysed_each_by_itself(one: str, other: str) -> None:
    both = tokenise(f"{one} {other}")
    assert [t.term for t in both] == [t.term for t in (*tokenise(one), *tokenise(other))]
    assert count_terms(f"{one}\n\n{other}") == count_terms(one) + count_terms(other) == len(both)


@given(st.text(alphabet="ab1 _.,:;'’․·é²α≥", max_size=12))
def test_a_rare_character_elsewhere_in_a_text_changes_no_word(text: str) -> None:
    """With it, words are found by the pattern of all characters."""
    assert split_words(f"{text} \u3042") == (*split_words(text), "\u3042")

"""Tokens are cut as CRAFT cuts them."""

import pytest
import spacy
from spacy.language import Language

from citespan.pipelines.training.tagger_tokens import set_rules


@pytest.fixture(scope="module")
def nlp() -> Language:
    return set_rules(spacy.blank("en"))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("PGC-1α", "PGC - 1α"),
        ("Tgfb1+/− mice", "Tgfb1 + / − mice"),
        ("(Bmp4-/-).", "( Bmp4 - / - ) ."),
        ("anti-HA and Non-coding", "anti-HA and Non-coding"),
        ("a 3-fold rise", "a 3-fold rise"),
        ("p53-dependent", "p53 - dependent"),
        ("1,200 cells at 37°C", "1,200 cells at 37 °C"),
        ("[3,14]", "[ 3 , 14 ]"),
        ("Fig. 2A,B shows", "Fig. 2A , B shows"),
        ("5′-UTR", "5 ′ - UTR"),
        ("p<0.05", "p < 0.05"),
        ("the cell's wall.", "the cell 's wall ."),
    ],
)
def test_tokens(nlp: Language, text: str, tokens: str) -> None:
    assert [token.text for token in nlp.make_doc(text)] == tokens.split()


def test_no_letter_is_lost(nlp: Language) -> None:
    text = "  Mice\n(n = 5)\u00a0ate; αβ–γ  \t"
    assert nlp.make_doc(text).text == text

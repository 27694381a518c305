"""The analyzer in Python. That it is the server's is tested on a real node, in
tests/integration/test_server_analysis.py."""

import re
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.es_mappings.analysis import STOP_WORDS, analysis
from citespan.es_mappings.spelling import SPELLINGS
from citespan.pipelines.text.lucene import (
    count_terms,
    covers,
    find_term,
    find_terms,
    split_words,
    stem,
    tokenise,
    unify,
)


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
        ("Diarrhœa, two TUMOURS", ["diarrhea", "2", "tumor"]),
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
def test_texts_with_white_space_between_are_analysed_each_by_itself(text: str, other: str) -> None:
    both = tokenise(f"{text} {other}")
    assert [t.term for t in both] == [t.term for t in (*tokenise(text), *tokenise(other))]
    assert count_terms(f"{text}\n\n{other}") == count_terms(text) + count_terms(other) == len(both)


@given(st.text(alphabet="ab1 _.,:;'’․·é²α≥", max_size=12))
def test_a_rare_character_elsewhere_in_a_text_changes_no_word(text: str) -> None:
    """With it, words are found by the pattern of all characters."""
    assert split_words(f"{text} \u3042") == (*split_words(text), "\u3042")


SAME = """
tumour tumor, haemorrhage hemorrhage, randomised randomized, randomisation randomization, oestrogen
estrogen, diarrhoea diarrhea, anaemia anemia, labour labor, centre center, centred centered,
paediatric pediatric, foetal fetal, behaviour behavior, behavioural behavioral, analyse analyze,
catheterisation catheterization, leukaemia leukemia, oedema edema, lymphoedema lymphedema,
ischaemic ischemic, haemodialysis hemodialysis, colour color, fibre fiber, litre liter, millilitre
milliliter, tumours tumors, signalling signaling, labelled labeled, sulphate sulfate, anaesthetised
anesthetized, hydrolysed hydrolyzed, gynaecology gynecology, orthopaedic orthopedic, oesophagus
esophagus, gastrooesophageal gastroesophageal, caecum cecum, faecal fecal, dyspnoea dyspnea,
aetiology etiology, leucocytes leukocytes, programme program, ageing aging, enrolment enrollment,
analogues analogs, neurones neurons, haem heme, sulphonamide sulfonamide, anonymised anonymized,
two 2, twelve 12, antitumour antitumor, defence defense, practised practiced, metres meters
"""
OTHER = """
our or, four for, hour hor, pour por, tour tor, contour contor, journal jornal, source sorce,
course corse, prise prize, story storey, tyre tire, exercise exercize, promise promize, arise
arize, precise precize, revise revize, surprise surprize, otherwise otherwize, disease dizease,
aerobic erobic, anaerobic anerobic, aerosol erosol, does des, phoenix phenix, coefficient
cefficient, poem pem, israel isrel, michael michel, more moer, pare paer, one 1, thirteen 13, call
cal, installed instaled, compelled compeled, controlled controled, storage sterage, were weer,
hypothesis hypothesiz, improvisation improvization
"""


@pytest.mark.parametrize("pair", SAME.split(","))
def test_spellings_of_one_term(pair: str) -> None:
    british, american = pair.split()
    assert find_term(british) == find_term(american) == find_terms(british.upper())[0]


@pytest.mark.parametrize("pair", OTHER.split(","))
def test_words_that_only_look_like_spellings_of_one_term(pair: str) -> None:
    word, other = pair.split()
    assert find_term(word) != find_term(other)


def test_stop_words_are_changed_by_no_rule() -> None:
    """The synonyms' analyzer removes them after the rules."""
    assert all(unify(f"#{word}") == stem(f"#{word}") for word in STOP_WORDS)


def test_what_the_rules_give_they_change_no_more() -> None:
    for term in map(find_term, (*SPELLINGS, *SAME.replace(",", " ").split())):
        assert find_term(term) == term


_ROOTS = ("tumour", "haem", "oestr", "organis", "labell", "sulph", "centre", "two", "lys", "anis")


@given(st.lists(st.sampled_from((*_ROOTS, *"aeimnorst", "ed", "ing", "ation")), max_size=4))
def test_terms_are_those_of_the_rules_that_the_server_has(parts: list[str]) -> None:
    """In the order of the analyzer's filters, by the settings that it is made of."""
    term = "x" + "".join(parts)
    filters = analysis()["filter"]
    expected = term
    names = analysis()["analyzer"]["citespan_english"]["filter"]
    for name in chain.from_iterable(filters.get(name, {}).get("filter", [name]) for name in names):
        settings = filters.get(name, {})
        if settings.get("language") == "minimal_english":
            expected = stem(expected)
        elif settings.get("type") == "stemmer_override":
            rules = dict(rule.split(" => ") for rule in settings["rules"])
            expected = rules.get(expected, expected)
        elif settings.get("type") == "pattern_replace":
            expected = re.sub(settings["pattern"], settings["replacement"], expected)
    assert find_term(term) == expected

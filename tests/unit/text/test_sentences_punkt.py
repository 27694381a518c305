"""Punkt's parameters: training, JSON, and what is shipped."""

import json
import os
import subprocess
import sys

from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.tokenize.punkt import PunktSentenceTokenizer

from citespan.pipelines.text import punkt
from citespan.pipelines.text.punkt import find_starts

TEXT = (
    "The ab. Cells of mice grew. Cells of the ab. grew, too. We saw the ab. and more. "
    "In E17. Embryos died. In mice the ab. cells grew at E17. Mice were fed. Mice ate the ab. food."
) * 20

_TRAIN = (
    "import sys; from citespan.pipelines.text import punkt as p;"
    "sys.stdout.write(p.parameters_to_json(p.train_punkt([sys.argv[1]])))"
)


def test_json_keeps_all_parameters() -> None:
    parameters = punkt.train_punkt([TEXT])
    again = punkt.parameters_from_json(punkt.parameters_to_json(parameters))
    assert "ab" in parameters.abbrev_types
    assert again.abbrev_types == parameters.abbrev_types
    assert again.collocations == parameters.collocations
    assert again.sent_starters == parameters.sent_starters
    assert dict(again.ortho_context) == {k: v for k, v in parameters.ortho_context.items() if v}
    before, after = (PunktSentenceTokenizer(p).tokenize(TEXT) for p in (parameters, again))
    assert before == after


def test_training_is_the_same_under_any_hash_seed() -> None:
    made = {
        subprocess.run(
            [sys.executable, "-c", _TRAIN, TEXT],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(made) == 1
    assert json.loads(made.pop())["abbreviations"][0] == "ab"


def test_shipped_parameters_are_stable_json() -> None:
    shipped = punkt.load_shipped()
    assert {"e.g", "i.e", "fig", "figs"} <= shipped.abbrev_types
    assert not [type_ for type_ in shipped.abbrev_types if any(c.isdigit() for c in type_)]
    again = punkt.parameters_from_json(punkt.parameters_to_json(shipped))
    assert punkt.parameters_to_json(again) == punkt.parameters_to_json(shipped)


def test_shipped_parameters_split() -> None:
    assert find_starts("We did so, e.g. here. They saw it.") == [0, 22]


_WORDS = st.sampled_from(
    [
        *("cells", "The", "p53", "e.g.", "Fig.", "mice.", "al.", "E.", "no.", "X.", "was", "2."),
        *("(a).", "?\u201d", "mice.\u201d)", ".' )", "--", '"We', ". . .", "_.", "\u00a0", "etc.,"),
        *(
            "0.05.",
            "17.1",
            "2012).",
            "vs.",
            "T3.",
            "H.",
            "pylori",
            "(U.S.A.),",
            "1.,",
            "x?y",
            "x.;y",
        ),
    ]
)
_SPACES = st.sampled_from([" ", " ", " ", "", "\n", "\t ", "\u2003", "\x1c", "  "])


@example(["We", "did.", '"', "So."], [" "] * 4)
@example(["We", "did", "(so.", ")", "--", "So."], [" "] * 6)
@example([",_.", ":c", "A"], [" "] * 3)
@example(["(Fig.", "(The", "x", "al.", "Mice", "Fig.", ")"], [" "] * 7)
@example(["x", "(Fig.", ")", "Mice", "Fig.", '"The'], [" ", "", " ", " ", " ", " "])
@example(["(Fig.X.", ". .", "."], ["\u2003", " ", ""] + [" "] * 9)
@example(["vs.", "17.1", "0.05.", "A.U."], [" "] * 4)
@settings(max_examples=300)
@given(
    st.lists(st.one_of(_WORDS, st.text(alphabet="abAB.?!2_)\"' -\n", max_size=5)), max_size=12),
    st.lists(_SPACES, min_size=12, max_size=12),
)
def test_the_shortcut_decides_as_nltk(words: list[str], spaces: list[str]) -> None:
    text = "".join(part for pair in zip(words, spaces, strict=False) for part in pair)
    nltk = PunktSentenceTokenizer(punkt.load_shipped())
    assert find_starts(text) == [start for start, _ in nltk.span_tokenize(text)]
    # words that shipped parameters have as collocations are not split after the first
    for word, following in sorted(punkt.load_shipped().collocations)[:20]:
        pair = f"{word}. {following.title()}"
        assert find_starts(pair) == [start for start, _ in nltk.span_tokenize(pair)]

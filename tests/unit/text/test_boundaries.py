"""The shortcut of the rules for boundaries, against the rules."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from citespan.pipelines.text.splitters import punkt

_PARTS = st.sampled_from(
    [
        *(
            "etc",
            "figs",
            "Refs",
            "eqns",
            "suppl",
            "approx",
            "subsp",
            "spp",
            "al",
            "vs",
            "no",
            "cat",
        ),
        *(
            "(a)",
            "(12)",
            "12",
            "3",
            "0.05",
            "2012",
            ": 2)",
            "; b)",
            "lane 3",
            "[12]",
            "5%",
            "E.",
            "U.S.A",
        ),
        *(
            "Inc",
            "GmbH",
            "RNA",
            "Hs",
            "C",
            "Dr",
            "mice",
            "cells",
            "(see",
            "below)",
            "(n = 7)",
            "?",
            "”",
        ),
    ]
)


@example(["Fig. ", "2012"], " ", "The")
@example(["such: 12)"], "", "The")
@settings(max_examples=500)
@given(
    st.lists(st.one_of(_PARTS, st.text("abzAZ019 .,:;()[]%-", max_size=6)), min_size=1, max_size=6),
    st.sampled_from(["", " ", "-"]),
    st.sampled_from(["The", "mice", "12", "E. coli", "(A", "“We", "of"]),
)
def test_no_rule_applies_to_a_plain_boundary(parts: list[str], between: str, after: str) -> None:
    paragraph = f"{between.join(parts)}. {after} x."
    place = len(paragraph) - len(f"{after} x.")
    length = punkt._PLAIN_LENGTH
    if place >= length and punkt._PLAIN.match(paragraph, place - length):
        before = paragraph[max(0, place - punkt._BEFORE) : place].rstrip()
        assert not punkt._goes_on(before, paragraph[place:])

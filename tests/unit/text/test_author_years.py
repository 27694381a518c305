"""Names and years, by the patterns of all capitals and of those of Latin-1."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citespan.pipelines.citing.marker_patterns import find_textual_citations, is_author_years

NAMES = ["Smith", "Östman", "Šmith", "Łukasz", "O’Brien", "Lee-Kim", "Lee‐Kim", "van Dam", "J. Doe"]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_all_alphabets_of_latin(name: str) -> None:
    assert is_author_years(f"{name} et al., 2010a")
    text = f"as {name} (1999) found"
    assert list(find_textual_citations(text)) == [(3, 3 + len(f"{name} (1999)"))]


_PIECES = st.sampled_from(
    [*NAMES, *(" et al.", " and ", ", ", "; ", " ", "(1999)", "2001a", "[12]", "In ", "May ", "-")]
)


@settings(max_examples=500, deadline=None)
@given(st.lists(_PIECES, max_size=8).map("".join))
def test_a_letter_elsewhere_in_a_text_changes_nothing(text: str) -> None:
    """With it, the text is searched by the pattern of all capitals."""
    found = list(find_textual_citations(text))
    assert list(find_textual_citations(f"{text} ā.")) == found

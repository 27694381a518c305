"""Numbers with their units, and which of them say the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.ranking.differences.numbers import MOST_NUMBERS, agree, find_numbers


def read(text: str) -> list[tuple[float, str]]:
    return [(round(number.value, 6), number.quantity) for number in find_numbers(text)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("31.7% against 10·2 per cent", [(31.7, "%"), (10.2, "%")]),
        ("1,234 women and 12 345 men", [(1234, ""), (12, ""), (345, "")]),
        ("p = .03, 95% CI 1.2-3.4", [(0.03, "p"), (95, "level"), (1.2, ""), (3.4, "")]),
        ("2.5 mg or 0.0025 g", [(0.0025, "mass"), (0.0025, "mass")]),
        ("three to five days", [(259200, "time"), (432000, "time")]),
        ("doubled, threefold, 3.1 times", [(2, "times"), (3, "times"), (3.1, "times")]),
        ("a third, two-thirds and half of them", [(33.333333, "%"), (66.666667, "%"), (50, "%")]),
        ("the third trial and one of the ways", []),
        ("twenty-five rats", [(25, "")]),
        ("1.2 million people", [(1200000, "")]),
        ("IL-6 in COVID-19, v1.2", []),
        ("5 foobars per blorp", [(5, "")]),
        ("5 × 10^6 and 10⁵ cells, 2 × 10⁻² mg", [(5e6, ""), (1e5, ""), (2e-5, "mass")]),
        ("10 x 10 fields and 5^2", [(10, ""), (10, ""), (5, ""), (2, "")]),
        ("two recent open-label trials and 12 reports", [(2, "works"), (12, "works")]),
        ("20 patients of 3 mg trials", [(20, ""), (0.003, "mass")]),
    ],
)
def test_numbers_have_their_units(text: str, numbers: list[tuple[float, str]]) -> None:
    assert read(text) == numbers


@pytest.mark.parametrize(
    ("written", "other", "same"),
    [
        ("12%", "12.4%", True),
        ("12%", "12.6%", False),
        ("two studies", "2 trials", True),
        ("5 million cells", "5 × 10⁶ cells", True),
        ("10^6 cells", "10^5 cells", False),
        ("two studies", "2 mice", False),
        ("90 minutes", "1.5 hours", True),
        ("about 500 people", "480 people", True),
        ("500 people", "400 people", False),
        ("20 years", "aged 20", True),
        ("more than 100 people", "128 people", True),
        ("more than 100 people", "more than 128 people", False),
        ("more than 100 people", "72 people", False),
        ("fewer than 100 people", "7 people", False),
        ("p < 0.05", "p = 0.003", True),
        ("p < 0.05", "p = 0.3", False),
        ("p < 0.05", "0.05 g", False),
        ("12%", "12 mg", False),
    ],
)
def test_numbers_agree_as_far_as_both_are_exact(written: str, other: str, same: bool) -> None:
    [first], [second] = find_numbers(written), find_numbers(other)
    assert agree(first, second) is agree(second, first) is same


@given(st.text())
def test_numbers_are_in_order_within_the_text(text: str) -> None:
    at = 0
    for number in find_numbers(text):
        assert at <= number.start < number.end <= len(text)
        at = number.end


def test_of_500_numbers_the_first_are_read() -> None:
    assert len(find_numbers("7 " * 500)) == MOST_NUMBERS

"""Lucene's length encoding. The expected values are computed bit by bit below, in plain
integers, from the description of SmallFloat.intToByte4."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.retrieval.lengths import round_lengths


@given(st.integers(0, 39))
def test_short_lengths_are_exact(length: int) -> None:
    assert round_lengths(np.array([length]))[0] == length


def _rounded(length: int) -> int:
    """Lengths from 40 on, less the 24 codes that stand for themselves, keep their four
    highest bits."""
    rest = length - 24
    dropped = rest.bit_length() - 4
    return 24 + ((rest >> dropped) << dropped)


@given(st.integers(40, 2**31 - 1))
def test_longer_lengths_keep_four_significant_bits(length: int) -> None:
    assert round_lengths(np.array([length]))[0] == _rounded(length)


def test_shape_is_kept() -> None:
    assert round_lengths(np.array([[1, 40], [41, 1000]])).shape == (2, 2)

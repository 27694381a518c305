"""Lengths of documents as Lucene stores them, in one byte each."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def _decode_lengths() -> Numbers:
    """Return the lengths that Lucene's one byte stands for, by code.

    org.apache.lucene.util.SmallFloat, intToByte4 and byte4ToInt: lengths up to 39 are exact,
    longer ones keep four significant bits.
    """

    def long_to_int4(value: int) -> int:
        shift = value.bit_length() - 4
        if shift < 0:
            return value
        return ((value >> shift) & 0x07) | ((shift + 1) << 3)

    def int4_to_long(code: int) -> int:
        shift = (code >> 3) - 1
        return code & 0x07 if shift < 0 else ((code & 0x07) | 0x08) << shift

    free = 255 - long_to_int4(2**31 - 1)
    return np.array(
        [code if code < free else free + int4_to_long(code - free) for code in range(256)]
    )


_DECODED = _decode_lengths()


def round_lengths(lengths: NDArray[np.integer[Any]]) -> Numbers:
    """Return lengths (in terms, any shape) as Lucene stores them: the greatest length that has a
    code and is not above the true one. Lucene scores with these."""
    known: Numbers = _DECODED[np.searchsorted(_DECODED, lengths, side="right") - 1]
    return known

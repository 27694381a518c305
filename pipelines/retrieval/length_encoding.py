"""Lucene's one-byte encoding of field lengths, vectorised.

Scores are computed from the encoded length, not the true one, so a formula must round lengths
as Lucene does to give the server's scores (org.apache.lucene.util.SmallFloat, intToByte4 and
byte4ToInt): lengths up to 39 are exact, longer ones keep four significant bits.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def _build_decoded() -> NDArray[np.int64]:
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


_DECODED = _build_decoded()


def lucene_length(lengths: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """The lengths (in terms, any shape) as Lucene remembers them: the largest encodable
    length that is not above the true one."""
    known: NDArray[np.int64] = _DECODED[np.searchsorted(_DECODED, lengths, side="right") - 1]
    return known

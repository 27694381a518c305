"""Operations that are sent together are the same operations."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.store.operation import PIECE_BYTES, Operation, join_pieces, write_operations

_PAIRS = st.lists(
    st.builds(
        lambda text, times: (
            b'{"index":{}}\n' + orjson.dumps({"text": text * times}, option=orjson.OPT_SORT_KEYS)
        ),
        st.text(max_size=5),
        st.integers(0, 5000),
    ),
    max_size=40,
)


@given(_PAIRS)
def test_pieces_hold_every_operation_once_and_stay_small(pairs: list[bytes]) -> None:
    made = list(join_pieces(pairs))
    sent = list(write_operations("an-index", "an article", made))
    assert [part.body for several in sent for part in several.split()] == pairs
    assert sum(operation.count for operation in sent) == len(pairs)
    for operation in sent:
        assert operation.count == 1 or len(operation.body) <= PIECE_BYTES
        assert {(part.index, part.key, part.count) for part in operation.split()} == {
            ("an-index", "an article", 1)
        }


def test_a_deletion_is_one_operation() -> None:
    deletion = Operation("an-index", "an article", b'{"delete":{"_id":"1"}}')
    assert deletion.split() == [deletion]

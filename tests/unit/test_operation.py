"""Operations that are sent together are the same operations."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.indexing.writing.batch_size import LEAST
from citespan.pipelines.indexing.writing.operation import Operation, documents, pieces

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
    made = list(pieces(pairs))
    sent = list(documents("an-index", "an article", made))
    assert [one.body for several in sent for one in several.each()] == pairs
    assert sum(one.count for one in sent) == len(pairs)
    for one in sent:
        assert one.count == 1 or len(one.body) <= LEAST
        assert {(part.index, part.key, part.count) for part in one.each()} == {
            ("an-index", "an article", 1)
        }


def test_a_deletion_is_one_operation() -> None:
    deletion = Operation("an-index", "an article", b'{"delete":{"_id":"1"}}')
    assert deletion.each() == [deletion]

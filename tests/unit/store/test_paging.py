"""Pages of several searches, until each has no more."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.store.paging import Hit, NumberedBody, page_through

SIZE = 3


@given(st.lists(st.integers(0, 10), max_size=5))
def test_all_hits_of_each_search_come_in_order(totals: list[int]) -> None:
    asked: list[int] = []

    def send(bodies: Sequence[NumberedBody]) -> Iterator[Sequence[Hit]]:
        for number, body in bodies:
            asked.append(number)
            first = body.get("search_after", [-1])[0] + 1
            yield [{"sort": [at]} for at in range(first, min(first + SIZE, totals[number]))]

    bodies: list[Mapping[str, Any]] = [{"size": SIZE} for _ in totals]
    found: dict[int, list[int]] = {number: [] for number in range(len(totals))}
    for number, hits in page_through(bodies, send):
        found[number] += [hit["sort"][0] for hit in hits]
    assert found == {number: list(range(total)) for number, total in enumerate(totals)}
    assert [asked.count(number) for number in found] == [total // SIZE + 1 for total in totals]

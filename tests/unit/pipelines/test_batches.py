from concurrent.futures import ThreadPoolExecutor
from itertools import count, islice

from citespan.pipelines.batches import map_ahead


def test_no_more_than_so_many_results_wait() -> None:
    begun: list[int] = []

    def begin(number: int) -> int:
        begun.append(number)
        return -number

    with ThreadPoolExecutor(4) as pool:
        assert list(islice(map_ahead(pool, 2, begin, count()), 5)) == [0, -1, -2, -3, -4]
    assert max(begun) == 6
    with ThreadPoolExecutor(4) as pool:
        assert list(map_ahead(pool, 2, max, [1, 2, 3, 4], [4, 3, 2, 1])) == [4, 3, 3, 4]

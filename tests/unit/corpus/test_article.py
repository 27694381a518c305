"""Articles, and inputs that are none."""

from citespan.pipelines.corpus.article import Rejected


def test_a_reason_that_quotes_much_is_shortened() -> None:
    rejected = Rejected("a.xml", f"it is {'long ' * 1000}; give another")
    assert len(rejected.reason) < 700
    assert rejected.reason.startswith("it is long long ")
    assert rejected.reason.endswith(" long ; give another")
    assert rejected.reason.count(" … ") == 1

"""Records: which of them are found where some are passed over."""

from citespan.pipelines.corpus.reader import Record, read_all, read_in_turn


def test_a_file_that_only_reading_divides_is_read_in_turn() -> None:
    assert list(read_all(read_in_turn("a", iter("xyz")))) == ["x", "y", "z"]
    assert list(read_all(read_in_turn("a", iter("")))) == []
    sources = []
    for record in read_in_turn("a", iter("xyz")):
        sources.append(record.source)
        record.read()
    assert sources == ["a", "a:2", "a:3", "a:4"]


def test_after_a_record_that_was_passed_over_nothing_is_found() -> None:
    found: list[Record[str]] = []
    for record in read_in_turn("a", iter("xyz")):
        found.append(record)
        if len(found) == 1:
            assert record.read() == "x"
    assert [record.source for record in found] == ["a", "a:2"]

"""Units that are read in the load's own process."""

from pathlib import Path

import pytest
from small_loads import line

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.indexing.reading import unit_reading
from citespan.pipelines.indexing.reading.unit import Unit


def test_a_file_of_records_that_are_no_article_ends_early_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_reading, "MOST_REJECTED", 3)
    few, many = tmp_path / "few.jsonl", tmp_path / "many.jsonl"
    few.write_text(f"{line('few-1', 2)}\n?\n?\n?\n")
    many.write_text(f"?\n{line('many-1', 2)}\n" + "?\n" * 10 + line("many-2", 2))
    units = [Unit(file.name, "jsonl", file) for file in (many, few)]
    found = list(unit_reading.read_articles(units))
    assert [reading.id for reading in found if isinstance(reading, Article)] == ["many-1", "few-1"]
    rejected = {
        reading.source: reading.reason for reading in found if isinstance(reading, Rejected)
    }
    places = [*(f"{many}:{number}" for number in (1, 3, 4)), str(many)]
    assert list(rejected) == [*places, *(f"{few}:{number}" for number in (2, 3, 4))]
    assert rejected[str(many)].startswith("3 of its records are no article, and what comes after")

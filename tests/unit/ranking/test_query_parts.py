"""Which words of a query a text has, and which it has not."""

from pathlib import Path

import pytest

from citespan.pipelines.ranking.search import Contents, find_matcher, find_parts, select_parts
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.reader import vocabulary_readers

QUERY = "Heart attacks [3] are treated with aspirin and TGF-β1 (Smith, 2010) in 12 of the trials"
OBO = """format-version: 1.2

[Term]
id: X:1
name: myocardial infarction
synonym: "heart attack" EXACT []
"""


def test_words_are_as_the_query_writes_them_without_markers_stop_words_and_numbers() -> None:
    parts = find_parts(QUERY, Options())
    assert [part.text for part in parts] == [
        *("Heart", "attacks", "treated", "aspirin", "TGF-β1", "trials")
    ]


def test_a_text_has_a_word_in_any_of_its_forms() -> None:
    parts = find_parts(QUERY, Options())
    contents = Contents.of("One HEART attack, and tgf β1: a trial.")
    assert select_parts(parts, contents, there=True) == ("Heart", "attacks", "TGF-β1", "trials")
    assert select_parts(parts, contents, there=False) == ("treated", "aspirin")


def test_a_word_in_the_other_spelling_is_there() -> None:
    parts = find_parts("Tumours of two randomised groups, haemodialysis", Options())
    contents = Contents.of("A tumor in 2 groups, randomized to hemodialysis.")
    assert select_parts(parts, contents, there=False) == ()


def test_a_word_that_is_repeated_is_one_part() -> None:
    assert [part.text for part in find_parts("p53 binds P53", Options())] == ["p53", "binds"]


@pytest.fixture
def options(tmp_path: Path) -> Options:
    file = tmp_path / "made.obo"
    file.write_text(OBO)
    store = tmp_path / "made.vocabulary"
    build(vocabulary_readers["obo"].terms(file), store, "made")
    return Options(vocabulary=store)


def test_a_concept_is_there_in_other_words(options: Options) -> None:
    parts = find_parts(QUERY, options)
    assert parts[0].text == "Heart attacks"
    contents = Contents.of("Myocardial infarction and aspirin.", find_matcher(options))
    assert select_parts(parts, contents, there=True) == ("Heart attacks", "aspirin")
    without = Contents.of("Infarctions of the heart.", find_matcher(options))
    assert "Heart attacks" in select_parts(parts, without, there=False)

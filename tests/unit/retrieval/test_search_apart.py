"""What fails together is searched for apart, and only what is to blame is refused."""

from collections.abc import Sequence

import pytest

from citespan.pipelines.errors import CitespanError, ElasticsearchUnreachableError
from citespan.pipelines.retrieval.search import search_apart


def search(asked: Sequence[str]) -> list[str]:
    if "away" in asked:
        raise ElasticsearchUnreachableError("no server")
    if "bad" in asked:
        raise CitespanError("not this")
    return [question.upper() for question in asked]


def refuse(question: str, error: CitespanError) -> str:
    return f"{question}: {error}"


def test_each_question_has_its_answer_in_order() -> None:
    assert search_apart(search, ["one", "two"], refuse) == ["ONE", "TWO"]
    assert search_apart(search, ["one", "bad", "two"], refuse) == ["ONE", "bad: not this", "TWO"]
    assert search_apart(search, [], refuse) == []


def test_a_server_that_is_away_is_no_question_s_fault() -> None:
    with pytest.raises(ElasticsearchUnreachableError):
        search_apart(search, ["one", "away"], refuse)

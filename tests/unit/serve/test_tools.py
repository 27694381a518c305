"""The tools of agents: what they say fits, whatever it is, and what is left off can be had."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp_types import CallToolResult, TextContent

from citespan.pipelines.citations.checking import STATUSES
from citespan.serve.tools import MEANINGS, TOOLS, bound

BY_NAME = {tool.name: tool for tool in TOOLS}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=3000) | st.text(
    '"\\\né', max_size=2000
)


def size_of(answer: dict[str, Any]) -> int:
    """Bytes of an answer as the protocol sends it."""
    content = TextContent(type="text", text=orjson.dumps(answer).decode())
    result = CallToolResult(content=[content], structured_content=answer)
    return len(result.model_dump_json(by_alias=True, exclude_unset=True).encode())


@given(
    st.lists(st.fixed_dictionaries({"number": st.integers(0, 9), "text": TEXT}), max_size=12),
    TEXT,
    st.integers(0, 50),
)
def test_an_answer_fits_and_says_how_to_get_the_rest(
    items: list[dict[str, Any]], title: str, first: int
) -> None:
    said = {"title": title, "sentences": items}
    answer = bound(BY_NAME["show"], said, first, 20_000)
    assert size_of(answer) <= 20_000
    kept = answer["sentences"]
    assert len(kept) + (answer["left_off"] or {"count": 0})["count"] == len(items)
    if kept != items:
        assert kept or not items
        assert answer["left_off"]["how"]
    if len(kept) < len(items):
        assert f"first={first + len(kept)}" in answer["left_off"]["how"]


def test_one_item_that_is_too_long_is_shortened_and_says_so() -> None:
    item = {"number": 0, "text": "word " * 100_000, "links": [{"text": "x" * 500}] * 1000}
    answer = bound(BY_NAME["show"], {"sentences": [item, item]}, 0, 20_000)
    assert size_of(answer) <= 20_000
    [kept] = answer["sentences"]
    assert kept["shortened"] is True
    assert kept["text"].endswith(" …")
    assert answer["left_off"]["count"] == 1
    assert "…" in answer["left_off"]["how"]


def test_what_is_not_the_list_is_shortened_too() -> None:
    said = {"uncited": [f"an entry of a long list, {n}" for n in range(5000)], "citations": []}
    answer = bound(BY_NAME["check"], said, 0, 20_000)
    assert size_of(answer) <= 20_000
    assert answer["uncited"]
    assert answer["left_off"]["count"] == 0


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_schemas_are_valid_and_describe_every_argument(tool: Any) -> None:
    schema = tool.takes.model_json_schema()
    Draft202012Validator.check_schema(schema)
    Draft202012Validator.check_schema(tool.returns)
    assert schema["additionalProperties"] is False
    assert all(property_.get("description") for property_ in schema["properties"].values()), schema
    assert tool.listed in tool.returns["required"]
    assert len(json.dumps(schema)) < 3000


def test_every_status_has_a_meaning() -> None:
    assert set(MEANINGS) == set(STATUSES)

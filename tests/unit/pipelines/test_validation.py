"""Mistakes that pydantic finds, as one line of ours."""

import pytest
from pydantic import StrictInt, TypeAdapter

from citespan.pipelines.errors import InputError
from citespan.pipelines.validation import quote, validate, validate_json


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"a": ["x"]}, "here: a[0]: 'x' is not a whole number"),
        ({"a": 7}, "here: a: 7 is not a list"),
        (7, "here: 7 is not a mapping"),
        ({"a": [None]}, "here: a[0]: missing; give a whole number"),
        ({"a": ["x" * 1000]}, f"here: a[0]: '{'x' * 79}… is not a whole number"),
    ],
)
def test_a_mistake_has_its_place(content: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        validate(dict[str, list[StrictInt]], content, "here")
    assert str(caught.value) == message


def test_json_that_is_none_is_named() -> None:
    for data, message in (
        (b"{", "here: not JSON (EOF while parsing an object at line 1 column 1); write it anew"),
        (b'{"a": "b"}', "here: not a table (a: 'b' is not a list); write it anew"),
    ):
        with pytest.raises(InputError) as caught:
            validate_json(
                TypeAdapter(dict[str, list[int]]), data, "here", "a table", "write it anew"
            )
        assert str(caught.value) == message


def test_what_is_long_is_shortened() -> None:
    assert quote("a\nb") == "'a\\nb'"
    assert len(quote("x" * 1000)) == 81

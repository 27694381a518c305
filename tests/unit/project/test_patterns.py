"""Patterns mean the same in every release of Python that citespan runs on."""

from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from growth.patterns import find_all

_SINGLE_CHARACTERS = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY)


def test_no_group_is_possessive() -> None:
    """Before Python 3.11.5 such a group finds something else, or never ends (gh-106052); an atomic
    group around a greedy one means the same."""
    parsed = {found.where: _parser.parse(found.compiled.pattern) for found in find_all()[0]}
    assert not [where for where, pattern in parsed.items() if _has_possessive_group(pattern)]
    assert _has_possessive_group(_parser.parse("a|(?:b(?:c++d)*+)"))


def _has_possessive_group(item: Any) -> bool:
    if not isinstance(item, tuple | list | _parser.SubPattern):
        return False
    if len(item) == 2 and item[0] is _constants.POSSESSIVE_REPEAT:
        repeated = item[1][2]
        return len(repeated) != 1 or repeated[0][0] not in _SINGLE_CHARACTERS
    return any(map(_has_possessive_group, item))

"""Texts that are made to be slow for a pattern, derived from the pattern itself.

Time out of proportion comes of a part that repeats and can end in more than one place, or of a
beginning that is found again and again and never comes to an end. So each attack repeats a text
that a part of the pattern matches, behind what the pattern wants before it, and ends with what it
can't match.
"""

import random
import re
from collections.abc import Iterator, Sequence
from re import _constants as c  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

_REPEATS = (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT)
_MANY = 8  # a part that repeats less often is taken for one that doesn't
_VARIANTS = 3
_MOST = 150
_LONGEST = 200
_ENDS = ("", "\x00")
_ANY = "aA1 .,-([é\n\x00"
_ALWAYS = (" ", "\n", "a", "A ", "1", "a. ", "(", "[", " \n", ".", "-", "\\", "<", "&", '"')


class Attack(NamedTuple):
    """A text of any length."""

    before: str
    repeated: str
    after: str

    def make(self, size: int) -> str:
        """Return the text of about `size` characters."""
        return self.before + self.repeated * (size // len(self.repeated)) + self.after


def find_attacks(pattern: re.Pattern[Any]) -> list[Attack]:
    """Return the attacks on a pattern, always the same ones."""
    written, flags = pattern.pattern, pattern.flags
    if isinstance(written, bytes):
        written, flags = written.decode("latin-1"), flags | re.ASCII
    parsed = list(_parser.parse(written, flags))
    pumps = {("", piece) for piece in _ALWAYS}
    for seed in range(_VARIANTS):
        chosen = random.Random(seed)
        pumps |= {
            (before[-_LONGEST:], repeated[:_LONGEST])
            for before, repeated in _find_pumps(parsed, chosen)
            if repeated
        }
    attacks = [Attack(*pump, end) for pump in sorted(pumps) for end in _ENDS]
    return random.Random(0).sample(attacks, min(_MOST, len(attacks)))


def _find_pumps(parts: Sequence[Any], chosen: random.Random) -> Iterator[tuple[str, str]]:
    """Yield what to repeat, each behind what comes before it in the pattern."""
    before = ""
    for operation, argument in parts:
        for inner in _inner(operation, argument):
            for start, repeated in _find_pumps(inner, chosen):
                yield before + start, repeated
        if operation in _REPEATS and argument[1] >= _MANY:
            yield before, _sample(argument[2], chosen)
        before += _sample([(operation, argument)], chosen)
        yield "", before
    if len(parts) > 1:
        yield "", before[:-1]


def _inner(operation: Any, argument: Any) -> list[Any]:
    if operation in _REPEATS:
        return [argument[2]]
    if operation is c.SUBPATTERN:
        return [argument[3]]
    if operation is c.ATOMIC_GROUP:
        return [argument]
    if operation is c.BRANCH:
        return list(argument[1])
    if operation in (c.ASSERT, c.ASSERT_NOT):
        return [argument[1]]
    return []


def _sample(parts: Sequence[Any], chosen: random.Random) -> str:
    """Return a text that the parts of a pattern match, but for what they look at around it."""
    made = ""
    for operation, argument in parts:
        if operation is c.LITERAL:
            made += chr(argument)
        elif operation is c.NOT_LITERAL:
            made += "a" if argument != ord("a") else "b"
        elif operation is c.ANY:
            made += chosen.choice("aA1 ")
        elif operation is c.IN:
            made += _sample_class(argument, chosen)
        elif operation in _REPEATS:
            low, high, inner = argument
            times = min(high, low + chosen.choice((0, 1, 1, 2)))
            made += "".join(_sample(inner, chosen) for _ in range(times))
        else:
            made += _sample_group(operation, argument, chosen, not made)
    return made


def _sample_group(operation: Any, argument: Any, chosen: random.Random, is_first: bool) -> str:
    inner = _inner(operation, argument)
    if operation is c.BRANCH:
        return _sample(chosen.choice(inner), chosen)
    if operation is c.ASSERT_NOT or (operation is c.ASSERT and not (argument[0] < 0 and is_first)):
        return ""
    return "".join(_sample(part, chosen) for part in inner)


def _sample_class(members: Sequence[Any], chosen: random.Random) -> str:
    likely = set(_ANY)
    for operation, argument in members:
        if operation is c.LITERAL:
            likely.add(chr(argument))
        elif operation is c.RANGE:
            likely |= {chr(argument[0]), chr(argument[1])}
    fitting = sorted(character for character in likely if _holds(members, character))
    return chosen.choice(fitting) if fitting else ""


def _holds(members: Sequence[Any], character: str) -> bool:
    is_negated = members[0][0] is c.NEGATE
    holds = False
    for operation, argument in members:
        if operation is c.LITERAL:
            holds |= ord(character) == argument
        elif operation is c.RANGE:
            holds |= argument[0] <= ord(character) <= argument[1]
        elif operation is c.CATEGORY:
            holds |= _CATEGORIES[str(argument)](character)
    return holds != is_negated


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


_CATEGORIES = {
    "CATEGORY_DIGIT": str.isdigit,
    "CATEGORY_NOT_DIGIT": lambda character: not character.isdigit(),
    "CATEGORY_SPACE": str.isspace,
    "CATEGORY_NOT_SPACE": lambda character: not character.isspace(),
    "CATEGORY_WORD": _is_word,
    "CATEGORY_NOT_WORD": lambda character: not _is_word(character),
}

"""Numbers as statements write them: with units, in words, as ranges, percentages and shares."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isclose
from typing import Final, NamedTuple

from citespan.es_mappings.spelling import NUMBERS

MOST_NUMBERS: Final = 100
"""Of one text; further ones are not read."""

_SMALL = {
    word: number
    for number, word in enumerate(
        [
            *("zero", "one", *NUMBERS, "thirteen", "fourteen", "fifteen", "sixteen"),
            *("seventeen", "eighteen", "nineteen"),
        ]
    )
}
_TENS = dict(
    zip(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
        range(20, 100, 10),
        strict=True,
    )
)
_SCALES = {"dozen": 12.0, "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_TIMES = {
    "doubled": 2, "doubles": 2, "double": 2, "doubling": 2, "twice": 2, "twofold": 2,
    "tripled": 3, "triples": 3, "triple": 3, "tripling": 3, "threefold": 3, "thrice": 3,
    "quadrupled": 4, "quadruples": 4, "fourfold": 4, "fivefold": 5, "tenfold": 10,
}  # fmt: skip
_SHARES = {"half": 50, "halves": 50, "halved": 50, "third": 100 / 3, "thirds": 100 / 3,
           "quarter": 25, "quarters": 25, "fifth": 20, "fifths": 20, "tenth": 10}  # fmt: skip

# (quantity, factor to its first unit)
_UNITS: Final[dict[str, tuple[str, float]]] = {
    "%": ("%", 1),
    "fold": ("times", 1), "times": ("times", 1), "-fold": ("times", 1),
    "kg": ("mass", 1e3), "g": ("mass", 1), "mg": ("mass", 1e-3), "µg": ("mass", 1e-6),
    "mcg": ("mass", 1e-6), "ug": ("mass", 1e-6), "ng": ("mass", 1e-9), "gram": ("mass", 1),
    "kilogram": ("mass", 1e3), "milligram": ("mass", 1e-3), "microgram": ("mass", 1e-6),
    "second": ("time", 1), "sec": ("time", 1), "s": ("time", 1), "min": ("time", 60),
    "minute": ("time", 60), "hour": ("time", 3600), "h": ("time", 3600), "hr": ("time", 3600),
    "day": ("time", 86400), "week": ("time", 604800), "wk": ("time", 604800),
    "month": ("time", 2629800), "year": ("time", 31557600), "yr": ("time", 31557600),
    "l": ("volume", 1), "litre": ("volume", 1), "liter": ("volume", 1), "dl": ("volume", 0.1),
    "ml": ("volume", 1e-3), "µl": ("volume", 1e-6), "ul": ("volume", 1e-6),
    "m": ("length", 1), "cm": ("length", 1e-2), "mm": ("length", 1e-3), "µm": ("length", 1e-6),
    "nm": ("length", 1e-9), "km": ("length", 1e3), "metre": ("length", 1), "meter": ("length", 1),
    "mmhg": ("pressure", 1), "kpa": ("pressure", 7.50062), "iu": ("iu", 1), "kcal": ("energy", 1),
    "kj": ("energy", 0.239), "mmol": ("amount", 1e-3), "µmol": ("amount", 1e-6),
    "nmol": ("amount", 1e-9), "mol": ("amount", 1), "mm hg": ("pressure", 1), "°c": ("°c", 1),
    "ms": ("time", 1e-3), "hz": ("frequency", 1), "khz": ("frequency", 1e3),
}  # fmt: skip

_WORDS = "|".join(sorted({*_SMALL, *_TENS, *_SCALES, *_TIMES, *_SHARES}, key=len, reverse=True))
_THIN = "\u2009\u202f\u00a0"
_NUMBER: Final = re.compile(
    rf"(?<![\w.])(?<![^\W\d_]-)(?:(?P<digits>(?>\d{{1,3}}(?:[,{_THIN}]\d{{3}})+|\d+)(?>(?:[.·]\d++)?)|[.·]\d++)"
    rf"|(?P<word>{_WORDS})(?![^\W\d_]))"
)
_GROUPING: Final = re.compile(rf"[,{_THIN}]")
_UNIT: Final = re.compile(
    r"[ \u2009\u202f\u00a0-]?(?P<unit>%|per ?cent(?:age)?|°c|mm ?hg|[^\W\d_]{1,10})(?![^\W\d_])"
)
_SCALE: Final = re.compile(
    r"[ \u00a0-]?(?P<scale>hundred|thousand|million|billion|dozen)(?![^\W\d_])"
)
_DIGIT: Final = re.compile(
    r"[ -](one|two|three|four|five|six|seven|eight|nine)(?![^\W\d_]|-[^\W\d_])"
)
_PART: Final = re.compile(r"[ -](thirds|quarters|fifths|tenths)(?![^\W\d_])")
_JOIN: Final = re.compile(r" ?(?:[-–—−]|to|and) ?")
_P: Final = re.compile(r"(?<![^\W\d_])p(?:[- ]?values?)?(?: (?:for|of) \w{1,12})? ?[=<>≤≥] ?$")
_LEVEL: Final = re.compile(r" ?%? ?(?:c\.?i|confidence|credible)(?![^\W\d_])")
_APART: Final = re.compile(
    r"(?<![^\W\d_])(?:(?P<most>up to|less than|at most|under|below|fewer than|[<≤])"
    r"|(?P<least>more than|at least|above|[>≥])"
    r"|over|about|around|approximately|approx\.?|roughly|nearly|almost|some|~|≈)"
    r"(?: an?)? ?$"
)
_BEFORE: Final = 24
_ALONE: Final = frozenset(("p", "level", "works"))
"""Quantities that no plain number is of."""
_BASE: Final = 10.0
_RAISED: Final = str.maketrans("⁻−–⁰¹²³⁴⁵⁶⁷⁸⁹", "---0123456789")
_POWER: Final = re.compile(
    r"(?P<times> ?[×x·*] ?10)?\^?"
    r"(?P<exponent>(?<=\^)[-−–]?[0-9]{1,2}|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})(?!\d)"
)
_WORKS: Final = re.compile(
    r"(?: (?!(?:and|at|by|for|from|in|of|on|per|to|with) )[^\W\d_][^\W_-]{0,20}(?:-[^\W_]{1,20})?)"
    r"{0,3}? (?:articles|authors|experiments|investigations|meta-analyses|papers|publications"
    r"|rcts|reports|reviews|studies|surveys|trials)(?![^\W_])"
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text.

    Attributes:
        value: in the first unit of its quantity.
        factor: what the number as written is multiplied by to be that.
        step: what its last digit is worth, which is how exact it is.
        quantity: "%", "times", "p", "level" (of an interval), "works" (studies, reports), or one
            such as "time"; "" for a plain number, also before a word that is no unit.
        loose: whether the text says that it is about this much, or a bound.
        bound: 1 for "at least", -1 for "at most" and the like, 0 for neither.
    """

    value: float
    step: float
    quantity: str
    loose: bool
    start: int
    end: int
    factor: float = 1.0
    bound: int = 0


def find_numbers(text: str) -> list[Number]:
    """Return the numbers of a text in order, the first 100 of them; takes linear time."""
    lowered = lower(text)
    found: list[Number] = []
    at = 0
    while len(found) < MOST_NUMBERS and (match := _NUMBER.search(lowered, at)):
        written = _read_value(lowered, match)
        if written is None:
            at = match.end()
        else:
            found.append(_read_quantity(lowered, match.start(), written))
            at = found[-1].end
    return _share_units(lowered, found)


def lower(text: str) -> str:
    """Return a text in lower case with its length unchanged."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)


class _Written(NamedTuple):
    """A number without its unit; the quantity is that of "twice" and "a third"."""

    value: float
    step: float
    end: int
    quantity: str = ""


def _read_value(text: str, match: re.Match[str]) -> _Written | None:
    """Return a number in digits or words; None for a word that is no number there."""
    word, end = match["word"], match.end()
    if word is None:
        written = _read_power(text, _Written(*_read_digits(match["digits"]), end))
    elif word in _TIMES:
        return _Written(float(_TIMES[word]), 1.0, end, "times")
    else:
        counted = _read_word(text, match)
        if counted is None or counted.quantity:
            return counted
        written = counted
    scale = _SCALE.match(text, written.end)
    if scale is None:
        return written
    factor = _SCALES[scale["scale"]]
    return _Written(written.value * factor, written.step * factor, scale.end())


def _read_power(text: str, written: _Written) -> _Written:
    """Return a number with the power of ten that it is multiplied by, or that it is: "3 × 10^6",
    "10⁶"."""
    power = _POWER.match(text, written.end)
    if power is None:
        return written
    exponent = int(power["exponent"].translate(_RAISED))
    if power["times"]:
        factor = 10.0**exponent
        return _Written(written.value * factor, written.step * factor, power.end())
    if written.value != _BASE:
        return written
    return _Written(_BASE**exponent, _BASE ** (exponent - 1), power.end())


def _read_word(text: str, match: re.Match[str]) -> _Written | None:
    word, (start, end) = match["word"], match.span()
    is_counted = text[max(0, start - 4) : start].endswith(("a ", "one ", "one-"))
    if word in _SHARES:  # "third" may count an order; only "a third", "one quarter" say a share
        share = is_counted or word in ("half", "halved")
        return _Written(_SHARES[word], 1.0, end, "%") if share else None
    if word in _SCALES:
        return _Written(_SCALES[word], 1.0, end) if is_counted else None
    if word in _TENS:
        after = _DIGIT.match(text, end)
        more = _SMALL[after[1]] if after is not None else 0
        return _Written(_TENS[word] + more, 1.0, after.end() if after is not None else end)
    if part := _PART.match(text, end):
        return _Written(_SMALL[word] * _SHARES[part[1]], 1.0, part.end(), "%")
    return None if word == "one" and not _counts(text, end) else _Written(_SMALL[word], 1.0, end)


def _read_quantity(text: str, start: int, written: _Written) -> Number:
    """Return a number with its unit, or as a p value or level where it is one."""
    value, step, end, quantity = written
    before = text[max(0, start - _BEFORE) : start]
    apart = _APART.search(before)
    bound = 0 if apart is None else bool(apart["least"]) - bool(apart["most"])
    if _P.search(before):
        quantity = "p"
    elif _LEVEL.match(text, end):
        quantity = "level"
    number = Number(value, step, quantity, apart is not None, start, end, bound=bound)
    unit = None if quantity else _UNIT.match(text, end)
    if unit is None:
        return number
    name = unit["unit"]
    if name.startswith("per") and "cent" in name:
        name = "%"
    known = _UNITS.get(name) or _UNITS.get(name.removesuffix("s"))
    if known is None:
        return replace(number, quantity="works" if _WORKS.match(text, end) else "")
    quantity, factor = known
    value, step = value * factor, step * factor
    return replace(number, value=value, step=step, quantity=quantity, end=unit.end(), factor=factor)


def _read_digits(written: str) -> tuple[float, float]:
    plain = _GROUPING.sub("", written).replace("·", ".")[:30]
    whole, _, decimals = plain.partition(".")
    value = float(plain if whole else f"0{plain}")
    if decimals:
        return value, 10.0 ** -len(decimals)
    zeros = len(whole) - len(whole.rstrip("0"))
    return value, max(1.0, min(10.0**zeros, value / 20)) if zeros > 1 else 1.0


def _counts(text: str, end: int) -> bool:
    """Whether "one" is a number there: a unit, a scale or "in" and "of" with a number follow."""
    following = text[end : end + 16].strip(" -")
    first = following.split(" ")[0].removesuffix("s")
    return first in _UNITS or first in _SCALES or following.startswith(("in ", "out of "))


def _share_units(text: str, numbers: Sequence[Number]) -> list[Number]:
    """Give a number the unit of the next in "3-5 mg", "3 to 5 mg" and "3 and 5 mg"."""
    shared = list(numbers)
    for place in range(len(shared) - 2, -1, -1):
        number, other = shared[place], shared[place + 1]
        joined = other.start - number.end <= 5 and _JOIN.fullmatch(text, number.end, other.start)
        if joined and not number.quantity and other.quantity not in {"", *_ALONE}:
            shared[place] = replace(
                number,
                value=number.value * other.factor,
                step=number.step * other.factor,
                quantity=other.quantity,
                factor=other.factor,
            )
    return shared


def are_comparable(number: Number, other: Number) -> bool:
    """Whether two numbers are of the same quantity, or one may be of the other's."""
    quantities = {number.quantity, other.quantity}
    return len(quantities) == 1 or ("" in quantities and not quantities & _ALONE)


def agree(number: Number, other: Number) -> bool:
    """Whether two numbers say the same: they are equal to the digits that both have. Where one has
    no unit, both count as they are written.

    A number that is "about" or a bound agrees with what is within a tenth of it, and a bound with
    what is beyond it and no bound itself: up to twice or half as much, of p values with all.
    """
    if not are_comparable(number, other):
        return False
    alike = number.quantity == other.quantity
    factors = (1.0, 1.0) if alike else (number.factor, other.factor)
    value, second = number.value / factors[0], other.value / factors[1]
    step = max(number.step / factors[0], other.step / factors[1])
    apart = abs(value - second)
    if apart <= step * 0.5000001 or isclose(value, second):
        return True
    if not (number.bound and other.bound) and (number.bound - other.bound) * (second - value) > 0:
        return number.quantity == "p" or 2 * min(value, second) >= max(value, second)
    return (number.loose or other.loose) and apart <= 0.1 * max(abs(value), abs(second))

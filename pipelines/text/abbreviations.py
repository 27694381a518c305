"""Abbreviations that a text defines, as in "brown adipose tissue (BAT)" or "BAT (brown …)".

The algorithm is that of A. S. Schwartz, M. A. Hearst, "A simple algorithm for identifying
abbreviation definitions in biomedical text", PSB 2003, on spaCy's tokens. Only the surroundings of
parentheses are tokenised, since nothing else can hold a definition.
"""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

# A long form has at most 32 tokens before the parenthesis, and what stands in the parenthesis
# at most 8; characters for as many tokens as real text has.
_BEFORE = 300
_AFTER = 150
_OPEN = re.compile(r"\((?=[^()]*[^\W\d_])")
_BLANK_LINE = re.compile(r"\n\s*\n")
_NO_LONG_FORM = re.compile(r"[();]|[^\W\d_]{2}[.?!]\s")
# More than any text has. A word without end is none that has an abbreviation.
_LONGEST_WINDOW = 20_000
_MOST_DEFINED = 1_000
_MOST_IN_PARENTHESES = 8  # tokens; of up to three they are the short form, of more the long one
_MOST_IN_SHORT_FORM = 3
_TOKEN_LENGTHS = range(2, 10)  # characters of each token of a short form
_ENDLESS = re.compile(r"\S{500,}+")
# The tokeniser remembers every word it has seen, which makes it four times as fast; it starts
# anew at so many, or a million articles would fill the memory.
_MOST_WORDS = 300_000


def find_abbreviations(text: str) -> Mapping[str, str]:
    """Return the short forms that `text` defines, each with its long form.

    Of several long forms of one short form that which is given most often counts, of those given
    equally often the first. A long form may not hold its short form as a word, nor a parenthesis,
    a semicolon or the end of a sentence. A word before a parenthesis must be written with a
    capital, or it would be any word: "system (System …)".

    Args:
        text: any length; definitions do not reach across a blank line.
    """
    defined: dict[str, Counter[str]] = defaultdict(Counter)
    for start, end in _windows(text):
        for short, long in _definitions(text[start:end]):
            defined[short][long] += 1
    first = islice(defined.items(), _MOST_DEFINED)
    return {short: longs.most_common(1)[0][0] for short, longs in first}


def _windows(text: str) -> list[tuple[int, int]]:
    """Character offsets of the text around parentheses that hold a letter, without overlap but
    where one would be too long."""
    found: list[tuple[int, int]] = []
    if "(" not in text:
        return found
    edges = [0, *(m.end() for m in _BLANK_LINE.finditer(text)), len(text)]
    edge = 0
    for opening in _OPEN.finditer(text):
        place = opening.start()
        while edges[edge + 1] <= place:
            edge += 1
        start, end = max(place - _BEFORE, edges[edge]), min(place + _AFTER, edges[edge + 1])
        joins = found and start <= found[-1][1] and found[-1][0] >= edges[edge]
        if joins and end - found[-1][0] <= _LONGEST_WINDOW:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _definitions(text: str) -> Iterator[tuple[str, str]]:
    """Short form and long form of every definition in a stretch of text."""
    pipeline = _tokenizer()
    if len(pipeline.vocab.strings) > _MOST_WORDS:
        _tokenizer.cache_clear()
        pipeline = _tokenizer()
    document = pipeline.make_doc(_ENDLESS.sub(" ", text))
    for start, end in _in_parentheses(document):
        inside = document[start:end]
        before_parenthesis = len(inside) > _MOST_IN_SHORT_FORM
        if before_parenthesis:
            short, around = document[start - 2 : start - 1], inside.text
        else:
            length = sum(map(len, inside))
            words = min(length + 5, 2 * length)
            short, around = inside, document[max(0, start - 1 - words) : start - 1].text
        long = find_long_form(short.text, around) if _may_be_short(short) else ""
        if long and _sound(short.text, long, before_parenthesis):
            yield " ".join(short.text.split()), " ".join(long.split())


def _may_be_short(form: Any) -> bool:
    letters = sum(map(str.isalpha, form.text))
    return (
        all(len(token) in _TOKEN_LENGTHS for token in form)
        and form.text[0].isalpha()
        and 2 * letters >= len(form.text)
    )


def find_long_form(short: str, around: str) -> str:
    """Return the shortest end of a text that has the letters and digits of a short form in order,
    the first of them at the beginning of a word; "" if there is none that is longer."""
    place = len(around)
    for at in range(len(short) - 1, -1, -1):
        letter = short[at].lower()
        if not letter.isalnum():
            continue
        place -= 1
        while place >= 0 and (
            around[place].lower() != letter or (at == 0 and not _begins_word(around, place))
        ):
            place -= 1
        if place < 0:
            return ""
    return around[place:] if len(around) - place > len(short) else ""


def _begins_word(text: str, place: int) -> bool:
    """Whether a word begins there; the s of "Schlemm's" is none."""
    before = text[max(0, place - 2) : place]
    return not (before[-1:].isalnum() or (before[-1:] in ("'", "’") and before[0].isalnum()))


def _sound(short: str, long: str, before_parenthesis: bool) -> bool:
    if _NO_LONG_FORM.search(long):
        return False
    if (before_parenthesis or " " in short) and short.islower():
        return False
    return not re.search(rf"(?<!\w){re.escape(short)}(?!\w)", long, re.IGNORECASE)


def _in_parentheses(document: Any) -> Iterator[tuple[int, int]]:
    """Yield start and end of the tokens between each opening and closing parenthesis that are not
    too far apart for an abbreviation and behind another token. All pairs would be n² of them."""
    opened: deque[int] = deque()
    for number, token in enumerate(document):
        while opened and number - opened[0] > _MOST_IN_PARENTHESES + 1:
            opened.popleft()
        if token.text == ")":
            yield from ((start + 1, number) for start in opened if start and number - start > 1)
        elif token.text == "(":
            opened.append(number)


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    import spacy

    return spacy.blank("en")

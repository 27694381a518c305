"""How a sentence is worded: numbers, p values, intervals, comparisons, citations, own work."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from citespan.pipelines.ranking.analysed_article import AnalysedArticle, Floats
from citespan.pipelines.ranking.features.family import Columns, Family
from citespan.pipelines.ranking.pair import Pair

Characters = NDArray[np.uint32]
Kind = TypeVar("Kind", bound=np.generic)

_NAMES = (
    *("p_value", "interval", "percent", "ratio", "significant", "no_difference", "comparison"),
    *("direction", "groups", "shown_in", "own_work", "proposes", "methods", "citation"),
    *("finding", "aim", "open_question", "modal", "known"),
)
# What begins with a word: the words, and what follows. No two begin with the same word.
_AT_WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "p_value": (("p", r"(?:\s?[-‐–]?(?:value)?s?\s?[=<>≤≥]| for )"),),
    "interval": (("ci|iqr|sd", r"\b"),),
    "ratio": (
        ("or|rr|hr|aor|odds ratio|hazard ratio|risk ratio|relative risk", r"\b\s?[=:,(]?\s?\d"),
    ),
    "no_difference": (
        (
            "no|not|nor|neither|without",
            r"\b[^.;]{0,40}\b(?:differ|significan|effect|change|improve|associat)",
        ),
        ("similar|comparable", r"\b"),
    ),
    "comparison": (("compared|comparison|comparing|versus|vs|than|between|relative to", r"\b"),),
    "direction": (
        (
            "increas|decreas|reduc|improv|lower|higher|greater|fewer|less|more|better|worse"
            "|superior|inferior|rise|rose|fell|decline",
            "",
        ),
    ),
    "groups": (("groups|group|arms|arm|placebo|controls|control", r"\b"),),
    "shown_in": (("table|figure|fig|section|appendix", r"s?\.?\s?\(?\d"),),
    "own_work": (("we|our", r"\b"), ("this", r" (?:paper|work|study|article|trial)\b")),
    "proposes": (("propose|present|introduce|describe|develop|achiev|outperform", ""),),
    "finding": (
        (
            "show|demonstrat|found|find|conclude|suggest|result|reveal|observ|indicat|confirm"
            "|associat|correlat|detect|predict|lead|led|caus|induc|inhibit|affect",
            "",
        ),
    ),
    "aim": (
        ("aim|objective|purpose|goal|hypothes|sought|investigat|whether", ""),
        (
            "to",
            r" (?:determine|examine|evaluate|assess|explore|compare|study|test|identify"
            r"|understand|establish|describe|estimate|clarify)\b",
        ),
    ),
    "open_question": (("unclear|unknown|controvers|remain|poorly|lack|limited", ""),),
    "modal": (("may|might|could|should|can|would|potential|likely", r"\b"),),
    "known": (
        ("is|are", r" (?:an?|the|one|common|known|major|thought|considered|associated)\b"),
        ("ha", r"(?:s|ve) (?:been|become|shown)\b"),
    ),
    "methods": (
        (
            "were|was",
            r" (?:measured|assessed|randomi[sz]ed|recruited|calculated|analy[sz]ed|performed"
            r"|collected|used|recorded|evaluated|defined)\b",
        ),
        ("will", r" be\b"),
    ),
}
# What begins anywhere, with a character that is looked for: a class takes many times as long.
_ANYWHERE = {
    "interval": ("confidence interval", "±", r"\+/-"),
    "percent": ("percent",),
    "ratio": ("mean difference", "effect size"),
    "significant": ("significan", "statistically"),
    "citation": (
        r"\[\d{1,3}(?:[,–-]\s?\d{1,3})*\]|et al(?<=\bet al)\b"
        r"|\((?:[^()]{0,80}\s)?(?:19|20)\d\d[a-z]?[^()]{0,60}\)",
    ),
}
_COMPILED = {name: tuple(map(re.compile, patterns)) for name, patterns in _ANYWHERE.items()}
_ASCII = [chr(code) for code in range(128)]  # the last one stands for all that are not ASCII
_IN_WORDS = np.array([character.isalnum() or character == "_" for character in _ASCII])
_OTHER = 26  # what is not one of a to z, by number
_LETTERS = np.array([ord(c) - ord("a") if "a" <= c <= "z" else _OTHER for c in _ASCII])


def _join_by_letter() -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return a pattern that fits where one of `_AT_WORDS` begins, and the name of each group.

    A word is compared only with those of the same letter, which is several times as fast as one
    pattern after the other. What it finds has no length, so that one can begin within another.
    """
    letters: dict[str, dict[str, list[str]]] = {}
    for name, forms in _AT_WORDS.items():
        for words, rest in forms:
            for word in words.split("|"):
                letters.setdefault(word[0], {}).setdefault(name, []).append(word[1:] + rest)
    branches = []
    for letter, ends_of in letters.items():
        groups = (f"({'|'.join(ends)})" for ends in ends_of.values())
        branches.append(f"{letter}(?:{'|'.join(groups)})")
    names = tuple(name for ends_of in letters.values() for name in ends_of)
    return re.compile(rf"\b(?={'|'.join(branches)})"), names


def _find_beginnings() -> NDArray[np.bool_]:
    """Return for the first three letters of a word whether one of `_AT_WORDS` can begin so."""
    can = np.zeros((_OTHER + 1,) * 3, dtype=bool)
    for forms in _AT_WORDS.values():
        for words, _ in forms:
            for word in words.split("|"):
                can[tuple(_LETTERS[ord(letter)] for letter in word[:3])] = True
    return can


_WORDS, _GROUPS = _join_by_letter()
_BEGINNINGS = _find_beginnings()


def _compute(pair: Pair) -> Columns:
    counts = _describe(pair.article)
    digits = [float(term[0].isdigit()) for term, _ in pair.query.terms]
    shared = pair.present @ np.array(digits)
    return [
        counts["numbers"], pair.article.lengths, shared, *(counts[name] for name in _NAMES),
    ]  # fmt: skip


@lru_cache(maxsize=16)
def _describe(article: AnalysedArticle) -> dict[str, Floats]:
    """Return how often each sentence has a number, and what each pattern finds."""
    edges = np.cumsum([0, *map(len, article.texts)])
    text = "".join(article.texts).lower()
    if len(text) != edges[-1]:  # a letter whose lower case is two
        text = "".join(
            own.lower() if len(own.lower()) == len(own) else own for own in article.texts
        )
    return {
        name: np.bincount(
            np.searchsorted(edges, places, "right") - 1, minlength=len(article)
        ).astype(np.float64)
        for name, places in find_wording(text).items()
    }


def find_wording(text: str) -> dict[str, list[int]]:
    """Return where numbers, and what each pattern finds, begin in a text in lower case."""
    found: dict[str, list[int]] = {name: [] for name in ("numbers", *_NAMES)}
    characters = number_characters(f"{text}   ")
    found["numbers"], found["percent"] = _find_numbers(characters)
    ends = dict.fromkeys(_NAMES, 0)
    for place in _find_words(characters):
        word = _WORDS.match(text, place)
        if word is None:
            continue
        group = word.lastindex or 0
        name = _GROUPS[group - 1]
        if place >= ends[name]:  # not within another of the same name
            found[name].append(place)
            ends[name] = word.end(group)
    for name, patterns in _COMPILED.items():
        for pattern in patterns:
            found[name] += [match.start() for match in pattern.finditer(text)]
    return found


def number_characters(text: str) -> Characters:
    """Return the numbers of a text's characters."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _find_numbers(characters: Characters) -> tuple[list[int], list[int]]:
    """Return where numbers begin ("1", "1.2", "1,234.5"), and where those that are percentages
    end."""
    digits, spaces = have(characters, str.isdecimal), have(characters, str.isspace)
    points = (characters == ord(".")) | (characters == ord(",")) | (characters == ord("·"))
    begin = digits.copy()
    begin[1:] &= ~digits[:-1]
    begin[2:] &= ~(points[1:-1] & digits[:-2])
    signs = characters == ord("%")
    end = digits[:-2] & (signs[1:-1] | (spaces[1:-1] & signs[2:]))
    return np.flatnonzero(begin).tolist(), np.flatnonzero(end).tolist()


def have(characters: Characters, is_one: Callable[[str], bool]) -> NDArray[np.bool_]:
    """Return which characters, as numbers, are of a kind."""
    have: NDArray[np.bool_] = _look_up(
        np.array([is_one(character) for character in _ASCII]), characters
    )
    others = np.flatnonzero(characters >= len(_ASCII))
    have[others] = [is_one(chr(code)) for code in characters[others].tolist()]
    return have


def _look_up(table: NDArray[Kind], characters: Characters) -> NDArray[Kind]:
    looked_up: NDArray[Kind] = table[np.minimum(characters, len(_ASCII) - 1)]
    return looked_up


def _find_words(characters: Characters) -> list[int]:
    """Return where a word may begin that is in `_AT_WORDS`."""
    letters = _look_up(_LETTERS, characters)
    begin = letters != _OTHER
    begin[1:] &= ~_look_up(_IN_WORDS, characters[:-1])
    places = np.flatnonzero(begin)
    can = _BEGINNINGS[letters[places], letters[places + 1], letters[places + 2]]
    found: list[int] = places[can].tolist()
    return found


FAMILY = Family(
    "wording",
    "length, numbers, p values, intervals, comparisons, citations, words for own work, "
    "findings, aims and what is not known",
    ("numbers", "length", "shared_numbers", *_NAMES),
    _compute,
)

"""How a sentence is worded: numbers, p values, intervals, comparisons, citations, own work."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from citespan.pipelines.ranking.analysed_article import AnalysedArticle, Floats
from citespan.pipelines.ranking.features.family import Family
from citespan.pipelines.ranking.pair import Pair

_NAMES = (
    *("p_value", "interval", "percent", "ratio", "significant", "no_difference", "comparison"),
    *("direction", "groups", "shown_in", "own_work", "proposes", "methods", "citation"),
)
# What begins with a word: the words, and what follows. No two begin with the same word.
_AT_WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "p_value": (("p", r"(?:\s?[-‐–]?(?:value)?s?\s?[=<>≤≥]| for )"),),
    "interval": (("ci|iqr|sd", r"\b"),),
    "ratio": (
        (
            "or|rr|hr|aor|odds ratio|hazard ratio|risk ratio|relative risk",
            r"\b\s?[=:,(]?\s?\d",
        ),
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
    "proposes": (
        (
            "propose|present|introduce|describe|develop|show|demonstrat|found|find|conclude"
            "|suggest|result|achiev|outperform",
            "",
        ),
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
_NUMBER = re.compile(r"\d+(?:[.,·]\d+)*(\s?%)?")


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


_WORDS, _GROUPS = _join_by_letter()


def _compute(pair: Pair) -> Sequence[Floats | float]:
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
            one.lower() if len(one.lower()) == len(one) else one for one in article.texts
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
    for number in _NUMBER.finditer(text):
        found["numbers"].append(number.start())
        if number[1]:
            found["percent"].append(number.start(1) - 1)
    ends = dict.fromkeys(_NAMES, 0)
    for word in _WORDS.finditer(text):
        group = word.lastindex or 0
        name = _GROUPS[group - 1]
        if word.start() >= ends[name]:  # not within another of the same name
            found[name].append(word.start())
            ends[name] = word.end(group)
    for name, patterns in _COMPILED.items():
        for pattern in patterns:
            found[name] += [one.start() for one in pattern.finditer(text)]
    return found


FAMILY = Family(
    "wording",
    "length, numbers, p values, intervals, comparisons, citations, words for own work",
    ("numbers", "length", "shared_numbers", *_NAMES),
    _compute,
)

"""The features of a passage that tell which direction it reports.

They are of the clause that is most about the outcome ("clause: ") and of the whole passage
("passage: "): runs of words and of kinds of words; for each word that tells a direction, the arms
before and after it and the arm that is named first; which of two numbers is greater, with the arm
that is named first; results, as `masking` reads them. Of the outcome, they are its terms, whether
more of it is good or bad, and whether it is itself a change ("reduction in pain").
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isfinite, log
from typing import Final

from citespan.pipelines.answers.directions.comparison import Comparison
from citespan.pipelines.answers.directions.masking import (
    BETWEEN,
    CHANGES,
    CMP,
    DIFFERENT,
    INT,
    KIND_OF_WORD,
    NOT,
    SAME,
    SIGNIFICANT,
    THAN,
    Masks,
    Token,
    mask,
    split_clauses,
)
from citespan.pipelines.text.lucene import find_terms
from citespan.pipelines.text.words import words

_LONGEST_PASSAGE: Final = 5_000  # in characters; a longer one is a table without marks
_NONE: Final = "none"
_TELLING: Final = CHANGES | {SAME, DIFFERENT, SIGNIFICANT}
_ONE_KIND: Final = _TELLING | {NOT, THAN, BETWEEN}
_WORD_RUNS: Final = (1, 2, 3)
_KIND_RUNS: Final = (2, 3, 4)
_NEAR: Final = 12  # tokens between a comparative and "than"

_BAD_OUTCOMES: Final = frozenset(
    find_terms(
        """
        pain mortality death deaths adverse complication complications symptom symptoms anxiety
        depression depressive bleeding infection infections relapse recurrence failure nausea
        vomiting fatigue stress error errors toxicity disease incidence risk fever hypotension
        hypertension pressure cholesterol ldl triglycerides glucose hba1c bmi weight fat
        inflammation crp score scores severity disability duration time delay length stay
        hospitalization hospitalisation rejection loss cost costs distress burden wound blood edema
        oedema craving smoking drinking alcohol insomnia diarrhea diarrhoea parasitemia parasitaemia
        events event injury fracture fractures caries plaque gingival cancer tumor tumour
        progression cough dyspnea exacerbation exacerbations stroke infarction arrhythmia
        fibrillation requirement consumption use opioid morphine analgesic viral load tnf il-6
        cortisol insulin resistance homa-ir nightmares seizures headache migraine itching scar ulcer
        violence problems problem
        """
    )
)
_GOOD_OUTCOMES: Final = frozenset(
    find_terms(
        """
        quality survival remission response cure recovery function functioning adherence success
        satisfaction knowledge strength endurance performance hdl efficacy effectiveness healing
        improvement mobility balance pregnancy birth capacity sleep skills skill ability cognition
        memory activity fev1 attendance uptake immunity antibody titers seroconversion wellbeing
        well-being self-efficacy motivation competence accuracy clearance rate patency range motion
        density bone vaccination coverage cd4 oxygen compliance abstinence cessation awareness
        confidence comfort hemoglobin haemoglobin
        """
    )
)

# Numbers that are no results: what stands before them, or behind.
_NO_RESULT_BEFORE: Final = frozenset(
    (
        *("±", "week", "month", "day", "table", "fig", "figure", "grade", "phase", "version", "/"),
        *("t", "f", "df", "χ2", "z", "r", "d", "age", "aged", "year", "visit", "time", "sd", "n"),
        *("iqr", "range"),
    )
)
_STATISTICS: Final = frozenset(("n", "t", "f", "r", "d", "z", "df", "η2", "x2", "χ2", "es"))
_NO_RESULT_AFTER: Final = re.compile(
    r"[−–-]?[\d.,·]{1,60}\s?%?\s?(?:weeks?|months?|years?|IU|patients|participants|subjects|women"
    r"|men|children|cycles)\b",
    re.IGNORECASE,
)
_BRACKET_TOKENS: Final = 6
_MID, _BIG = 0.12, 0.4  # of the logarithm of the ratio of two results
_MOST_COUNTED: Final = 6


def describe_passage(comparison: Comparison, passage: str) -> frozenset[str]:
    """Return the features of a passage for a comparison."""
    masks = Masks.of(comparison)
    clauses = split_clauses(passage[:_LONGEST_PASSAGE])
    masked = [mask(clause, masks) for clause in clauses]
    found = set(_describe_outcome(comparison.outcome))
    if not clauses:
        return frozenset(found)
    value, change = _value_outcome(comparison.outcome)
    best = max(range(len(clauses)), key=lambda place: (_weigh(masked[place]), -place))
    found.update(
        f"clause: {feature}"
        for feature in _describe_part(masked[best], [(masked[best], clauses[best])], value, change)
    )
    pairs = list(zip(masked, clauses, strict=True))
    every = [token for own in masked for token in own]
    found.update(f"passage: {feature}" for feature in _describe_part(every, pairs, value, change))
    return frozenset(found)


def _describe_outcome(outcome: str) -> Iterator[str]:
    value, change = _value_outcome(outcome)
    yield f"outcome: {value}"
    yield f"outcome is a change: {change}"
    for term in find_terms(outcome):
        yield f"outcome has: {term}"


def _value_outcome(outcome: str) -> tuple[str, str]:
    """Return whether more of an outcome is good, and which changes it is."""
    terms = set(find_terms(outcome))
    values = [
        name
        for name, own in (("bad", _BAD_OUTCOMES), ("good", _GOOD_OUTCOMES))
        if not terms.isdisjoint(own)
    ]
    changes = {KIND_OF_WORD.get(word.lower(), "") for word in words(outcome)} & CHANGES
    return "+".join(values) or "unknown", "+".join(sorted(changes)) or _NONE


def _weigh(tokens: Sequence[Token]) -> float:
    """Return how much a clause seems to be the result for the outcome."""
    weights = {"outcome": 1.0, "arm": 0.3, "result": 0.2}
    weights |= dict.fromkeys(CHANGES | {SAME, NOT, SIGNIFICANT}, 0.2)
    return sum(weights.get(token.kind, 0.0) for token in tokens)


def _describe_part(
    tokens: Sequence[Token], clauses: Sequence[tuple[Sequence[Token], str]], value: str, change: str
) -> Iterator[str]:
    """Yield the features of a clause, or of all clauses of a passage."""
    arms = [token.text for token in tokens if token.kind == "arm"]
    first = arms[0] if arms else _NONE
    both = "both" if INT in arms and CMP in arms else "one"
    yield f"first arm {first}, {both}"
    texts = [token.text for token in tokens]
    kinds = [token.kind if token.kind in _ONE_KIND else token.text for token in tokens]
    for lengths, own in ((_WORD_RUNS, texts), (_KIND_RUNS, kinds)):
        for length in lengths:
            for place in range(len(own) - length + 1):
                yield " ".join(own[place : place + length])
    negated = any(token.kind in (NOT, SAME) for token in tokens)
    yield f"negated {negated}"
    yield from _describe_results(tokens, first)
    yield from _describe_directions(tokens, first, negated, value, change)
    yield from _compare_numbers(tokens, clauses, first, both)


def _describe_results(tokens: Sequence[Token], first: str) -> Iterator[str]:
    results = [token.text for token in tokens if token.kind == "result"]
    yield f"first result {results[0] if results else _NONE}"
    for result in results:
        yield f"has {result}, first arm {first}"
    outcome = next((at for at, token in enumerate(tokens) if token.kind == "outcome"), None)
    p_values = [at for at, token in enumerate(tokens) if token.text.startswith("P ")]
    if outcome is not None and p_values:
        behind = next((at for at in p_values if at > outcome), p_values[-1])
        yield f"result of outcome {tokens[behind].text}"


def _describe_directions(
    tokens: Sequence[Token], first: str, negated: bool, value: str, change: str
) -> Iterator[str]:
    nexts: list[str] = []
    following = _NONE
    for token in reversed(tokens):
        nexts.append(following)
        following = token.text if token.kind == "arm" else following
    nexts.reverse()
    before, not_before = _NONE, False
    for place, (token, after) in enumerate(zip(tokens, nexts, strict=True)):
        not_before = not_before or token.kind == NOT
        if token.kind == "arm":
            before = token.text
        if token.kind not in _TELLING:
            continue
        than = any(later.kind == THAN for later in tokens[place + 1 : place + _NEAR])
        for name in (token.text, token.kind):
            yield f"{name} between {before} and {after}"
            yield f"{name} behind {before}"
            yield f"{name} before {after}"
            yield f"{name}, first arm {first}"
            yield f"{name}, first arm {first}, negated {negated}"
            yield f"{name} between {before} and {after}, than {than}"
        if token.kind in CHANGES:
            yield f"{token.kind} between {before} and {after}, outcome {value}"
            yield f"{token.kind}, first arm {first}, outcome {value}"
            yield f"{token.kind}, first arm {first}, outcome is {change}"
            yield f"{token.kind}, not before {not_before}"


def _compare_numbers(
    tokens: Sequence[Token], clauses: Sequence[tuple[Sequence[Token], str]], first: str, both: str
) -> Iterator[str]:
    found = [number for own, clause in clauses for number in find_results(own, clause)]
    if len(found) < 2:
        return
    here, other = found[:2]
    order = "equal" if here == other else "falling" if here > other else "rising"
    yield f"{order}, first arm {first}"
    yield f"{order}, first arm {first}, {both}"
    names = {token.text for token in tokens if token.text.startswith("P ")}
    said = (
        "P SIGNIFICANT"
        if "P SIGNIFICANT" in names
        else "P NOT SIGNIFICANT"
        if names
        else _NONE
    )  # fmt: skip
    yield f"{order}, first arm {first}, {said}"
    yield f"{min(len(found), _MOST_COUNTED)} numbers"
    if here and other:
        ratio = abs(log(abs(here / other)))
        size = "big" if ratio > _BIG else "mid" if ratio > _MID else "small"
        yield f"{size} difference"
        yield f"{order}, first arm {first}, {size}"


def find_results(tokens: Sequence[Token], clause: str) -> list[float]:
    """Return the numbers of a clause that look like results of its arms, in order: percentages if
    there are two, else those without deviations, sizes of groups, statistics and dates."""
    plain: list[float] = []
    percentages: list[float] = []
    for place, token in enumerate(tokens):
        if token.value is None or not isfinite(token.value) or not _may_be_result(tokens, place):
            continue
        if _NO_RESULT_AFTER.match(clause, token.start):
            continue
        is_percentage = token.text == "PERCENT"
        if is_percentage and token.value == 95:  # of an interval
            continue
        if is_percentage:
            percentages.append(token.value)
        if not _is_bracketed(tokens, place):
            plain.append(token.value)
    return percentages if len(percentages) > 1 else plain


def _may_be_result(tokens: Sequence[Token], place: int) -> bool:
    before = [token.text for token in tokens[max(0, place - 2) : place]]
    if before and before[-1] in _NO_RESULT_BEFORE:
        return False
    return not (len(before) > 1 and before[1] == "=" and before[0] in _STATISTICS)


def _is_bracketed(tokens: Sequence[Token], place: int) -> bool:
    """Whether a number is in brackets that follow a number: "12.3 (4.5)"."""
    start = max(0, place - _BRACKET_TOKENS)
    pairs = list(pairwise(tokens[start:place]))
    for before, token in reversed(pairs):
        if token.text == ")":
            return False
        if token.text == "(":
            return before.value is not None
    return False

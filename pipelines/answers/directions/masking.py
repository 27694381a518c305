"""A passage as directions are read from it: its arms, its outcome and its results are masked.

What tells the direction is how words stand to the two arms, not which drugs they are: of "pain was
lower with ketamine than with midazolam", OUT "was lower with" INT "than with" CMP is left. Results
are read as well: p values, intervals that include "no effect" or not, ratios and differences.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from citespan.pipelines.answers.directions.comparison import Comparison
from citespan.pipelines.text.lucene import find_terms, fold

Kind = Literal["arm", "outcome", "number", "result", "mark", "word"] | str
INT: Final = "INT"
CMP: Final = "CMP"
OUT: Final = "OUT"

UP: Final = "UP"
DOWN: Final = "DOWN"
GOOD: Final = "GOOD"
BAD: Final = "BAD"
SAME: Final = "SAME"
NOT: Final = "NOT"
SIGNIFICANT: Final = "SIGNIFICANT"
DIFFERENT: Final = "DIFFERENT"
THAN: Final = "THAN"
BETWEEN: Final = "BETWEEN"
_WORDS_OF_KINDS: Final = {
    UP: """
        higher greater more increased increase increases increasing rose raised larger longer
        elevated elevation exceeded faster most highest increment gain gained above enhanced
        enhancement doubled rise upregulated greatest heavier bigger often
        """,
    DOWN: """
        lower less fewer reduced reduce reduces reduction reductions reducing decreased decrease
        decreases decreasing decline declined shorter smaller fell dropped lowered lowest least drop
        diminished attenuated slower below earlier suppressed loss lost fewest blunted shortened
        prevented protected inhibited lessened lighter
        """,
    GOOD: """
        better improved improve improves improvement improvements improving superior effective
        superiority benefit beneficial favour favor favoured favored favouring favoring best
        efficacious effectively success efficacy successful advantage
        """,
    BAD: "worse inferior worsened deterioration poorer deteriorated worst worsening poor",
    SAME: """
        similar similarly same comparable equal equivalent identical unchanged alike equally
        constant stable noninferior non-inferior equivalence
        """,
    NOT: """
        no not neither nor without none didn't cannot nonsignificant non-significant insignificant
        failed fail unaffected lack nonsignificantly non-significantly insignificantly
        """,
    SIGNIFICANT: "significant significantly statistically markedly substantially significance",
    DIFFERENT: """
        differ differed difference differences different differs effect effects affect affected
        association associated interaction
        """,
    THAN: "than compared versus vs relative comparison against",
    BETWEEN: "between among both groups arms across",
}
KIND_OF_WORD: Final = {word: kind for kind, own in _WORDS_OF_KINDS.items() for word in own.split()}
CHANGES: Final = frozenset((UP, DOWN, GOOD, BAD))

# What arms are called whatever is compared, and words of arms that both may have.
_COMPARATORS: Final = frozenset(
    find_terms(
        "control controls placebo sham usual standard conventional waitlist wait-list untreated "
        "comparator comparison baseline"
    )
)
_INTERVENTIONS: Final = frozenset(
    ("intervention", "experimental", "treatment", "treated", "active", "study")
)
_NO_ARMS: Final = frozenset(
    find_terms(
        "group groups mg kg ml day days daily week weeks month months dose treatment patients "
        "patient subjects plus per g mcg h hour hours arm received receiving therapy cohort min "
        "year years women men children participants mg/kg versus compared iu subject time twice "
        "once total"
    )
)

_NUMBER = r"[−–-]?\d{1,12}(?:[.,·]\d{1,12}){0,3}"
_P_VALUE = re.compile(
    r"\bp(?:[\s-]{0,2}values?)?\s{0,2}(?:for\s\w{1,40}\s)?"
    r"(?P<sign>=|<|>|≤|≥|⩽|⩾|&lt;|&gt;|was|of)\s{0,2}(?:=\s?)?"
    r"(?:0?[.,·]\s?(?P<digits>\d{1,20})|(?P<one>1(?:[.·]0{1,9})?\b|NS|n\.s)|0\b)",
    re.IGNORECASE,
)
_INTERVAL = re.compile(
    r"(?:\bCIs?\b|confidence intervals?)[^\d−–-]{0,20}(?:95\s?%?)?[^\d−–-]{0,6}"
    rf"(?P<low>{_NUMBER})\s{{0,2}}%?\s{{0,2}}(?:,|;|to|–|-|—|−|and|/)\s{{0,2}}(?P<high>{_NUMBER})"
)
_RATIO = re.compile(
    r"\b(?:a?(?:OR|RR|HR|IRR|PR)|odds ratio|hazard ratio|relative risk|risk ratio|rate ratio)s?\b"
    r"\D{0,15}(?P<value>\d{1,12}[.·]\d{1,12})"
)
_DIFFERENCE = re.compile(
    r"\b(?:S?MD|WMD|mean difference|difference(?: in means| of)?|effect size|coefficient|β"
    r"|estimated difference|ES|Cohen.s d)\b[^\d−–-]{0,12}"
    rf"(?P<value>{_NUMBER})"
)
_NAMES_RATIO = re.compile(r"ratio|\b[aA]?(?:OR|RR|HR|IRR)\b|relative risk")
_BEFORE_INTERVAL = 60
_TOKEN = re.compile(
    r"[^\W\d_][\w'’]{0,80}(?:[-‐‑][A-Za-z0-9]{1,80}){0,8}"
    rf"|{_NUMBER}\s?%?|[<>=±≤≥;:.,()]"
)
_CLAUSE_END = re.compile(
    r"(?<=[a-z0-9)%])[.;]\s{1,9}(?=[A-Z(])|;\s|\n|\.(?=Table|Fig)"
    r"|,\s(?=whereas|while|but|although)"
)
_SIGNIFICANT = 0.05
_MARGINAL = 0.1


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, mark or result.

    Attributes:
        text: what it is called: a term, or the name of what is masked.
        kind: of words that tell a direction, which they tell.
        start: its offset in the clause.
        value: of a number; None for others.
    """

    text: str
    kind: Kind
    start: int
    value: float | None = None


@dataclass(frozen=True)
class Masks:
    """The terms that stand for the two arms and for the outcome.

    A term of both arms stands for neither; an arm whose terms are all common to trials keeps them.
    """

    intervention: frozenset[str]
    comparator: frozenset[str]
    outcome: frozenset[str]

    @classmethod
    def of(cls, comparison: Comparison) -> "Masks":
        """Return the masks of a comparison."""
        outcome, intervention, comparator = (
            frozenset(find_terms(part))
            for part in (comparison.outcome, comparison.intervention, comparison.comparator)
        )
        only_one, only_other = intervention - comparator, comparator - intervention
        of_intervention, other = _drop_common(only_one), _drop_common(only_other)
        about = outcome - of_intervention - other
        return cls(
            of_intervention | (_INTERVENTIONS - comparator - outcome - other),
            other | (_COMPARATORS - intervention - outcome - of_intervention),
            about if len(about) < 3 else about - _NO_ARMS,
        )


def _drop_common(terms: frozenset[str]) -> frozenset[str]:
    left = terms - _NO_ARMS or terms
    return frozenset(term for term in left if not term[0].isdigit()) or left


def split_clauses(passage: str) -> list[str]:
    """Return the clauses of a passage: its sentences, and their parts that a trial's results may
    stand in by themselves."""
    edges = [0, *(found.end() for found in _CLAUSE_END.finditer(passage)), len(passage)]
    clauses = (passage[start:end] for start, end in pairwise(edges))
    return [clause for clause in clauses if clause.strip()]


def mask(clause: str, masks: Masks) -> list[Token]:
    """Return the tokens of a clause; of several with one mask that follow one another the first."""
    found: list[Token] = []
    last = 0
    for start, end, result in sorted(_find_results(clause)):
        if start < last:
            continue
        found += _find_tokens(clause, last, start, masks)
        found.append(Token(result, "result", start))
        last = end
    found += _find_tokens(clause, last, len(clause), masks)
    return [
        token
        for token, before in zip(found, [None, *found], strict=False)
        if before is None or token.text != before.text or token.text not in (INT, CMP, OUT)
    ]


def read_number(written: str) -> float:
    """Return the value of a number as trials write it; NaN for what is none, such as "1.2.3"."""
    plain = written.rstrip("% ").translate(str.maketrans("−–·", "--."))
    whole, comma, decimals = plain.partition(",")
    if comma and "," not in decimals and "." not in decimals and len(decimals) < 3:
        plain = f"{whole}.{decimals}"
    try:
        return float(plain.replace(",", ""))
    except ValueError:
        return float("nan")


def _find_tokens(clause: str, start: int, end: int, masks: Masks) -> Iterator[Token]:
    for match in _TOKEN.finditer(clause, start, end):
        word = match[0]
        if word[-1] in "0123456789% " and (word[0].isdigit() or word[0] in "−–-"):
            name = "PERCENT" if word.endswith("%") else "NUMBER"
            yield Token(name, "number", match.start(), read_number(word))
        elif not word[0].isalpha():
            yield Token(word, "mark", match.start())
        else:
            yield _mask_word(word, match.start(), masks)


def _mask_word(word: str, start: int, masks: Masks) -> Token:
    written = word.lower().replace("’", "'")
    terms = find_terms(word)
    term = terms[0] if len(terms) == 1 else fold(written)
    parts = {*terms, term}
    is_one, is_other = bool(parts & masks.intervention), bool(parts & masks.comparator)
    if is_one != is_other:
        return Token(INT if is_one else CMP, "arm", start)
    if kind := KIND_OF_WORD.get(written):
        return Token(written, kind, start)
    if parts & masks.outcome:
        return Token(OUT, "outcome", start)
    return Token(term, "word", start)


def _find_results(clause: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, name) of each p value, interval, ratio and difference."""
    for found in _P_VALUE.finditer(clause):
        yield *found.span(), _name_p_value(found)
    for found in _INTERVAL.finditer(clause):
        low, high = read_number(found["low"]), read_number(found["high"])
        if high < 0 < low and "−" not in found["high"]:
            high = -high  # "0.68-2.76" is a range
        before = clause[max(0, found.start() - _BEFORE_INTERVAL) : found.start()]
        none = 1.0 if _NAMES_RATIO.search(before) else 0.0
        name = "AROUND" if low <= none <= high else "ABOVE" if low > none else "BELOW"
        yield *found.span(), f"{'RATIO' if none else 'DIFFERENCE'} INTERVAL {name}"
    for found in _RATIO.finditer(clause):
        name = "ABOVE" if read_number(found["value"]) > 1 else "BELOW"
        yield *found.span(), f"RATIO {name}"
    for found in _DIFFERENCE.finditer(clause):
        name = "ABOVE" if read_number(found["value"]) > 0 else "BELOW"
        yield *found.span(), f"DIFFERENCE {name}"


def _name_p_value(found: re.Match[str]) -> str:
    value = float(f"0.{found['digits']}") if found["digits"] else 1.0 if found["one"] else 0.0
    is_above = found["sign"].lower() in (">", "≥", "⩾", "&gt;")
    if value <= _SIGNIFICANT and not is_above:
        return "P SIGNIFICANT"
    return "P NOT SIGNIFICANT" if is_above or value > _MARGINAL else "P MARGINAL"

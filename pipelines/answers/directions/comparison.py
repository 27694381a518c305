"""The outcome, the intervention and the comparator that a question is about."""

import re
from dataclasses import asdict, dataclass
from typing import Any, Final

from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.short_forms import ShortForms
from citespan.pipelines.text.lucene import find_terms

NO_COMPARATOR: Final = "control or placebo"
"""What an intervention is compared with in a question that names nothing."""
_LONGEST_QUESTION: Final = 1_000  # in characters; nobody compares two interventions in more
LONGEST_PART: Final = 2_000

_OPENING = re.compile(
    r"\s{0,3}(?:does|do|did|can|could|will|would|should|is|are|was|were|has|have)\b\s{0,3}",
    re.IGNORECASE,
)
_EFFECT = re.compile(
    r"\s{0,3}(?:what\s(?:is|are|was|were)\s)?(?:the\s)?(?:effects?|impact|influence|efficacy)\sof\s",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\s(?:significantly\s)?(?:reduced?|reduces|increased?|increases|decreased?|decreases"
    r"|improved?|improves|lowers?|lowered|raises?|raised|affects?|affected|changes?|alters?"
    r"|shortens?|prolongs?|prevents?|influences?|worsens?|enhances?|accelerates?|delays?"
    r"|protects?\sagainst|leads?\sto|results?\sin|has\san?\seffect\son|have\san?\seffect\son"
    r"|causes?)\s",
    re.IGNORECASE,
)
_BETTER = re.compile(
    r"\s(?:better|worse|safer|superior|inferior|more\seffective|less\seffective|as\seffective"
    r"|as\sgood|as\ssafe)\s",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r",?\s(?:(?:as\s|when\s)?compared\s(?:with|to)|in\scomparison\s(?:with|to)|versus|vs\.?"
    r"|rather\sthan|more\sthan|better\sthan|than)\s",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\s(?:for|in\sterms\sof|with\sregard\sto|at|in)\s", re.IGNORECASE)
_ON = re.compile(r"\son\s", re.IGNORECASE)
_PEOPLE = re.compile(
    r",?\s(?:in|among|of|for)\s(?:[\w-]{1,40}\s){0,4}(?:patients?|adults?|children|women|men|people"
    r"|persons|infants|neonates|adolescents|participants|subjects|volunteers|individuals|those)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a trial may have found something of.

    Attributes:
        derived: whether any part was derived from the question.
    """

    outcome: str
    intervention: str
    comparator: str
    derived: bool = False

    def __str__(self) -> str:
        return f"{self.outcome}: {self.intervention} compared with {self.comparator}"

    def swap(self) -> "Comparison":
        """Return it with intervention and comparator exchanged."""
        return Comparison(self.outcome, self.comparator, self.intervention, self.derived)

    def add_short_forms(self, short_forms: ShortForms) -> "Comparison":
        """Return it with what its parts are also called in a text that has these short forms:
        "DBP" for "diastolic blood pressure", and the reverse."""

        def add(part: str) -> str:
            terms = set(find_terms(part))
            also = [short for short, long in short_forms.items() if terms.issuperset(long)]
            also += (term for short in terms & short_forms.keys() for term in short_forms[short])
            return " ".join((part, *sorted(also)))

        outcome, intervention = add(self.outcome), add(self.intervention)
        return Comparison(outcome, intervention, add(self.comparator), self.derived)

    def to_json(self) -> dict[str, Any]:
        """Return its parts by name."""
        return asdict(self)


def read_comparison(
    question: str,
    outcome: str | None = None,
    intervention: str | None = None,
    comparator: str | None = None,
) -> Comparison | None:
    """Return what is compared: the parts that are given, and the others from the question.

    Returns:
        None if no part is given, and the question has no form that is known.

    Raises:
        InputError: if a part has no word to look for, is longer than any, or is neither given nor
            in the question.
    """
    given = {"outcome": outcome, "intervention": intervention, "comparator": comparator}
    for name, part in given.items():
        if part is None:
            continue
        if len(part) > LONGEST_PART:
            raise InputError(f"{name}: {len(part):,} characters; at most {LONGEST_PART:,}")
        if not find_terms(part):
            raise InputError(f"{name} '{part}': no word in it; name what the trial was about")
    found = derive_comparison(question)
    if found is None and all(part is None for part in given.values()):
        return None
    parts = {
        name: " ".join(part.split()) if part is not None else getattr(found, name, None)
        for name, part in given.items()
    }
    if missing := [name for name, part in parts.items() if part is None]:
        raise InputError(
            f"no direction without {' and '.join(missing)}, which the question does not name in a "
            "form that is known; give outcome, intervention and comparator"
        )
    return Comparison(
        str(parts["outcome"]),
        str(parts["intervention"]),
        str(parts["comparator"]),
        derived=any(part is None for part in given.values()),
    )


def derive_comparison(question: str) -> Comparison | None:
    """Return what a question compares; None if it has none of the forms that are known.

    These are "Does INTERVENTION (compared with COMPARATOR) reduce OUTCOME?", with other verbs as
    well, "Is INTERVENTION better than COMPARATOR for OUTCOME?" and "What is the effect of
    INTERVENTION (versus COMPARATOR) on OUTCOME?". The comparator may follow the outcome. People are
    left out of the outcome: "in adults with asthma".
    """
    text = " ".join(question.split()).rstrip(" ?.!")
    if len(text) > _LONGEST_QUESTION:
        return None
    if effect := _EFFECT.match(text):
        arms, on, outcome = _split(_ON, text[effect.end() :])
        return _make(arms, outcome) if on else None
    opening = _OPENING.match(text)
    if opening is None:
        return None
    rest = " " + text[opening.end() :]
    before, verb, after = _split(_VERB, rest)
    if verb:
        return _make(before, after)
    before, better, after = _split(_BETTER, rest)
    if better:
        other, about, outcome = _split(_ABOUT, re.sub(r"^(?:than|to|as)\s", "", after))
        return _make(f"{before} versus {other}", outcome) if about else None
    return None


def _split(pattern: re.Pattern[str], text: str) -> tuple[str, bool, str]:
    found = pattern.search(text)
    if found is None:
        return text, False, ""
    return text[: found.start()], True, text[found.end() :]


def _make(arms: str, outcome: str) -> Comparison | None:
    intervention, is_named, comparator = _split(_AGAINST, arms)
    if not is_named:
        outcome, is_named, comparator = _split(_AGAINST, outcome)
    outcome, comparator = (_split(_PEOPLE, part)[0] for part in (outcome, comparator))
    compared = comparator if is_named else NO_COMPARATOR
    outcome, intervention, compared = (
        part.strip(" ,;:") for part in (outcome, intervention, compared)
    )
    if not all(map(find_terms, (outcome, intervention, compared))):
        return None
    return Comparison(outcome, intervention, compared, derived=True)

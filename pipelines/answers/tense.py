"""The tense of a sentence's main verb (paper B, section 3.1.2).

The paper takes the verb at the root of the Stanford parser's tree. Here it is the root of the
shipped pipeline's tree, or, without a parser, the first finite verb by the tags alone.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from spacy.tokens import Doc

Tense = Literal["past", "present", "present perfect", "past perfect", "modal", "none"]

_FINITE: dict[str, Tense] = {"VBD": "past", "VBZ": "present", "VBP": "present", "MD": "modal"}
_PERFECT: dict[str, Tense] = {"past": "past perfect", "present": "present perfect"}
_AUXILIARIES = ("aux", "auxpass", "cop")
_HAVE = frozenset(("have", "has", "had", "'ve", "'d"))


def root_tense(sentence: "Doc") -> Tense:
    """The tense of the root and its auxiliaries; "none" where they hold no finite verb.

    Args:
        sentence: one sentence with tags and dependencies. Where the parser finds several
            roots in it, the first that is a verb counts.
    """
    for token in sentence:
        if token.head.i == token.i:
            verbs = [child for child in token.children if child.dep_ in _AUXILIARIES]
            found = _tense(sorted((*verbs, token), key=lambda verb: verb.i))
            if found != "none":
                return found
    return "none"


def first_finite_tense(sentence: "Doc") -> Tense:
    """The tense of the first finite verb and what follows it, by tags alone."""
    for place, token in enumerate(sentence):
        if token.tag_ in _FINITE:
            end = place + 1
            while end < len(sentence) and sentence[end].tag_ == "RB":
                end += 1
            return _tense(sentence[place : end + 1])
    return "none"


def _tense(verbs: Iterable[Any]) -> Tense:
    """The tense of a verb group: the first finite verb's, perfect if that is "have" before a
    participle."""
    rest = iter(verbs)
    for verb in rest:
        tense = _FINITE.get(verb.tag_)
        if tense is None:
            continue
        perfect = verb.lower_ in _HAVE and any(later.tag_ == "VBN" for later in rest)
        return _PERFECT.get(tense, tense) if perfect else tense
    return "none"

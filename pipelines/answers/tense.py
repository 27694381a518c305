"""The tense of a sentence's main verb (paper B, section 3.1.2).

The paper takes the verb at the root of the Stanford parser's tree. Here the tree is that of a
shipped pipeline, and only sentences whose tags leave a choice are parsed, about one in five of an
abstract: the root of any other can have but one tense, and parsing it takes time and adds the
parser's errors. `benchmarks/tenses.py` measures that on CRAFT's gold trees: it says the tense of
their roots oftener than trees of all sentences do.
"""

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from spacy.tokens import Doc

Tense = Literal["past", "present", "present perfect", "past perfect", "modal", "none"]

_FINITE: dict[str, Tense] = {"VBD": "past", "VBZ": "present", "VBP": "present", "MD": "modal"}
_PERFECT: dict[str, Tense] = {"past": "past perfect", "present": "present perfect"}
_AUXILIARIES = ("aux", "auxpass", "cop")
_HAVE = frozenset(("have", "has", "had", "'ve", "'d"))
_OPENING_TAGS = frozenset(("WDT", "WP", "WP$", "WRB"))
_OPENING_WORDS = frozenset(("that", "whether", "if", "because"))


def only_tense(sentence: "Doc") -> Tense | None:
    """The one tense that the root can have by the tags; None where a tree must tell.

    A tree must tell between finite verbs of several tenses, whether "have" goes with a participle
    behind it, and whether there is a main clause at all ("To see whether mice eat") if the first
    finite verb is behind a word that opens a subordinate one.
    """
    ids = _ids()
    # Numbers of all tokens at once: making a token for each takes longer than tagging it.
    tokens = sentence.to_array(["TAG", "LOWER"]).tolist()
    found: Tense | None = None
    subordinate = have = False
    for tag, word in tokens:
        if tag == ids.participle and have:
            return None
        tense = ids.finite.get(tag)
        if tense is not None:
            if subordinate or found not in (None, tense):
                return None
            found = tense
            have = have or word in ids.have
        elif found is None and (tag in ids.opening_tags or word in ids.opening_words):
            subordinate = True
    return found or "none"


class _Ids(NamedTuple):
    """spaCy's numbers of tags and words."""

    finite: dict[int, Tense]
    participle: int
    opening_tags: frozenset[int]
    opening_words: frozenset[int]
    have: frozenset[int]


@cache
def _ids() -> _Ids:
    from spacy.strings import get_string_id

    return _Ids(
        {get_string_id(tag): tense for tag, tense in _FINITE.items()},
        get_string_id("VBN"),
        frozenset(map(get_string_id, _OPENING_TAGS)),
        frozenset(map(get_string_id, _OPENING_WORDS)),
        frozenset(map(get_string_id, _HAVE)),
    )


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

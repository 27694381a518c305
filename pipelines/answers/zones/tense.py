"""The tense of a sentence's main verb (paper B, section 3.1.2).

The paper takes the verb at the root of the Stanford parser's tree. Here the smaller of the shipped
spaCy pipelines parses, and only those sentences, about one in five of an abstract, whose tags do
not decide the tense: parsing the others takes time and adds the parser's errors.
`studies/tenses.py` measures this on CRAFT's gold trees: the tense of the root is right more
often than with trees of all sentences.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from citespan.pipelines.text.spacy_pipelines import SMALL, load_pipeline

if TYPE_CHECKING:
    from spacy.tokens import Doc


Tense = Literal["past", "present", "present perfect", "past perfect", "modal", "none"]

_FINITE: dict[str, Tense] = {"VBD": "past", "VBZ": "present", "VBP": "present", "MD": "modal"}
_PERFECT: dict[str, Tense] = {"past": "past perfect", "present": "present perfect"}
_AUXILIARIES = ("aux", "auxpass", "cop")
_HAVE = frozenset(("have", "has", "had", "'ve", "'d"))
_OPENING_TAGS = frozenset(("WDT", "WP", "WP$", "WRB"))
_OPENING_WORDS = frozenset(("that", "whether", "if", "because"))


def find_certain_tense(sentence: "Doc") -> Tense | None:
    """Return the root's tense if the tags decide it; None if a parse is needed.

    A parse must decide between finite verbs of several tenses, whether "have" belongs to a
    participle behind it, and, if the first finite verb is behind a word that opens a subordinate
    clause, whether there is a main clause at all ("To see whether mice eat").
    """
    ids = _load_ids()
    # Reading all tokens as numbers at once: making objects of them takes longer than tagging.
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
def _load_ids() -> _Ids:
    from spacy.strings import get_string_id

    return _Ids(
        {get_string_id(tag): tense for tag, tense in _FINITE.items()},
        get_string_id("VBN"),
        frozenset(map(get_string_id, _OPENING_TAGS)),
        frozenset(map(get_string_id, _OPENING_WORDS)),
        frozenset(map(get_string_id, _HAVE)),
    )


def find_root_tense(sentence: "Doc") -> Tense:
    """Return the tense of the root and its auxiliaries; "none" if none of them is finite.

    Args:
        sentence: one sentence with tags and dependencies. Where the parser finds several
            roots in it, the first that is a verb counts.
    """
    for token in sentence:
        if token.head.i == token.i:
            verbs = [child for child in token.children if child.dep_ in _AUXILIARIES]
            found = _find_group_tense(sorted((*verbs, token), key=lambda verb: verb.i))
            if found != "none":
                return found
    return "none"


def find_first_finite_tense(sentence: "Doc") -> Tense:
    """Return the tense of the first finite verb and its participle, by tags alone."""
    for place, token in enumerate(sentence):
        if token.tag_ in _FINITE:
            end = place + 1
            while end < len(sentence) and sentence[end].tag_ == "RB":
                end += 1
            return _find_group_tense(sentence[place : end + 1])
    return "none"


def _find_group_tense(verbs: Iterable[Any]) -> Tense:
    """Return the tense of a verb group's first finite verb: perfect if it is "have" before a
    participle."""
    rest = iter(verbs)
    for verb in rest:
        tense = _FINITE.get(verb.tag_)
        if tense is None:
            continue
        perfect = verb.lower_ in _HAVE and any(later.tag_ == "VBN" for later in rest)
        return _PERFECT.get(tense, tense) if perfect else tense
    return "none"


_TAGS = ("tok2vec", "tagger")
_BATCH = 256


def find_tenses(
    sentences: Sequence[str], features: Collection[str], pipeline: str = SMALL
) -> list[Tense]:
    """Return the tense of each sentence, or an empty list if no feature needs it.

    For the feature "tense" the sentences whose tags do not decide are parsed; "tense by tags" uses
    tags alone.

    Args:
        pipeline: as for `load_pipeline`; it needs a tagger and, for "tense", a parser.

    Raises:
        InputError: if the pipeline can't be loaded.
    """
    by_tree = "tense" in features
    if not by_tree and "tense by tags" not in features:
        return []
    nlp = load_pipeline(pipeline)
    with nlp.select_pipes(enable=_TAGS):
        tagged = list(nlp.pipe(sentences, batch_size=_BATCH))
        if not by_tree:
            return [find_first_finite_tense(sentence) for sentence in tagged]
        known = [find_certain_tense(sentence) for sentence in tagged]
        unsure = [sentence for sentence, tense in zip(tagged, known, strict=True) if tense is None]
        parser: Any = nlp.get_pipe("parser")
        parsed = (find_root_tense(sentence) for sentence in parser.pipe(unsure, batch_size=_BATCH))
        return [next(parsed) if tense is None else tense for tense in known]

"""Phrases across the boundaries of sentences: all are found, by looking at few places."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from citespan.pipelines.layouts.sentences.crossing_phrases import (
    CrossingPhrase,
    find_candidate_runs,
    find_crossing,
)
from citespan.pipelines.retrieval.query_dsl import Phrase
from citespan.pipelines.text.lucene import count_terms, tokenise

LONGEST = 4
_SENTENCES = st.lists(
    st.lists(st.sampled_from(["ab", "cd", "ef", "the"]), min_size=1, max_size=4).map(" ".join),
    min_size=1,
    max_size=8,
)


def phrase(text: str) -> Phrase:
    found = tokenise(text)
    places = tuple(token.position - found[0].position for token in found)
    return Phrase(tuple(token.term for token in found), places, text)


def by_looking_everywhere(texts: list[str], wanted: Phrase) -> set[CrossingPhrase]:
    words = [(n, text, offset) for n, text in enumerate(texts) for offset in _starts(text)]
    found = set()
    for place, (first, _, offset) in enumerate(words):
        there = [place + further for further in wanted.places]
        if there[-1] < len(words) and all(
            _word(words[at]) == term for at, term in zip(there, wanted.terms, strict=True)
        ):
            last = words[there[-1]][0]
            if first < last < first + LONGEST:
                found.add(CrossingPhrase(wanted, first, last, offset))
    return found


def _starts(text: str) -> list[int]:
    return [n for n in range(len(text)) if n == 0 or text[n - 1] == " "]


def _word(place: tuple[int, str, int]) -> str:
    _, text, offset = place
    return text[offset:].split()[0]


@given(_SENTENCES, st.sampled_from(["ab cd", "ab the cd", "ab ab", "ab cd ef", "ef cd ab ab"]))
@example(["ab", "the", "cd"], "ab the cd")
@example(["ab", "ab", "cd"], "ab the cd")
@example(["x ab", "cd", "ef y"], "ab cd ef")
@example(["ab", "ab", "ab"], "ab ab")
def test_all_are_found(sentences: list[str], text: str) -> None:
    wanted = phrase(text)
    occurs = np.array(
        [[term in {t.term for t in tokenise(s)} for term in wanted.terms] for s in sentences]
    )
    lengths = np.array([count_terms(s) for s in sentences])
    with_space = [f"{sentence} " for sentence in sentences]
    found: set[CrossingPhrase] = set()
    for first, last in find_candidate_runs(wanted, occurs, lengths, LONGEST):
        texts = with_space[first : last + 1]
        found.update(find_crossing((first, last), texts, tokenise("".join(texts)), [wanted]))
    assert found == by_looking_everywhere(sentences, wanted)

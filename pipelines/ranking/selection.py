"""Which sentences are shown as passages, once a ranker has said what each is worth.

How many sentences are kept depends on their probabilities (`evidence_sentences`). Those that stand
side by side in one section are one passage, so no two passages overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from citespan.pipelines.ranking.ranker import Floats, Ranking
from citespan.pipelines.ranking.section_kinds import SentencePlace, find_places, remove_headings
from citespan.pipelines.ranking.sentences import ArticleSentences


def choose_evidence(ranking: Ranking) -> list[int]:
    """Return the sentences that are evidence, best first: as many as have the greatest expected F1.

    (D. D. Lewis, "Evaluating and optimizing autonomous text classification systems", SIGIR 1995;
    the expectation of F1 is approximated by the F1 of the expectations.) At least the best one.
    """
    order = np.argsort(-ranking.scores, kind="stable")
    chances = ranking.probabilities[order]
    expected = 2 * np.cumsum(chances) / (np.arange(1, len(order) + 1) + chances.sum())
    return [int(number) for number in order[: int(np.argmax(expected)) + 1]] if len(order) else []


LONGEST = 5
"""Sentences in a passage at most, as in the spans of Cohan et al. (2015), paper A."""
NO_EVIDENCE = ("back matter", "title")
"""Kinds of sections without evidence."""
_MOST_WORDS = 15  # of a heading
_ENDS = ".?!;,\"'”’)]"


@dataclass(frozen=True, slots=True)
class Selected:
    """Sentences `first` to `last` (both included, from 0), for the sake of the best of them.

    Attributes:
        score, probability: of that best sentence.
        weaker: whether it is no evidence, but the best of what is left.
    """

    first: int
    last: int
    score: float
    probability: float
    weaker: bool = False


@dataclass(frozen=True)
class Positions:
    """Where the N sentences of an article stand, as far as selection is concerned.

    Attributes:
        evidence: (N,), whether each may be evidence: it is no heading, and not in back matter
            (competing interests, acknowledgements and the like).
        section: (N,), the same number for the sentences of one section that stand together.
    """

    evidence: tuple[bool, ...]
    section: tuple[int, ...]

    @classmethod
    def of(cls, article: ArticleSentences) -> Positions:
        """Return where an article's sentences stand."""
        places = find_places(article)
        # Where nothing but the title has a heading, nothing says where the title ends.
        all_title = all(place.kind == "title" for place in places)
        evidence, sections = [], []
        section, alone = 0, True
        before: tuple[str, SentencePlace] | None = None
        for text, name, place in zip(article.texts, article.sections, places, strict=True):
            body = remove_headings(text)
            if (name, place) != before or body != text:
                section += 1
            before = (name, place)
            sections.append(section)
            allowed = all_title or place.kind not in NO_EVIDENCE
            evidence.append(allowed and not _is_heading(body, alone))
            alone = text.endswith("\n")
        return cls(tuple(evidence), tuple(sections))


def _is_heading(text: str, alone: bool) -> bool:
    """Whether a sentence is a heading: nothing but one, or a short line without an end.

    Args:
        alone: whether a line begins with it.
    """
    written = text.strip()
    if not written:
        return True
    ends = written.endswith(tuple(_ENDS))
    return alone and text.endswith("\n") and not ends and len(written.split()) <= _MOST_WORDS


def select(
    ranking: Ranking, positions: Positions, top: int, *, weaker: bool = False
) -> list[Selected]:
    """Return at most `top` passages, best first: distinct, none across a section or in back
    matter, each an evidence sentence with those beside it that are kept too.

    At least one is returned if any sentence may be evidence and was ranked.

    Args:
        weaker: whether the best of the other sentences follow, each by itself, up to `top`.
    """
    allowed = np.isfinite(ranking.scores) & np.array(positions.evidence, dtype=bool)
    scores = np.where(allowed, ranking.scores, -np.inf)
    probabilities = np.where(allowed, ranking.probabilities, 0.0)
    chosen = choose_evidence(Ranking(scores, probabilities, ranking.support))
    kept = [number for number in chosen if allowed[number]]
    free = set(kept)
    found: list[Selected] = []

    def add(number: int, first: int, last: int, *, is_weaker: bool) -> None:
        score, probability = ranking.scores[number], ranking.probabilities[number]
        found.append(Selected(first, last, float(score), float(probability), is_weaker))

    for number in kept:
        if number in free and len(found) < top:
            first, last = _extend(number, free, positions.section, scores)
            free.difference_update(range(first, last + 1))
            add(number, first, last, is_weaker=False)
    if weaker:
        rest = allowed.copy()
        rest[kept] = False
        best = np.argsort(-scores, kind="stable")
        for number in [int(place) for place in best if rest[place]][: top - len(found)]:
            add(number, number, number, is_weaker=True)
    return found


def _extend(number: int, free: set[int], section: Sequence[int], scores: Floats) -> tuple[int, int]:
    """Return the first and the last sentence of the passage around a sentence: the better
    neighbour is added first."""
    first = last = number
    while last - first + 1 < LONGEST:
        beside = [
            place
            for place in (first - 1, last + 1)
            if place in free and section[place] == section[number]
        ]
        if not beside:
            break
        best = max(beside, key=lambda place: (scores[place], -place))
        first, last = min(first, best), max(last, best)
    return first, last

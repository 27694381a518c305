"""How well concepts are recognised, against mentions that people have marked."""

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from typing import Any

from citespan.pipelines.text.abbreviations import abbreviations
from citespan.pipelines.vocabulary.abbreviated_matching import matches
from citespan.pipelines.vocabulary.matching import Matcher
from citespan.pipelines.vocabulary.mentions import MarkedText, Mention


@dataclass(frozen=True)
class RecognitionScores:
    """Mentions right, wrong (found and not marked) and missed, over all texts."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """Right of those found; 0 where none is found."""
        return self.right / max(self.right + self.wrong, 1)

    @property
    def recall(self) -> float:
        """Right of those marked; 0 where none is marked."""
        return self.right / max(self.right + self.missed, 1)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.right / max(2 * self.right + self.wrong + self.missed, 1)


@dataclass(frozen=True)
class Recognition:
    """Exact agreement in the characters (`spans`), and in these and the concept (`concepts`).

    A span that is marked with two concepts is one span and two concepts.
    """

    spans: RecognitionScores
    concepts: RecognitionScores


def recognition_scores(
    texts: Iterable[MarkedText], recognise: Callable[[str], Iterable[Mention]]
) -> Recognition:
    """What `recognise` finds in each text, compared with what is marked there."""
    spans = [0, 0, 0]
    concepts = [0, 0, 0]
    for marked in texts:
        found = set(recognise(marked.text))
        gold = set(marked.mentions)
        _add(concepts, found, gold)
        _add(spans, {(m.start, m.end) for m in found}, {(m.start, m.end) for m in gold})
    return Recognition(RecognitionScores(*spans), RecognitionScores(*concepts))


def as_recogniser(matcher: Matcher) -> Callable[[str], list[Mention]]:
    """What `matcher` finds in a text, with the abbreviations that the text defines."""

    def recognise(text: str) -> list[Mention]:
        found = matches(matcher, text, abbreviations(text))
        return [Mention(match.start, match.end, match.concept.cui) for match in found]

    return recognise


def _add(counts: list[int], found: Set[Any], gold: Set[Any]) -> None:
    for place, number in enumerate((len(found & gold), len(found - gold), len(gold - found))):
        counts[place] += number

"""How well a splitter finds the boundaries between sentences."""

from collections.abc import Iterable
from dataclasses import dataclass

from citespan.pipelines.text.gold_sentences import GoldText
from citespan.pipelines.text.paragraphs import paragraphs
from citespan.pipelines.text.splitter import Splitter


@dataclass(frozen=True, slots=True)
class BoundaryScores:
    """Counts of boundaries: found and right, found and wrong, not found."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        """right / found; 0 where none was found."""
        found = self.right + self.wrong
        return self.right / found if found else 0.0

    @property
    def recall(self) -> float:
        """right / all; 0 where there is none."""
        gold = self.right + self.missed
        return self.right / gold if gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = 2 * self.right + self.wrong + self.missed
        return 2 * self.right / both if both else 0.0

    def __add__(self, other: "BoundaryScores") -> "BoundaryScores":
        return BoundaryScores(
            self.right + other.right, self.wrong + other.wrong, self.missed + other.missed
        )


def _scores(gold: set[int], found: set[int]) -> BoundaryScores:
    return BoundaryScores(len(gold & found), len(found - gold), len(gold - found))


def boundary_scores(
    splitter: Splitter, texts: Iterable[GoldText]
) -> tuple[BoundaryScores, BoundaryScores]:
    """Scores inside paragraphs, and over all boundaries.

    A boundary is the offset at which a sentence starts. Those at which a paragraph starts are
    found by every splitter, so that only the first of the two scores tells splitters apart.
    Boundaries in a text's skipped stretches are left out.
    """
    inside = everywhere = BoundaryScores()
    for text in texts:
        hidden = [range(start, end) for start, end in text.skipped]
        gold, found = (
            {s.start for s in sentences if not any(s.start in part for part in hidden)}
            for sentences in (text.sentences, splitter.split(text.text))
        )
        everywhere += _scores(gold, found)
        given = {start for start, _ in paragraphs(text.text)}
        inside += _scores(gold - given, found - given)
    return inside, everywhere

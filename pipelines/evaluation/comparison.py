"""Two runs compared citance by citance."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.measure import Measure
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.run_folder import Replay, SystemRun
from citespan.pipelines.evaluation.scores import score_alone
from citespan.pipelines.evaluation.significance import paired_t_test, randomisation_test
from citespan.pipelines.intervals import Interval, union
from citespan.pipelines.retrieval.merge import ScoredSpan

_SAME = 1e-12


@dataclass(frozen=True)
class CitanceDifference:
    """What the two systems retrieved for one citance, and the value of each."""

    first: Outcome
    second: Outcome
    first_value: float
    second_value: float

    @property
    def difference(self) -> float:
        """The second's value less the first's."""
        return self.second_value - self.first_value

    def to_json(self) -> dict[str, Any]:
        """Return the spans, with what any annotator marked (`gold`) as offsets into their texts."""
        citance = self.first.citance
        return {
            "citance": citance.id,
            "topic": citance.topic,
            "article": citance.article_id,
            "text": citance.text,
            "first": self.first_value,
            "second": self.second_value,
            "difference": self.difference,
            "first_spans": [_span_to_json(self.first, span) for span in self.first.spans],
            "second_spans": [_span_to_json(self.second, span) for span in self.second.spans],
            "gold": [
                {"start": start, "end": end, "text": self.first.article.text[start:end]}
                for start, end in find_marked(self.first)
            ],
        }


@dataclass(frozen=True)
class Comparison:
    """Two systems on the citances that both ran on.

    Attributes:
        differences: of all citances, from the one that the second system gained most on to the
            one that it lost most on.
        only_first, only_second: how many citances just one of the runs has.
        p_value: of Student's paired t-test; None where it isn't defined.
        p_randomisation: of the paired randomisation test.
    """

    first: SystemRun
    second: SystemRun
    measure: str
    differences: tuple[CitanceDifference, ...]
    only_first: int
    only_second: int
    p_value: float | None
    p_randomisation: float

    @property
    def values(self) -> tuple[float, float]:
        """Each system's mean over the citances."""
        count = len(self.differences)
        first = sum(difference.first_value for difference in self.differences) / count
        return first, sum(difference.second_value for difference in self.differences) / count

    @property
    def wins_ties_losses(self) -> tuple[int, int, int]:
        """On how many citances the second system is better, as good, and worse."""
        wins = sum(difference.difference > _SAME for difference in self.differences)
        losses = sum(difference.difference < -_SAME for difference in self.differences)
        return wins, len(self.differences) - wins - losses, losses

    def list_gained(self, top: int) -> list[CitanceDifference]:
        """Return the citances on which the second system is better by most, at most `top`."""
        return [
            difference for difference in self.differences[:top] if difference.difference > _SAME
        ]

    def list_lost(self, top: int) -> list[CitanceDifference]:
        """Return the citances on which the second system is worse by most, at most `top`."""
        return [
            difference
            for difference in self.differences[: -top - 1 : -1]
            if difference.difference < -_SAME
        ]

    def to_json(self, top: int) -> dict[str, Any]:
        """Return what `citespan evaluate compare --json` prints."""
        first, second = self.values
        wins, ties, losses = self.wins_ties_losses
        return {
            "collection": self.first.collection,
            "measure": self.measure,
            "first": {"run": self.first.name, "system": self.first.system, "value": first},
            "second": {"run": self.second.name, "system": self.second.system, "value": second},
            "citances": len(self.differences),
            "only_first": self.only_first,
            "only_second": self.only_second,
            "difference": second - first,
            "wins": wins,
            "ties": ties,
            "losses": losses,
            "p_value": self.p_value,
            "p_randomisation": self.p_randomisation,
            "gained": [difference.to_json() for difference in self.list_gained(top)],
            "lost": [difference.to_json() for difference in self.list_lost(top)],
        }


def check_same_collection(first: SystemRun, second: SystemRun) -> None:
    """Check that two runs can be compared.

    Raises:
        InputError: if they have no citance in common, or are on two collections.
    """
    if first.collection != second.collection:
        raise InputError(
            f"{first.name} is on {first.collection} and {second.name} on {second.collection}; "
            "compare runs on one collection"
        )
    if not first.retrieved.keys() & second.retrieved.keys():
        raise InputError(f"{first.name} and {second.name} have no citance in common")


def compare(
    first: SystemRun, second: SystemRun, collection: Collection, measure: Measure
) -> Comparison:
    """Compare two runs on a collection.

    Args:
        measure: one that is a mean over citances.

    Raises:
        InputError: if the runs don't belong together or to the collection, or the measure has
            no value for a citance.
    """
    if measure.average != "citances":
        raise InputError(
            f"measure '{measure.name}' has no value for a single citance; use one that is a mean "
            "over citances, such as f1 or rouge_l"
        )
    check_same_collection(first, second)
    replay = Replay(collection)
    common = [citance for citance in first.retrieved if citance in second.retrieved]
    before = [replay.outcome(first, citance) for citance in common]
    after = [replay.outcome(second, citance) for citance in common]
    old, new = (score_alone(measure, measure.counts(run)) for run in (before, after))
    differences = [
        CitanceDifference(earlier, other, float(x), float(y))
        for earlier, other, x, y in zip(before, after, old, new, strict=True)
    ]
    return Comparison(
        first,
        second,
        measure.name,
        tuple(sorted(differences, key=lambda citance: -citance.difference)),
        len(first.retrieved) - len(common),
        len(second.retrieved) - len(common),
        paired_t_test(new, old),
        float(randomisation_test((new - old)[:, np.newaxis])[0]),
    )


def find_marked(outcome: Outcome) -> tuple[Interval, ...]:
    """Return the characters that any annotator marked."""
    return union(interval for theirs in outcome.gold for interval in theirs)


def find_marked_within(outcome: Outcome, span: ScoredSpan) -> tuple[Interval, ...]:
    """Return the marked characters inside a retrieved span, as offsets into the span's text."""
    start, end = outcome.interval(span)
    return tuple(
        (max(first, start) - start, min(last, end) - start)
        for first, last in find_marked(outcome)
        if first < end and last > start
    )


def split_span(outcome: Outcome, span: ScoredSpan) -> list[tuple[str, bool]]:
    """Return the text of a span in pieces, each with whether an annotator marked it."""
    start, end = outcome.interval(span)
    text = outcome.article.text[start:end]
    pieces, last = [], 0
    for first, after in find_marked_within(outcome, span):
        pieces += [(text[last:first], False), (text[first:after], True)]
        last = after
    return [(piece, is_marked) for piece, is_marked in (*pieces, (text[last:], False)) if piece]


def _span_to_json(outcome: Outcome, span: ScoredSpan) -> dict[str, Any]:
    start, end = outcome.interval(span)
    return {
        "first_sentence": span.first_sentence,
        "last_sentence": span.last_sentence,
        "start": start,
        "end": end,
        "score": span.score,
        "text": outcome.article.text[start:end],
        "gold": [list(interval) for interval in find_marked_within(outcome, span)],
    }

"""What may differ between a citing clause and a sentence, each with how alike its places are."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, NamedTuple

from citespan.es_mappings.links import DifferenceKind
from citespan.pipelines.ranking.differences.lexicon import (
    NOUN_NEGATORS,
    find_opposites,
    read_antonyms,
)
from citespan.pipelines.ranking.differences.numbers import Number, agree, are_comparable, lower
from citespan.pipelines.ranking.differences.statement import ENDS, Statement, Word, find_key

_RATIO_REACH: Final = 6  # numbers apart that a ratio, share or difference may be computed of
_LESS: Final = re.compile(r" (?:less|lower|fewer|cheaper|smaller|shorter|reduction|decrease)\b")
_BY: Final = re.compile(r"\bby (?:about |some |nearly )?$")  # "shortened by three days"
_BEFORE_BY: Final = 12
_MOST_COMPARED: Final = 40  # numbers of a clause that are compared with those beside them
EFFECTS: Final = ("amount", "effect", "value")
"""The scales whose sides mean much the same: more or less of what is good or bad."""
_THAN: Final = frozenset(("than", "versus", "vs", "over", "compared", "against", "to"))
_LEFT, _RIGHT = 12, 9  # words beside it that a comparison is about
_MOST_NULLS: Final = 5
_REACH_OF_NULL: Final = 8  # words
_OF_SUBJECT: Final = re.compile(r"differ|unchanged|unaffected|similar|comparable|equal|same")
_SAME_OBJECT, _SAME_WORD = 1.0, 0.5  # how close effects on the same are, of several words or one
# Of what "but not" leaves out, the share that a clause names; of the clause's other words, how many
# and which share the sentence has before. Chosen on set 5 of `studies/written_citations.jsonl`.
_LEAST_NAMED, _LEAST_SHARED, _LEAST_SHARE = 0.6, 2, 0.5
_SIDED: Final = frozenset(("superior", "inferior", "prefer", "preferable", "noninferior"))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A difference between a clause and one of the sentences of its passages.

    Attributes:
        clause: (start, end) in the clause.
        sentence: (start, end) in the sentence.
    """

    kind: DifferenceKind
    clause: tuple[int, int]
    sentence: tuple[int, int]
    closeness: float


def find_candidates(
    clause: Statement, sentence: Statement, others: Sequence[Statement]
) -> list[Candidate]:
    """Return what may differ between a clause and a sentence.

    Args:
        others: all sentences of the passages; a number that any of them has does not differ.
    """
    turned, same = compare_comparisons(clause, sentence)
    left_out = list(compare_exceptions(clause, sentence))
    found = [
        *compare_numbers(clause, sentence, others),
        *(
            candidate
            for candidate in compare_directions(clause, sentence)
            if not any(start <= candidate.clause[0] < end for start, end in same)
        ),
        *_compare_both_ways(clause, sentence),
        *turned,
        *compare_populations(clause, sentence, others),
    ]
    if not clause.negators:
        return [*found, *left_out]
    return [each for each in found if not left_out or each.kind != "negation"]


def _compare_both_ways(clause: Statement, sentence: Statement) -> Iterator[Candidate]:
    """Yield what one of the two says and the other contradicts."""
    for compare in (compare_opposites, compare_negations, compare_effects):
        yield from compare(clause, sentence)
        for found in compare(sentence, clause):
            yield replace(found, clause=found.sentence, sentence=found.clause)


def measure_closeness(clause: Statement, place: int, sentence: Statement, other: int) -> float:
    """Return the share of a word's surroundings that another word has too, from 0 to 1."""
    own = clause.find_surroundings(place)
    if not own:
        return 0.0
    return len(own & sentence.find_surroundings(other)) / len(own)


def compare_numbers(
    clause: Statement, sentence: Statement, others: Sequence[Statement]
) -> Iterator[Candidate]:
    """Yield numbers that a clause has more often than a sentence, beside others that stand in
    their place there and that the sentence has more often.

    A number that another of the sentences has, or from whose numbers it is computed, does not
    differ, unless its surroundings there are less alike.
    """
    ours, theirs = clause.numbers[:_MOST_COMPARED], sentence.numbers
    free = [their for their in theirs if _count(their, theirs) > _count(their, clause.numbers)]
    if not free:
        return
    for our in ours:
        if _count(our, clause.numbers) <= _count(our, theirs):
            continue
        here = clause.find_place(our.start)
        best, close = None, 0.0
        for other in free:
            if are_comparable(our, other):
                near = measure_closeness(clause, here, sentence, sentence.find_place(other.start))
                if near > close:
                    best, close = other, near
        if best is None:
            continue
        elsewhere = ((other, other is not sentence) for other in others)
        same = max((_measure_same(clause, here, our, *other) for other in elsewhere), default=0.0)
        if close > same:
            spans = (our.start, our.end), (best.start, best.end)
            yield Candidate("number", *spans, close - same / 2)


def _count(number: Number, among: Sequence[Number]) -> int:
    return sum(agree(number, other) for other in among)


def _measure_same(
    clause: Statement, place: int, number: Number, sentence: Statement, elsewhere: bool
) -> float:
    """Return how close a number of a clause is to the same in a sentence; 0 where it is not.

    One behind the same word, as in "stage 3", is the same.
    """
    close = 0.0
    for other in sentence.numbers if elsewhere else ():
        if agree(number, other):
            there = sentence.find_place(other.start)
            if place and there and clause.words[place - 1].key == sentence.words[there - 1].key:
                return 1.0
            close = max(close, measure_closeness(clause, place, sentence, there))
    is_computed = _is_computed(sentence, number) or (
        _BY.search(clause.text, max(0, number.start - _BEFORE_BY), number.start)
        and _is_change(sentence, number)
    )
    return 1.0 if not close and is_computed else close


def _is_change(sentence: Statement, number: Number) -> bool:
    """Whether two numbers of a sentence that are near each other differ by a number."""
    alike = [other for other in sentence.numbers if other.quantity == number.quantity]
    return any(
        _near(number, abs(first.value - second.value))
        for place, first in enumerate(alike)
        for second in alike[place + 1 : place + 1 + _RATIO_REACH]
    )


def _is_computed(sentence: Statement, number: Number) -> bool:
    """Whether a sentence has numbers from which a number is computed."""
    numbers = sentence.numbers
    if any(
        low.quantity == high.quantity
        and number.quantity in (low.quantity, "")
        and low.value < number.value < high.value
        and number.loose
        and high.start - low.end <= 5
        for low, high in pairwise(numbers)
    ):
        return True
    if number.quantity not in ("%", "times"):
        return False
    for place, first in enumerate(numbers):
        if (
            number.quantity == "times"
            and first.quantity == "%"
            and _near(number, 1 + first.value / 100)
        ):
            return True
        if number.quantity == "%" and (
            (first.quantity == "times" and _near(number, 100 * (first.value - 1)))
            or (first.quantity == "%" and _near(number, 100 - first.value))
            or (_LESS.match(sentence.text, first.end) and _keeps(number, 100 - first.value))
            or (first.quantity == "" and first.value < 1 and _near(number, 100 * first.value))
            or (first.quantity == "" and first.value < 1 and _near(number, 100 - 100 * first.value))
        ):
            return True
        for second in numbers[place + 1 : place + 1 + _RATIO_REACH]:
            if second.quantity == first.quantity and _computed(number, first.value, second.value):
                return True
    return False


def _computed(number: Number, first: float, second: float) -> bool:
    """Whether a number is the ratio, share, difference or relative change of two others."""
    low, high = sorted((first, second))
    if low <= 0:
        return False
    if number.quantity == "times":
        return _near(number, high / low)
    return (
        _near(number, 100 * low / high)
        or _near(number, 100 * (high - low) / high)
        or _near(number, 100 * (high - low) / low)
        or _near(number, high - low)
    )


def _keeps(bound: Number, value: float) -> bool:
    return bound.bound * (value - bound.value) > 0


def _near(number: Number, value: float) -> bool:
    slack = max(number.step * 0.5000001, 0.05 * abs(number.value) if number.loose else 0.0)
    return abs(number.value - value) <= slack


def compare_directions(clause: Statement, sentence: Statement) -> Iterator[Candidate]:
    """Yield words of opposite sides of a scale that have the same surroundings."""
    for scale, cues in clause.cues.items():
        if scale == "outcome" or not (theirs := sentence.cues.get(scale)):
            continue
        for cue in cues:
            word = clause.words[cue.place]
            best = {1: (0.0, 0), -1: (0.0, 0)}
            for other in theirs:
                close = measure_closeness(clause, cue.place, sentence, other.place)
                agrees = other.side * cue.side
                if close > best[agrees][0]:
                    best[agrees] = (close, other.place)
            close, place = best[-1]
            # The same word in the same state elsewhere in the sentence says the same.
            if close > best[1][0]:
                found = sentence.words[place]
                kind: DifferenceKind = "direction" if found.negated == word.negated else "negation"
                spans = word.span, found.span
                if kind == "negation":
                    bare = (sentence, place) if word.negated else (clause, cue.place)
                    if bare[0].may_be_negated(bare[1]) or _share_without(clause, sentence):
                        continue
                    spans = clause.find_span(cue.place), sentence.find_span(place)
                yield Candidate(kind, *spans, close - best[1][0] / 2)


def _share_without(clause: Statement, sentence: Statement) -> bool:
    """Whether both have a negator such as "without", and neither has another."""
    both = [{of.words[place].text for place in of.negators} for of in (clause, sentence)]
    return all(negators and negators <= NOUN_NEGATORS for negators in both)


def find_agreement(clause: Statement, end: int, sentences: Sequence[Statement]) -> float:
    """Return how close the word that ends at an offset of a clause is to one that says the same of
    the same thing, from 0 to 1: a word of the same side of its scale, or of one like it."""
    place = bisect_left(clause.words, end, key=lambda word: word.end)
    word = clause.words[place]
    close = 0.0
    for sense in word.senses:
        side = -sense.side if word.negated else sense.side
        related = EFFECTS if sense.scale in EFFECTS else (sense.scale,)
        for sentence in sentences:
            for scale in related:
                for cue in sentence.cues.get(scale, ()):
                    if cue.side == side:
                        near = measure_closeness(clause, place, sentence, cue.place)
                        close = max(close, near)
    return close


def compare_opposites(statement: Statement, other: Statement) -> Iterator[Candidate]:
    """Yield the words whose opposites the other statement has in the same surroundings: the same
    word with another prefix ("in-", "non-", "hyper-" for "hypo-"), or an antonym on no scale."""
    for place, word in enumerate(statement.words):
        if not word.key or word.key in other.places:
            continue
        for key in (*map(find_key, find_opposites(word.text)), *_find_antonyms(word)):
            if key in other.places and key not in statement.places:
                at = other.places[key][0]
                if word.negated != other.words[at].negated:
                    continue
                close = measure_closeness(statement, place, other, at)
                yield Candidate("direction", word.span, other.words[at].span, close)


def _find_antonyms(word: Word) -> Iterable[str]:
    return () if word.senses else read_antonyms().get(word.key, ())


def compare_negations(statement: Statement, other: Statement) -> Iterator[Candidate]:
    """Yield the negators whose words the other statement has unnegated."""
    for negator in statement.negators:
        reached = [
            place
            for place in range(negator + 1, min(negator + 8, len(statement.words)))
            if statement.words[place].negated and statement.words[place].key
        ][:4]
        own = [place for place in reached if statement.words[place].key in other.places]
        if len(own) < min(2, len(reached)) or not own or len(own) * 2 < len(reached):
            continue
        same = [place for at in own for place in other.places[statement.words[at].key]]
        if any(other.words[place].negated for place in same) or any(
            other.words[near].text == statement.words[negator].text for near in other.negators
        ):
            continue
        close = measure_closeness(statement, negator, other, same[0])
        span = statement.words[negator].start, statement.words[own[0]].end
        yield Candidate("negation", span, other.words[same[0]].span, close)


def compare_exceptions(clause: Statement, sentence: Statement) -> Iterator[Candidate]:
    """Yield what a clause names that a sentence leaves out by "but not": a difference, unless the
    clause has a negator, too."""
    for start, end in sentence.exceptions:
        before = {word.key for word in sentence.words[:start]} - {""}
        left_out = {word.key for word in sentence.words[start:end]} - before - {""}
        named = [key for key in clause.places if key in left_out]
        rest = clause.places.keys() - left_out
        shared = rest & before
        is_named = len(named) > _LEAST_NAMED * len(left_out)
        if is_named and len(shared) >= max(_LEAST_SHARED, _LEAST_SHARE * len(rest)):
            word = clause.words[clause.places[named[0]][0]]
            spans = sentence.words[start].start, sentence.words[end - 1].end
            yield Candidate("negation", word.span, spans, len(shared) / len(rest))


def compare_effects(statement: Statement, other: Statement) -> Iterator[Candidate]:
    """Yield increases, decreases and the like where the other statement finds no effect, no
    difference or no evidence."""
    if not other.nulls:
        return
    if any(statement.words[place].text not in NOUN_NEGATORS for place in statement.negators):
        return
    cues = {
        cue.place: find_agreement(statement, statement.words[cue.place].end, [other])
        for scale in EFFECTS
        for cue in statement.cues.get(scale, ())
        if not cue.negated
    }
    own = [_find_beside(statement, null) for null in statement.nulls[:_MOST_NULLS]]
    for null in other.nulls[:_MOST_NULLS]:
        target = other.find_place(null[1])
        beside = _find_beside(other, null)
        if any(_are_alike(beside, words) for words in own):
            continue
        best, close = 0, 0.0
        for place in sorted(cues):
            near = measure_closeness(statement, place, other, target)
            near = max(near, _measure_object(statement, place, beside))
            if near > close:
                best, close = place, near
        # "It reduced pain, with no effect on mood" says that pain was reduced.
        if close > cues.get(best, 0.0):
            yield Candidate("negation", statement.words[best].span, null, close)


def _find_beside(statement: Statement, null: tuple[int, int]) -> tuple[set[str], set[str]]:
    """Return the stems behind "no effect" and the like, and before "unchanged" and the like."""
    first, last = statement.find_place(null[0]), statement.find_place(null[1])
    behind = set()
    for word in statement.words[last : last + _REACH_OF_NULL]:
        if word.text in ENDS:
            break
        behind.add(word.key)
    before = set()
    if _OF_SUBJECT.search(lower(statement.text), *null):
        before = {word.key for word in statement.words[max(0, first - _REACH_OF_NULL) : first]}
    return behind - {""}, before - {""}


def _are_alike(beside: tuple[set[str], set[str]], others: tuple[set[str], set[str]]) -> bool:
    """Whether half of the words beside one "no effect" or more stand beside another."""
    words = beside[0] | beside[1]
    return len(words & (others[0] | others[1])) * 2 >= len(words)


def _measure_object(statement: Statement, place: int, beside: tuple[set[str], set[str]]) -> float:
    """Return how sure it is that what a word has an effect on is what had none."""
    about = set(statement.find_object(place))
    if not about or not any(about <= words for words in beside):
        return 0.0
    return _SAME_OBJECT if len(about) > 1 else _SAME_WORD


class _Comparison(NamedTuple):
    """A comparison: "more … than", "superior to", "versus".

    Attributes:
        left, right: the stems of content words on both sides.
        side: 1 for more or better, -1 for less or worse, 0 for neither.
        span: (start, end) in the text.
    """

    left: frozenset[str]
    right: frozenset[str]
    side: int
    span: tuple[int, int]


def compare_comparisons(
    clause: Statement, sentence: Statement
) -> tuple[list[Candidate], list[tuple[int, int]]]:
    """Return comparisons whose two sides have changed places, and where the clause has those that
    are turned round in both ways, as "more than" and "less than", and so say the same."""
    turned, same = [], []
    theirs = _find_comparisons(sentence)
    for ours in _find_comparisons(clause):
        for other in theirs:
            moved_right = (ours.left & other.right) - ours.right - other.left
            moved_left = (ours.right & other.left) - ours.left - other.right
            if not moved_right or not moved_left:
                continue
            if ours.side * other.side < 0:
                same.append(ours.span)
            else:
                turned.append(Candidate("comparison", ours.span, other.span, 1.0))
    return turned, same


def _find_comparisons(statement: Statement) -> list[_Comparison]:
    found = []
    words = statement.written
    for place, word in enumerate(words):
        if word.text not in _THAN or not place:
            continue
        if word.text == "to" and words[place - 1].text not in _SIDED:
            continue
        before = words[max(0, place - _LEFT) : place]
        left = frozenset(near.key for near in before if near.key and not near.senses)
        right = frozenset(near.key for near in words[place + 1 : place + _RIGHT] if near.key)
        sides = [
            -sense.side if near.negated else sense.side
            for near in before
            for sense in near.senses
            if sense.scale in EFFECTS
        ]
        start = words[place - 1].start
        found.append(_Comparison(left, right, sides[-1] if sides else 0, (start, word.end)))
    return found


def compare_populations(
    clause: Statement, sentence: Statement, others: Sequence[Statement]
) -> Iterator[Candidate]:
    """Yield who or what a clause is about where the sentences are about others."""
    everywhere = {group for other in others for group, _ in other.populations}
    for (kind, group), place in clause.populations:
        if (kind, group) in everywhere:
            continue
        for (other_kind, _), other in sentence.populations:
            if other_kind == kind:
                close = measure_closeness(clause, place, sentence, other)
                spans = clause.words[place].span, sentence.words[other].span
                yield Candidate("population", *spans, close)
                break

"""What a clause and the sentences of its passages are to each other, as numbers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from citespan.es_mappings.links import DifferenceKind
from citespan.pipelines.ranking.differences.detection import EFFECTS, Candidate, measure_closeness
from citespan.pipelines.ranking.differences.lexicon import SCALES, UNCONDITIONAL
from citespan.pipelines.ranking.differences.statement import Statement, read_statement

_REACH: Final = 5  # words from a term to what says its direction
KINDS: Final[tuple[DifferenceKind, ...]] = (
    "number",
    "direction",
    "negation",
    "comparison",
    "population",
)


def describe(
    clause: Statement, sentences: Sequence[Statement], candidates: Sequence[Sequence[Candidate]]
) -> dict[str, float]:
    """Return the features of a clause beside the sentences of its passages.

    Args:
        candidates: what may differ between the clause and each of the sentences.
    """
    best, share = find_nearest(clause, sentences)
    everything = set().union(*(sentence.places for sentence in sentences))
    size = max(1, len(clause.places))
    found: dict[str, float] = {
        "coverage": share,
        "coverage_of_all": len(everything & clause.places.keys()) / size,
    }
    found |= _compare_negations(clause, best, sentences)
    found |= _compare_sides(clause, best, sentences)
    found |= _compare_cues(clause, sentences)
    found |= _compare_terms(clause, sentences)
    found |= _compare_goodness(clause, best, sentences)
    found |= _describe_own_words(clause, sentences)
    found |= _count_candidates([candidate for some in candidates for candidate in some])
    return found


def find_nearest(clause: Statement, sentences: Sequence[Statement]) -> tuple[Statement, float]:
    """Return the sentence with the greatest share of the clause's content words, and the share."""
    size = max(1, len(clause.places))
    shares = [len(sentence.places.keys() & clause.places.keys()) / size for sentence in sentences]
    place = max(range(len(shares)), key=lambda number: shares[number])
    return sentences[place], shares[place]


def _compare_negations(
    clause: Statement, best: Statement, sentences: Sequence[Statement]
) -> dict[str, float]:
    ours, nearest = bool(clause.negators), bool(best.negators)
    theirs = any(sentence.negators for sentence in sentences)
    null, null_nearest = (clause.null is not None), (best.null is not None)
    null_theirs = any((sentence.null is not None) for sentence in sentences)
    return {
        "nearest_negated": nearest,
        "only_clause_negated": ours and not theirs,
        "clause_negated_nearest_not": ours and not nearest,
        "only_passages_negated": theirs and not ours,
        "nearest_negated_clause_not": nearest and not ours,
        "one_negated": ours != nearest,
        "nearest_null": null_nearest,
        "only_clause_null": null and not null_theirs,
        "clause_null_nearest_not": null and not null_nearest,
        "only_passages_null": null_theirs and not null,
        "nearest_null_clause_not": null_nearest and not null,
    }


def _net(statement: Statement) -> Counter[str]:
    return Counter({scale: sum(cue.side for cue in cues) for scale, cues in statement.cues.items()})


def _clip(value: float, most: float) -> float:
    return max(-most, min(most, value))


def _compare_sides(
    clause: Statement, best: Statement, sentences: Sequence[Statement]
) -> dict[str, float]:
    ours, nearest = _net(clause), _net(best)
    theirs: Counter[str] = Counter()
    for sentence in sentences:
        theirs.update(_net(sentence))
    found: dict[str, float] = {}
    for scale in SCALES:
        own = _clip(ours[scale], 1)
        found[f"{scale}_of_nearest"] = _clip(nearest[scale], 2)
        found[f"{scale}_of_both"] = own * _clip(nearest[scale], 2)
        found[f"{scale}_of_all"] = own * _clip(theirs[scale], 3)
    summed = [
        sum(net[scale] for scale in ("amount", "effect", "value", "relation", "presence"))
        for net in (ours, nearest)
    ]
    found["sides_of_both"] = _clip(summed[0], 2) * _clip(summed[1], 3)
    return found


def _compare_cues(clause: Statement, sentences: Sequence[Statement]) -> dict[str, float]:
    """How far words on the same or related scales, with surroundings in common, agree."""
    agreed = differed = most_agreed = most_differed = 0.0
    balance: dict[str, float] = dict.fromkeys(SCALES, 0.0)
    for scale, cues in clause.cues.items():
        related = EFFECTS if scale in EFFECTS else (scale,)
        for cue in cues:
            for sentence in sentences:
                for other_scale in related:
                    for other in sentence.cues.get(other_scale, ()):
                        close = measure_closeness(clause, cue.place, sentence, other.place)
                        if not close:
                            continue
                        if other_scale != scale:
                            close *= 0.5
                        if cue.side == other.side:
                            agreed += close
                            most_agreed = max(most_agreed, close)
                            balance[scale] += close
                        else:
                            differed += close
                            most_differed = max(most_differed, close)
                            balance[scale] -= close
    return {
        "cues_agree": min(agreed, 4.0),
        "cues_differ": min(differed, 4.0),
        "balance_of_cues": (agreed - differed) / (agreed + differed + 0.5),
        "closest_cue_agrees": most_agreed,
        "closest_cue_differs": most_differed,
        "balance_of_closest_cues": most_agreed - most_differed,
        **{f"{scale}_near": _clip(balance[scale], 2) for scale in SCALES},
    }


def _compare_terms(clause: Statement, sentences: Sequence[Statement]) -> dict[str, float]:
    """How far shared terms are negated alike, and have words of the same side beside them."""
    alike = turned = 0
    agreed = differed = 0.0
    for sentence in sentences:
        for key in filter(sentence.places.__contains__, clause.places):  # in an order that is known
            here, there = clause.places[key][0], sentence.places[key]
            word = clause.words[here]
            if any(sentence.words[place].negated == word.negated for place in there):
                alike += 1
            else:
                turned += 1
            if word.senses or not (side := _find_side(clause, here)):
                continue
            sides = [turn for place in there if (turn := _find_side(sentence, place))]
            if sides:
                mean = side * sum(sides) / len(sides)
                agreed += max(mean, 0)
                differed += max(-mean, 0)
    return {
        "negated_otherwise": turned / (turned + alike + 1),
        "terms_negated_otherwise": min(turned, 3),
        "terms_agree": min(agreed, 5.0),
        "terms_differ": min(differed, 5.0),
        "balance_of_terms": (agreed - differed) / (agreed + differed + 0.5),
    }


def _describe_own_words(clause: Statement, sentences: Sequence[Statement]) -> dict[str, float]:
    """What the words are that the clause alone has: how many leave no exception, and which share of
    its content words is on a scale."""
    texts = {word.text for sentence in sentences for word in sentence.words}
    unconditional = UNCONDITIONAL.intersection(word.text for word in clause.words)
    keys = set().union(*(sentence.places for sentence in sentences))
    own = [clause.words[at[0]] for key, at in clause.places.items() if key not in keys]
    return {
        "only_clause_unconditional": len(unconditional - texts),
        "only_clause_on_a_scale": sum(bool(word.senses) for word in own) / max(1, len(own)),
    }


def _compare_goodness(
    clause: Statement, best: Statement, sentences: Sequence[Statement]
) -> dict[str, float]:
    own, nearest = find_goodness(clause), find_goodness(best)
    every = _clip(sum(find_goodness(sentence) for sentence in sentences), 3)
    return {
        "good_of_nearest": nearest,
        "good_of_both": own * nearest,
        "good_of_all": own * every,
        "good_nearest_null": abs(own) * (best.null is not None) * (not (clause.null is not None)),
    }


def find_goodness(statement: Statement) -> float:
    """Return whether a statement reports something good or bad, from 2 to -2; 0 for neither.

    What increases a good outcome is good, and so is what decreases a bad one.
    """
    total, used = 0, set[int]()
    for cue in statement.cues.get("outcome", ()):
        word = statement.words[cue.place]
        good = -cue.side if word.negated else cue.side  # the outcome's own, without negation
        for near in (
            *range(cue.place - 1, cue.place - 6, -1),
            *range(cue.place + 1, cue.place + 6),
        ):
            if not 0 <= near < len(statement.words):
                continue
            beside = statement.words[near]
            sides = [sense.side for sense in beside.senses if sense.scale in ("amount", "effect")]
            if sides:
                if near not in used:
                    used.add(near)
                    total += good * sides[0] * (-1 if beside.negated else 1)
                break
    for cue in statement.cues.get("value", ()):
        if cue.place not in used:
            total += cue.side
    return _clip(total, 2)


def _find_side(statement: Statement, place: int) -> int:
    """Return the side of the nearest word before a place, or else after it, that has one."""
    before = range(place - 1, max(-1, place - 1 - _REACH), -1)
    after = range(place + 1, min(len(statement.words), place + 1 + _REACH))
    for places in (before, after):
        for near in places:
            word = statement.words[near]
            if word.text in (".", ";", ":"):
                break
            for sense in word.senses:
                if sense.scale in EFFECTS:
                    return -sense.side if word.negated else sense.side
    return 0


def _count_candidates(candidates: Sequence[Candidate]) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for kind in KINDS:
        own = [candidate.closeness for candidate in candidates if candidate.kind == kind]
        found[f"closest_{kind}"] = max(own, default=0.0)
        found[f"{kind}_differences"] = min(sum(own), 3.0)
    return found


FEATURES: Final = tuple(describe(read_statement("One."), [read_statement("One.")], []))
"""The names of the features of `describe`, in their order."""

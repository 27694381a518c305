"""Whether a citing clause and the passages shown for it say the same, and where they do not."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from citespan.es_mappings.links import Difference, DifferenceKind, Place
from citespan.pipelines.citing.marker_patterns import remove_markers
from citespan.pipelines.corpus.reference_text import WIDE
from citespan.pipelines.ranking.differences.detection import (
    Candidate,
    find_agreement,
    find_candidates,
)
from citespan.pipelines.ranking.differences.features import describe
from citespan.pipelines.ranking.differences.model import DisagreementModel, load_model
from citespan.pipelines.ranking.differences.numbers import lower
from citespan.pipelines.ranking.differences.statement import (
    Statement,
    read_statement,
    split_statements,
)
from citespan.pipelines.ranking.short_forms import find_short_forms

# A sentence this like the clause is taken for what the clause repeats, so that what differs in the
# same surroundings is shown whatever the model says. Chosen on articles apart from those reported.
_LEAST_COVERAGE: Final[dict[DifferenceKind, float]] = {
    "number": 0.6, "direction": 0.6, "negation": 0.6, "comparison": 0.6, "population": 0.6,
}  # fmt: skip
_CLOSE: Final[dict[DifferenceKind, float]] = {
    "number": 0.5, "direction": 0.5, "negation": 0.5, "comparison": 0.7, "population": 0.5,
}  # fmt: skip
# A comparison turned round may stand in a sentence that has 0.7 of the nearest sentence's share of
# the clause's words. Chosen on set 5 of `studies/written_citations.jsonl`.
_OF_NEAREST: Final = 0.7
_LOOSE: Final = 0.15  # what is shown where the model says that they disagree
_MOST_SHOWN: Final = 5
_MOST_SENTENCES: Final = 30

_QUOTED: Final = re.compile(r"[“\"«]([^“”\"«»]{1,1000})[”\"»]")
_QUOTED_WORD: Final = re.compile(r"\w+")
_LEAST_QUOTED: Final = 4
_ELLIPSIS: Final = re.compile(r"\[?(?:…|\.\.\.)\]?|\[[^\[\]]{0,100}\]")
_CONTRAST: Final = re.compile(
    r"(?<![^\W_])(?:contrary to|unlike|at odds with|inconsistent with|differ(?:s|ed|ent)? from"
    r"|(?:comparable|similar) to"
    r"|(?:conflict(?:s|ed|ing)?|disagree(?:s|d|ing)?|disagreement|contrast(?:s|ed|ing)?)"
    r" (?:to|with))(?: [\w-]{1,30}){0,3}"
    r" (?:data|findings?|observations?|reports?|reported|results?|stud(?:y|ies)|trials?|works?)"
    r"(?![^\W_])"
)


@dataclass(frozen=True)
class Disagreement:
    """What differs between a citing clause and its passages.

    Attributes:
        differences: in the order of the clause.
        probability: that the passages disagree, by the model; None without passages.
    """

    differences: tuple[Difference, ...] = ()
    probability: float | None = None


def compare(
    clause: str,
    passages: Sequence[str],
    article: str | None = None,
    model: DisagreementModel | None = None,
) -> Disagreement:
    """Return what differs between a clause and the passages shown for it.

    Where a clause itself says that it compares what it cites with findings of its own, which of
    its words are about what is not known, so that only its quotations are compared.

    Takes time linear in the lengths; of a sentence no more than 600 words and 100 numbers are
    read, and of passages no more than 30 sentences.

    Args:
        clause: with its citation markers; they are not compared.
        passages: best first.
        article: the whole text, in which a quotation may stand too, and which says what short
            forms stand for; None to compare no quotations.
        model: by default the one that comes with citespan.
    """
    cleaned = remove_markers(clause)
    short_forms = find_short_forms(passages if article is None else [article])
    ours = read_statement(cleaned, short_forms=short_forms)
    places = [
        (rank, sentence)
        for rank, text in enumerate(passages, start=1)
        for sentence in split_statements(text, short_forms)
        if not sentence.asks or ours.asks
    ][:_MOST_SENTENCES]
    sentences = [sentence for _, sentence in places]
    if not ours.places or not any(sentence.places for sentence in sentences):
        return Disagreement()
    original = Original(clause, cleaned)
    model = model or load_model()
    candidates = [find_candidates(ours, sentence, sentences) for sentence in sentences]
    probability = model.predict(describe(ours, sentences, candidates))
    chosen = choose_differences(ours, places, candidates, disagree=probability >= model.threshold)
    if _CONTRAST.search(lower(cleaned)):
        chosen = []
    found = [
        Difference(
            candidate.kind,
            original.find(*candidate.clause),
            _find_place(passages[rank - 1], rank, sentence, candidate),
            candidate.closeness,
        )
        for rank, sentence, candidate in chosen
    ]
    if article is not None:
        found += _compare_quotations(clause, passages, article)
    found.sort(
        key=lambda difference: (difference.citation.start, difference.citation.end, difference.kind)
    )
    return Disagreement(tuple(found), probability)


Found = tuple[int, Statement, Candidate]


def choose_differences(
    clause: Statement,
    places: Sequence[tuple[int, Statement]],
    candidates: Sequence[Sequence[Candidate]],
    *,
    disagree: bool,
) -> list[Found]:
    """Return what is shown: what is close in the sentence that the clause is nearest to, and where
    the model says that they disagree also what is less close.

    What another of the sentences says as the clause does is not shown.

    Args:
        places: the sentences, each with the rank of its passage.
        candidates: what may differ between the clause and each of the sentences.
    """
    sentences = [sentence for _, sentence in places]
    own = clause.places.keys()
    covered = [len(own & sentence.places.keys()) / max(1, len(own)) for sentence in sentences]
    nearest = max(covered, default=0.0)
    wanted: list[tuple[float, Found]] = []
    for (rank, sentence), share, some in zip(places, covered, candidates, strict=True):
        for candidate in some:
            like = nearest * (_OF_NEAREST if candidate.kind == "comparison" else 1)
            ruled = share >= max(like, _LEAST_COVERAGE[candidate.kind])
            close = candidate.closeness >= _CLOSE[candidate.kind] if ruled else False
            if not close and not (disagree and candidate.closeness >= _LOOSE):
                continue
            if candidate.kind in _TOLD_BY_WORDS and _is_said(
                clause, candidate, sentence, sentences
            ):
                continue
            wanted.append((candidate.closeness * share, (rank, sentence, candidate)))
    wanted.sort(key=lambda scored: (-scored[0], scored[1][0], scored[1][2].clause))
    chosen: list[Found] = []
    for _, found in wanted:
        if not any(_overlap(found[2].clause, other[2].clause) for other in chosen):
            chosen.append(found)
    return chosen[:_MOST_SHOWN]


_TOLD_BY_WORDS: Final = ("direction", "negation")
# Lower where "no difference" may be of another group; chosen on `studies/written_citations.jsonl`.
_ABOUT_AS_CLOSE: Final = {"direction": 1.0, "negation": 0.6}


def _is_said(
    clause: Statement, candidate: Candidate, sentence: Statement, sentences: Sequence[Statement]
) -> bool:
    """Whether another sentence says about as closely what the clause says there."""
    others = [other for other in sentences if other is not sentence]
    agreement = find_agreement(clause, candidate.clause[1], others)
    return agreement >= _ABOUT_AS_CLOSE[candidate.kind] * candidate.closeness


def _overlap(span: tuple[int, int], other: tuple[int, int]) -> bool:
    return span[0] < other[1] and other[0] < span[1]


def _find_place(passage: str, rank: int, sentence: Statement, candidate: Candidate) -> Place:
    start, end = (sentence.offset + at for at in candidate.sentence)
    return Place(start, end, passage[start:end], rank)


class Original:
    """Finds in a clause what stands in it without its citation markers and some of its spaces."""

    def __init__(self, clause: str, cleaned: str) -> None:
        self._clause = clause
        self._at: list[int] = [0] * (len(cleaned) + 1)
        place, clause = 0, clause.translate(WIDE)
        for part in _PARTS.finditer(cleaned):
            place = max(place, clause.find(part[0], place))
            for step in range(part.end() - part.start()):
                self._at[part.start() + step] = place + step
            place += len(part[0])

    def find(self, start: int, end: int) -> Place:
        """Return the place of characters from start to end."""
        own = self._at[start]
        last = self._at[end - 1] + 1
        return Place(own, last, self._clause[own:last])


_PARTS: Final = re.compile(r"\w+|[^\w\s]")


def _compare_quotations(clause: str, passages: Sequence[str], article: str) -> Iterator[Difference]:
    """Yield what a clause quotes and no passage, nor the article, has in these words."""
    quoted = [
        quotation
        for quotation in _QUOTED.finditer(clause)
        if len(quotation[1].split()) >= _LEAST_QUOTED
    ]
    if not quoted:
        return
    texts = [_spell(text) for text in (*passages, article)]
    for quotation in quoted[:_MOST_SHOWN]:
        parts = [part for part in map(_spell, _ELLIPSIS.split(quotation[1])) if part.strip()]
        if all(any(part in text for text in texts) for part in parts):
            continue
        place = _find_nearest_words(quotation[1], passages)
        if place is not None:
            yield Difference("quotation", Place(*quotation.span(1), quotation[1]), *place)


def _spell(text: str) -> str:
    """Return the words of a text in lower case, one space between them and at both ends."""
    return f" {' '.join(_QUOTED_WORD.findall(text.lower()))} "


def _find_nearest_words(quoted: str, passages: Sequence[str]) -> tuple[Place, float] | None:
    """Return the words of a passage between the first and the last that are quoted too, in the
    sentence that has most of them; None if none has half of them."""
    wanted = set(_QUOTED_WORD.findall(quoted.lower()))
    best: tuple[int, int, Statement] | None = None
    for rank, text in enumerate(passages, start=1):
        for sentence in split_statements(text):
            count = len(wanted & {word.text for word in sentence.words})
            if best is None or count > best[0]:
                best = count, rank, sentence
    if best is None or 2 * best[0] < len(wanted):
        return None
    count, rank, sentence = best
    spans = [word for word in sentence.words if word.text in wanted]
    start, end = sentence.offset + spans[0].start, sentence.offset + spans[-1].end
    return Place(start, end, passages[rank - 1][start:end], rank), count / len(wanted)

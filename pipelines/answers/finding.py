"""The sentences that answer a question, best first over all candidate abstracts (paper B).

A sentence's score is its abstract's BM25 score times the probability, by the detector, that the
sentence is the answer: how much the abstract is about the question, and how much its author
answers it there. Of equal scores the earlier sentence of an abstract is first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from citespan.pipelines.answers.answer_model import AnswerModel, load
from citespan.pipelines.answers.candidates import Candidate
from citespan.pipelines.answers.claim_sentences import claim_sentences
from citespan.pipelines.answers.zone_model import ZoneModel
from citespan.pipelines.answers.zoning import ZonedSentence, zones
from citespan.pipelines.corpus.abstract import Abstract

TOP = 10
PER_ABSTRACT = 1
DEPTH = 50
"""How many abstracts are retrieved for a question, or as many as answers if these are more."""

_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Answer:
    """A sentence that may answer the question.

    Attributes:
        rank: from 1.
        sentence: with its zone, and whether a label or the model says it.
        before, after: the sentences beside it in the abstract, if there are any.
        probability: that the sentence is the answer, if its abstract has one.
        score: `probability` times the abstract's BM25 score.
    """

    rank: int
    abstract: Abstract
    sentence: ZonedSentence
    before: ZonedSentence | None
    after: ZonedSentence | None
    probability: float
    score: float

    def to_json(self) -> dict[str, Any]:
        """For `citespan answers find --json`."""
        return {
            "rank": self.rank,
            "pmid": self.abstract.id,
            "year": self.abstract.year,
            "zone": self.sentence.zone,
            "zone_from": self.sentence.by,
            "score": self.score,
            "probability": self.probability,
            "sentence": self.sentence.text,
            "title": self.abstract.title,
            "start": self.sentence.start,
            "end": self.sentence.end,
        }


@dataclass(frozen=True, slots=True)
class _Scored:
    abstract: Abstract
    zoned: Sequence[ZonedSentence]
    place: int
    probability: float
    score: float


def find_answers(
    question: str,
    candidates: Sequence[Candidate],
    zone_model: ZoneModel | None = None,
    detector: AnswerModel | None = None,
    top: int = TOP,
    per_abstract: int = PER_ABSTRACT,
) -> list[Answer]:
    """The `top` sentences of the highest scores.

    Args:
        candidates: best first. Those whose every sentence must score less than the `top` ones
            found so far are not looked into.
        zone_model, detector: the shipped ones if None.
        per_abstract: at most so many sentences of one abstract, its best.

    Raises:
        InputError: if a model can't be loaded.
    """
    detector = detector or load()
    best: list[_Scored] = []
    for batch in _batches(candidates):
        if len(best) == top and batch[0].score * detector.highest < best[-1].score:
            break
        for inside in _scored(question, batch, zone_model, detector):
            # Sorting is stable: of equal scores, sentences stay in the order of the text.
            best += sorted(inside, key=_by_score)[:per_abstract]
        best.sort(key=_by_score)
        del best[top:]
    return [_answer(rank, one) for rank, one in enumerate(best, 1)]


def _batches(candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    waiting = iter(candidates)
    while batch := list(islice(waiting, _AT_ONCE)):
        yield batch


def _scored(
    question: str, batch: Sequence[Candidate], zone_model: ZoneModel | None, detector: AnswerModel
) -> Iterator[list[_Scored]]:
    predicted = zones((one.abstract for one in batch if not one.zoned), zone_model)
    for candidate in batch:
        abstract = candidate.abstract
        sentences = candidate.zoned or next(predicted)[1]
        yield [
            _Scored(abstract, sentences, claim.place, probability, candidate.score * probability)
            for claim in claim_sentences(question, abstract, sentences)
            for probability in (detector.probability(claim.values),)
        ]


def _by_score(one: _Scored) -> float:
    return -one.score


def _answer(rank: int, one: _Scored) -> Answer:
    last = len(one.zoned) - 1
    return Answer(
        rank,
        one.abstract,
        one.zoned[one.place],
        one.zoned[one.place - 1] if one.place else None,
        one.zoned[one.place + 1] if one.place < last else None,
        one.probability,
        one.score,
    )

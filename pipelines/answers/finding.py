"""Find the sentences that answer a question, best first over all candidate abstracts.

The zones and the detector are those of paper B (Alamri and Stevenson 2015); the ranking over
abstracts is citespan's own. A sentence's score is the BM25 score of its abstract, which says how
much the abstract is about the question, times the detector's probability that the sentence is the
answer. Of equal scores the earlier sentence of an abstract is first.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

from citespan.pipelines.answers.answer import PER_ABSTRACT, TOP, Answer, order_answers
from citespan.pipelines.answers.candidates import Candidate
from citespan.pipelines.answers.detection.features import extract_claim_sentences
from citespan.pipelines.answers.detection.model import AnswerModel, load_model
from citespan.pipelines.answers.zones.model import ZoneModel
from citespan.pipelines.answers.zones.zoning import ZonedSentence, assign_zones
from citespan.pipelines.batches import batched
from citespan.pipelines.corpus.abstract import Abstract

DEPTH = 50
"""How many abstracts are retrieved for a question, unless more answers than that are wanted."""

_AT_ONCE = 8


def find_answers(
    question: str,
    candidates: Sequence[Candidate],
    zone_model: ZoneModel | None = None,
    detector: AnswerModel | None = None,
    top: int = TOP,
    per_abstract: int = PER_ABSTRACT,
) -> list[Answer]:
    """Return the `top` sentences of the highest scores, best first.

    Args:
        candidates: best first. The search stops where no further candidate can have a sentence
            that scores more than the `top` ones found.
        zone_model, detector: the shipped ones if None.
        per_abstract: the largest number of sentences from one abstract, its best.

    Raises:
        InputError: if a model can't be loaded.
    """
    detector = detector or load_model()
    best: list[Answer] = []
    for batch in batched(candidates, _AT_ONCE):
        if len(best) == top and batch[0].score * detector.highest < best[-1].score:
            break
        found = _score_sentences(question, batch, zone_model, detector)
        best = order_answers(
            (*best, *chain(*(order_answers(inside, per_abstract) for inside in found))), top
        )
    return best


def _score_sentences(
    question: str, batch: Sequence[Candidate], zone_model: ZoneModel | None, detector: AnswerModel
) -> Iterator[list[Answer]]:
    predicted = assign_zones(
        (candidate.abstract for candidate in batch if not candidate.zoned), zone_model
    )
    for candidate in batch:
        abstract = candidate.abstract
        zoned = candidate.zoned or next(predicted)[1]
        claims = extract_claim_sentences(question, abstract, zoned)
        chances = [detector.estimate_probability(claim.values) for claim in claims]
        yield [
            make_answer(abstract, zoned, claim.place, chance, candidate.score * chance)
            for claim, chance in zip(claims, chances, strict=True)
        ]


def make_answer(
    abstract: Abstract,
    zoned: Sequence[ZonedSentence],
    place: int,
    probability: float,
    score: float,
    support: float | None = None,
) -> Answer:
    """Return the answer that the sentence at a place of an abstract is, without a rank yet."""
    sentence = zoned[place]
    return Answer(
        rank=0,
        id=abstract.id,
        pmid=abstract.id,
        doi=abstract.doi,
        full_text=False,
        title=abstract.title,
        year=abstract.year,
        zone=sentence.zone,
        zone_from=sentence.by,
        zone_probability=sentence.probability,
        text=sentence.text,
        start=sentence.start,
        end=sentence.end,
        before=zoned[place - 1].text if place else "",
        after=zoned[place + 1].text if place + 1 < len(zoned) else "",
        probability=probability,
        score=score,
        support=support,
    )

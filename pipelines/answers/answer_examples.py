"""Claim sentences of answered abstracts, each with whether it is the answer."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from citespan.pipelines.answers.answer_tree import Node, grown
from citespan.pipelines.answers.answered_abstracts import AnsweredAbstract
from citespan.pipelines.answers.claim_sentences import ClaimSentence, FeatureName, claim_sentences
from citespan.pipelines.answers.error_based_pruning import pruned
from citespan.pipelines.answers.labelled_sentences import without_sections
from citespan.pipelines.answers.zone_model import ZoneModel
from citespan.pipelines.answers.zoning import ZonedSentence, zones
from citespan.pipelines.corpus.abstract import Abstract

# A sentence that the splitter has cut in another way is the answer if it holds most of it.
_MOST: Final = 0.5


@dataclass(frozen=True, slots=True)
class Example:
    """One answered abstract as a detector sees it.

    Attributes:
        question: those of one question are never on both sides of a cross-validation.
        answers: for each sentence whether it is the answer; at most one is.
    """

    question: str
    sentences: tuple[ClaimSentence, ...]
    answers: tuple[bool, ...]

    @property
    def outside(self) -> bool:
        """Whether the answer is outside of the claim zone, where nothing can detect it."""
        return not any(self.answers)


def examples(
    answered: Iterable[AnsweredAbstract],
    model: ZoneModel | None = None,
    hidden: bool = False,
) -> Iterator[Example]:
    """An example for each answered abstract, streaming.

    Args:
        model: zones the sentences without labels; the shipped one if None.
        hidden: whether the sections are hidden first, so that the model zones all sentences.

    Raises:
        InputError: if the model can't be loaded, or the pipeline that its features need.
    """
    waiting: list[AnsweredAbstract] = []

    def abstracts() -> Iterator[Abstract]:
        for one in answered:
            waiting.append(one)
            yield without_sections(one.abstract) if hidden else one.abstract

    for abstract, zoned in zones(abstracts(), model, labels=not hidden):
        one = waiting.pop(0)
        inside = claim_sentences(one.question, abstract, zoned)
        shares = [_share(claim.sentence, one) for claim in inside]
        best = max(shares, default=0.0)
        answer = shares.index(best) if best > _MOST else None
        yield Example(
            one.question, tuple(inside), tuple(number == answer for number in range(len(inside)))
        )


def trained(data: Sequence[Example], features: Sequence[FeatureName]) -> Node:
    """A pruned tree.

    Raises:
        InputError: if there are not both answers and other sentences.
    """
    values = [claim.values for one in data for claim in one.sentences]
    answers = [answer for one in data for answer in one.answers]
    return pruned(grown(values, answers, features))


def _share(sentence: ZonedSentence, answered: AnsweredAbstract) -> float:
    """How much of the answer is in the sentence."""
    shared = min(sentence.end, answered.end) - max(sentence.start, answered.start)
    return shared / (answered.end - answered.start)

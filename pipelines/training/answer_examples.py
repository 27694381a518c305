"""The data of answer detection: questions with the sentence of an abstract that answers each.

There are two sources:

- ManConCorpus with a Medline file of its PMIDs, which is paper B's own corpus: its corpus-2 is the
  claims with a structured abstract, its corpus-3 the others.
- Structured abstracts whose title is a question, as all of PubMedQA's: the answer is the first
  sentence of the Conclusions. The rule uses neither words nor similarity, and further sentences of
  the Conclusions (in two of three abstracts) are no answers, so that no feature alone gives the
  answer away. Still the task is not the paper's: nobody has judged that the sentence is the best
  answer, no answer is among the Results, every abstract has its own question, and since title and
  question are the same, so are st-sim and sq-sim.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from citespan.pipelines.answers.detection.features import ClaimSentence, extract_claim_sentences
from citespan.pipelines.answers.zones.model import ZoneModel
from citespan.pipelines.answers.zones.sentences import hide_sections, split_and_label
from citespan.pipelines.answers.zones.zoning import ZonedSentence, assign_zones
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Rejected, Sentence
from citespan.pipelines.corpus.mancon import QuestionsWithClaims, rebuild_corpus


@dataclass(frozen=True, slots=True)
class AnsweredAbstract:
    """An abstract, a question, and its answer `abstract.text[start:end]`."""

    question: str
    abstract: Abstract
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TitleQuestions:
    """The abstracts whose title is a question, and the numbers of others.

    Attributes:
        other_titles: number of abstracts whose title does not end in a question mark.
        without_zones: number of abstracts without sentences labelled as Results or as Conclusions.
    """

    answered: tuple[AnsweredAbstract, ...]
    other_titles: int
    without_zones: int


@dataclass(frozen=True, slots=True)
class PaperCorpora:
    """Paper B's corpora as far as they could be rebuilt; every claim is in exactly one of these.

    Attributes:
        structured: corpus-2.
        unstructured: corpus-3.
        absent: claims without an abstract.
        unaligned: claims that are like no sentence of their abstract.
    """

    structured: tuple[AnsweredAbstract, ...]
    unstructured: tuple[AnsweredAbstract, ...]
    absent: tuple[Rejected, ...]
    unaligned: tuple[Rejected, ...]


def from_titles(abstracts: Iterable[Abstract]) -> TitleQuestions:
    """Make a corpus from titles by the rule of the module's docstring."""
    answered = []
    other_titles = without_zones = 0
    for abstract in abstracts:
        if not abstract.title.rstrip("]. ").endswith("?"):
            other_titles += 1
            continue
        sentences = split_and_label(abstract)
        first = next((s for s in sentences if s.label == "Conclusions"), None)
        if first is None or all(s.label != "Results" for s in sentences):
            without_zones += 1
            continue
        answered.append(AnsweredAbstract(abstract.title, abstract, first.start, first.end))
    return TitleQuestions(tuple(answered), other_titles, without_zones)


def from_mancon(corpus: QuestionsWithClaims, abstracts: Iterable[Abstract]) -> PaperCorpora:
    """Rebuild paper B's corpus-2 and corpus-3."""
    found = rebuild_corpus(corpus, {abstract.id: abstract for abstract in abstracts}, _split)
    answered = [
        AnsweredAbstract(
            case.question.text,
            case.abstract,
            case.sentences[case.answer].start,
            case.sentences[case.answer].end,
        )
        for case in found.answered
    ]
    return PaperCorpora(
        structured=tuple(case for case in answered if case.abstract.structured),
        unstructured=tuple(case for case in answered if not case.abstract.structured),
        absent=found.absent,
        unaligned=found.unaligned,
    )


def _split(abstract: Abstract) -> Sequence[Sentence]:
    return [Sentence(sentence.start, sentence.end) for sentence in split_and_label(abstract)]


# The splitter may have cut the answer; the sentence that contains most of it counts.
_MOST: Final = 0.5


@dataclass(frozen=True, slots=True)
class Example:
    """The claim sentences of an answered abstract.

    Attributes:
        question: examples of one question are in the same fold of a cross-validation.
        answers: for each sentence whether it is the answer; at most one is.
    """

    question: str
    sentences: tuple[ClaimSentence, ...]
    answers: tuple[bool, ...]

    @property
    def outside(self) -> bool:
        """Whether the answer is outside the claim zone, where it can't be detected."""
        return not any(self.answers)


def make_examples(
    answered: Iterable[AnsweredAbstract], model: ZoneModel | None = None, hidden: bool = False
) -> Iterator[Example]:
    """Make an example of each answered abstract, streaming.

    Args:
        model: gives sentences without labels their zones; the shipped one if None.
        hidden: whether to hide the sections, so that the model gives all sentences their zones.

    Raises:
        InputError: if the model can't be loaded, or the pipeline that its features need.
    """
    waiting: list[AnsweredAbstract] = []

    def abstracts() -> Iterator[Abstract]:
        for case in answered:
            waiting.append(case)
            yield hide_sections(case.abstract) if hidden else case.abstract

    for abstract, zoned in assign_zones(abstracts(), model, labels=not hidden):
        case = waiting.pop(0)
        inside = extract_claim_sentences(case.question, abstract, zoned)
        shares = [_compute_share(claim.sentence, case) for claim in inside]
        best = max(shares, default=0.0)
        answer = shares.index(best) if best > _MOST else None
        yield Example(
            case.question, tuple(inside), tuple(number == answer for number in range(len(inside)))
        )


def _compute_share(sentence: ZonedSentence, answered: AnsweredAbstract) -> float:
    """Return the share of the answer that the sentence contains."""
    shared = min(sentence.end, answered.end) - max(sentence.start, answered.start)
    return shared / (answered.end - answered.start)

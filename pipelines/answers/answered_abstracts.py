"""Questions, each with an abstract and the place in it that answers the question.

There are two ways to such a corpus:

- ManConCorpus with a Medline file of its PMIDs, which is paper B's own: its corpus-2 is those with
  a structured abstract, its corpus-3 the others.
- Structured abstracts whose title is a question, as all of PubMedQA's: the answer is the first
  sentence of the Conclusions. The rule looks at neither words nor similarity, and further
  sentences of the Conclusions (in two of three abstracts) are no answers, so that no feature alone
  gives the answer away. It is still another task than the paper's: nobody has judged that the
  sentence is the best answer, no answer is among the Results, every abstract has a question of its
  own, and title and question are one, so that st-sim and sq-sim are as well.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citespan.pipelines.answers.labelled_sentences import labelled_sentences
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Rejected, Sentence
from citespan.pipelines.corpus.mancon import QuestionsWithClaims
from citespan.pipelines.corpus.mancon_abstracts import rebuilt


@dataclass(frozen=True, slots=True)
class AnsweredAbstract:
    """An abstract, a question, and its answer `abstract.text[start:end]`."""

    question: str
    abstract: Abstract
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TitleQuestions:
    """Of abstracts, those whose title is a question, and how many others there were.

    Attributes:
        other_titles: abstracts whose title does not end in a question mark.
        without_zones: abstracts without a sentence labelled as Results or Conclusions.
    """

    answered: tuple[AnsweredAbstract, ...]
    other_titles: int
    without_zones: int


@dataclass(frozen=True, slots=True)
class PaperCorpora:
    """Paper B's corpora as far as they could be rebuilt; every claim is in one of the four."""

    structured: tuple[AnsweredAbstract, ...]
    unstructured: tuple[AnsweredAbstract, ...]
    absent: tuple[Rejected, ...]
    unaligned: tuple[Rejected, ...]


def from_titles(abstracts: Iterable[Abstract]) -> TitleQuestions:
    """The corpus by the rule of the module's docstring."""
    answered = []
    other_titles = without_zones = 0
    for abstract in abstracts:
        if not abstract.title.rstrip("]. ").endswith("?"):
            other_titles += 1
            continue
        sentences = labelled_sentences(abstract)
        first = next((s for s in sentences if s.label == "Conclusions"), None)
        if first is None or all(s.label != "Results" for s in sentences):
            without_zones += 1
            continue
        answered.append(AnsweredAbstract(abstract.title, abstract, first.start, first.end))
    return TitleQuestions(tuple(answered), other_titles, without_zones)


def from_mancon(corpus: QuestionsWithClaims, abstracts: Iterable[Abstract]) -> PaperCorpora:
    """Paper B's corpus-2 and corpus-3."""
    found = rebuilt(corpus, {one.id: one for one in abstracts}, _sentences)
    answered = [
        AnsweredAbstract(
            one.question.text,
            one.abstract,
            one.sentences[one.answer].start,
            one.sentences[one.answer].end,
        )
        for one in found.answered
    ]
    return PaperCorpora(
        structured=tuple(one for one in answered if one.abstract.structured),
        unstructured=tuple(one for one in answered if not one.abstract.structured),
        absent=found.absent,
        unaligned=found.unaligned,
    )


def _sentences(abstract: Abstract) -> Sequence[Sentence]:
    return [Sentence(one.start, one.end) for one in labelled_sentences(abstract)]

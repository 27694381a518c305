"""ManConCorpus with its abstracts brought back from a Medline file of its PMIDs."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Rejected, Sentence
from citespan.pipelines.corpus.mancon import Claim, QuestionsWithClaims, ResearchQuestion

_WORD = re.compile(r"\w+")
_LEAST_OVERLAP = 0.8
_FEWEST_WORDS = 5


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question, an abstract, and which of its sentences answers it.

    Attributes:
        sentences: of the abstract, without its title's; offsets are into the abstract's text.
        answer: the number of the sentence that is the claim, from 0.
    """

    question: ResearchQuestion
    claim: Claim
    abstract: Abstract
    sentences: tuple[Sentence, ...]
    answer: int


@dataclass(frozen=True, slots=True)
class AnsweredQuestions:
    """The corpus as far as it could be rebuilt; every claim is in one of the three.

    Attributes:
        answered: in the corpus's order. The paper's corpus-2 is those with a structured
            abstract, its corpus-3 the others.
        absent: claims whose PMID has no abstract in the Medline file.
        unaligned: claims that no sentence of their abstract is like.
    """

    answered: tuple[AnsweredQuestion, ...]
    absent: tuple[Rejected, ...]
    unaligned: tuple[Rejected, ...]


def rebuilt(
    corpus: QuestionsWithClaims,
    abstracts: Mapping[str, Abstract],
    split: Callable[[Abstract], Sequence[Sentence]],
) -> AnsweredQuestions:
    """Each claim with its abstract.

    Args:
        abstracts: by PMID.
        split: the sentences of an abstract without its title's.
    """
    answered: list[AnsweredQuestion] = []
    absent: list[Rejected] = []
    unaligned: list[Rejected] = []
    for question in corpus.questions:
        for claim in question.claims:
            abstract = abstracts.get(claim.pmid)
            if abstract is None:
                reason = f"PMID {claim.pmid} has no abstract in the Medline file"
                absent.append(Rejected(claim.source, reason, "skipped"))
                continue
            sentences = tuple(split(abstract))
            texts = [abstract.text[s.start : s.end] for s in sentences]
            answer = aligned(claim.text, texts)
            if answer is None:
                reason = f"no sentence of PMID {claim.pmid} is like the claim"
                unaligned.append(Rejected(claim.source, reason, "skipped"))
            else:
                answered.append(AnsweredQuestion(question, claim, abstract, sentences, answer))
    return AnsweredQuestions(tuple(answered), tuple(absent), tuple(unaligned))


def aligned(claim: str, sentences: Sequence[str]) -> int | None:
    """The number of the sentence that a claim is, the first of equals; None if there is none.

    The two are compared as bags of lower-case words, by F1: 0.8 is enough, for Medline has
    corrected abstracts since, and so is a sentence of five words or more that is a part of the
    claim or has it as a part, for sentences have been split in other ways.
    """
    wanted = _words(claim)
    overlaps = [_overlap(wanted, _words(sentence)) for sentence in sentences]
    best = max(range(len(overlaps)), key=lambda n: (overlaps[n], -n), default=None)
    return best if best is not None and overlaps[best] >= _LEAST_OVERLAP else None


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _overlap(one: list[str], other: list[str]) -> float:
    if not one or not other:
        return 0.0
    shorter, longer = sorted((one, other), key=len)
    shared = 2 * (Counter(one) & Counter(other)).total() / (len(one) + len(other))
    within = f" {' '.join(shorter)} " in f" {' '.join(longer)} "
    if within and len(shorter) >= _FEWEST_WORDS:
        return max(shared, _LEAST_OVERLAP)
    return shared

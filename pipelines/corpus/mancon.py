"""ManConCorpus: research questions with the claims of abstracts that answer them.

`<CORPUS>` holds a `<REVIEW>` for each systematic review, and that a `<CLAIM>` for each abstract:
the sentence that answers the review's question best, with the abstract's PMID. The abstracts
themselves are not in it; `rebuilt` brings them back from a Medline file. It is the corpus
that paper B's answer detection was trained and measured on (section 3.2.1).

A. Alamri, M. Stevenson, "A corpus of potentially contradictory research claims from cardiovascular
research abstracts", Journal of Biomedical Semantics 7:36, 2016.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lxml import etree

from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Rejected, Sentence
from citespan.pipelines.corpus.files import read_bytes
from citespan.pipelines.corpus.identifiers import is_pmid
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.xml import parse
from citespan.pipelines.errors import InputError

Assertion = Literal["yes", "no"]
_ASSERTIONS: dict[str, Assertion] = {"YS": "yes", "NO": "no"}
_CORPUS = "CORPUS"
_WORD = re.compile(r"\w+")
_LEAST_OVERLAP = 0.8
_FEWEST_WORDS = 5


@dataclass(frozen=True, slots=True)
class Claim:
    """The sentence of one abstract that answers a question.

    Attributes:
        assertion: whether it answers it by yes or by no.
        source: the file and the number of the claim in it.
    """

    pmid: str
    assertion: Assertion
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class ResearchQuestion:
    """The question of one systematic review."""

    text: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class QuestionsWithClaims:
    """All questions, and every claim that can't be used: `records` = claims + len(rejected)."""

    questions: tuple[ResearchQuestion, ...]
    rejected: tuple[Rejected, ...]
    records: int

    @property
    def pmids(self) -> tuple[str, ...]:
        """Of all abstracts with a claim, each once, sorted by number."""
        found = {claim.pmid for question in self.questions for claim in question.claims}
        return tuple(sorted(found, key=int))


def read_mancon(path: Path) -> QuestionsWithClaims:
    """Return the questions in the order of the file; claims of one question keep theirs.

    Raises:
        InputError: if the file can't be read or is not the corpus.
    """
    try:
        root = parse(read_bytes(path))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    if root.tag != _CORPUS:
        raise InputError(f"{path}: not ManConCorpus: the root element is <{root.tag}>")
    claims: dict[tuple[str, str], list[Claim]] = {}
    rejected: list[Rejected] = []
    records = 0
    for review in root.iterfind("REVIEW"):
        pmid = review.get("REVIEW_PMID", "")
        for element in review.iterfind("CLAIM"):
            records += 1
            claim = _claim(element, f"{path}: claim {records}")
            if isinstance(claim, Rejected):
                rejected.append(claim)
            else:
                question = collapse_space(element.get("QUESTION", ""))
                claims.setdefault((question, pmid), []).append(claim)
    if not records:
        raise InputError(f"{path}: no claim in it")
    return QuestionsWithClaims(
        tuple(ResearchQuestion(question, tuple(found)) for (question, _), found in claims.items()),
        tuple(rejected),
        records,
    )


def _claim(element: etree._Element, source: str) -> Claim | Rejected:
    pmid = element.get("PMID", "").strip()
    text = collapse_space("".join(map(str, element.itertext())))
    assertion = _ASSERTIONS.get(element.get("ASSERTION", "").strip().upper())
    if not is_pmid(pmid):
        return Rejected(source, f"PMID '{pmid[:40]}' is not a number")
    if not text or not element.get("QUESTION", "").strip():
        return Rejected(source, "no sentence or no question")
    if assertion is None:
        return Rejected(source, "ASSERTION is neither YS nor NO")
    return Claim(pmid, assertion, text, source)


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


def rebuild_corpus(
    corpus: QuestionsWithClaims,
    abstracts: Mapping[str, Abstract],
    split: Callable[[Abstract], Sequence[Sentence]],
) -> AnsweredQuestions:
    """Bring each claim together with its abstract.

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
            answer = align_claim(claim.text, texts)
            if answer is None:
                reason = f"no sentence of PMID {claim.pmid} is like the claim"
                unaligned.append(Rejected(claim.source, reason, "skipped"))
            else:
                answered.append(AnsweredQuestion(question, claim, abstract, sentences, answer))
    return AnsweredQuestions(tuple(answered), tuple(absent), tuple(unaligned))


def align_claim(claim: str, sentences: Sequence[str]) -> int | None:
    """Return the number of the sentence that a claim is, the first of equals; None if there is
    none.

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


def _overlap(words: list[str], other: list[str]) -> float:
    if not words or not other:
        return 0.0
    shorter, longer = sorted((words, other), key=len)
    shared = 2 * (Counter(words) & Counter(other)).total() / (len(words) + len(other))
    within = f" {' '.join(shorter)} " in f" {' '.join(longer)} "
    if within and len(shorter) >= _FEWEST_WORDS:
        return max(shared, _LEAST_OVERLAP)
    return shared

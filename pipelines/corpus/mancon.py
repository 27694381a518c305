"""ManConCorpus: research questions with the claims of abstracts that answer them.

`<CORPUS>` holds a `<REVIEW>` for each systematic review, and that a `<CLAIM>` for each abstract:
the sentence that answers the review's question best, with the abstract's PMID. The abstracts
themselves are not in it; `mancon_abstracts` brings them back from a Medline file. It is the corpus
that paper B's answer detection was trained and measured on (section 3.2.1).

A. Alamri, M. Stevenson, "A corpus of potentially contradictory research claims from cardiovascular
research abstracts", Journal of Biomedical Semantics 7:36, 2016.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lxml import etree

from citespan.pipelines.corpus.abstract import is_pmid
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.files import read_bytes
from citespan.pipelines.corpus.paragraphs import collapsed
from citespan.pipelines.corpus.xml import parse
from citespan.pipelines.errors import InputError

Assertion = Literal["yes", "no"]
_ASSERTIONS: dict[str, Assertion] = {"YS": "yes", "NO": "no"}
_CORPUS = "CORPUS"


@dataclass(frozen=True, slots=True)
class Claim:
    """The sentence of one abstract that answers a question.

    Attributes:
        assertion: whether it answers it by yes or by no.
        kind: "CAUS" for a causal claim, "EVAL" for an evaluation.
        source: the file and the number of the claim in it.
    """

    pmid: str
    assertion: Assertion
    kind: str
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class ResearchQuestion:
    """The question of one systematic review; `review` is that one's PMID."""

    text: str
    review: str
    review_title: str
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
    """The questions in the order of the file; claims of one question keep theirs.

    Raises:
        InputError: if the file can't be read or is not the corpus.
    """
    try:
        root = parse(read_bytes(path))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    if root.tag != _CORPUS:
        raise InputError(f"{path}: not ManConCorpus: the root element is <{root.tag}>")
    claims: dict[tuple[str, str, str], list[Claim]] = {}
    rejected: list[Rejected] = []
    records = 0
    for review in root.iterfind("REVIEW"):
        about = (review.get("REVIEW_PMID", ""), collapsed(review.get("REVIEW_TITLE", "")))
        for element in review.iterfind("CLAIM"):
            records += 1
            claim = _claim(element, f"{path}: claim {records}")
            if isinstance(claim, Rejected):
                rejected.append(claim)
            else:
                question = collapsed(element.get("QUESTION", ""))
                claims.setdefault((question, *about), []).append(claim)
    if not records:
        raise InputError(f"{path}: no claim in it")
    return QuestionsWithClaims(
        tuple(
            ResearchQuestion(question, review_pmid, title, tuple(found))
            for (question, review_pmid, title), found in claims.items()
        ),
        tuple(rejected),
        records,
    )


def _claim(element: etree._Element, source: str) -> Claim | Rejected:
    pmid = element.get("PMID", "").strip()
    text = collapsed("".join(map(str, element.itertext())))
    assertion = _ASSERTIONS.get(element.get("ASSERTION", "").strip().upper())
    if not is_pmid(pmid):
        return Rejected(source, f"PMID '{pmid[:40]}' is not a number")
    if not text or not element.get("QUESTION", "").strip():
        return Rejected(source, "no sentence or no question")
    if assertion is None:
        return Rejected(source, "ASSERTION is neither YS nor NO")
    return Claim(pmid, assertion, element.get("TYPE", "").strip(), text, source)

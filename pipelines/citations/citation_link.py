"""A citation of one indexed article by another, with what the cited article has for it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from citespan.pipelines.ranking.evidence import Verdict
from citespan.pipelines.retrieval.passage import Passage


@dataclass(frozen=True, slots=True)
class LinkedPassage:
    """A passage of the cited article.

    Attributes:
        first_sentence, last_sentence: their numbers in the article, from 0.
        start, end: offsets into its text.
        probability: that it is the evidence.
    """

    rank: int
    first_sentence: int
    last_sentence: int
    start: int
    end: int
    section: str
    text: str
    probability: float

    @classmethod
    def of(cls, passage: Passage) -> "LinkedPassage":
        """Return what a link keeps of a passage that a ranker has found."""
        assert passage.probability is not None
        return cls(
            passage.rank,
            passage.first_sentence,
            passage.last_sentence,
            passage.start,
            passage.end,
            passage.section,
            passage.text,
            passage.probability,
        )


@dataclass(frozen=True, slots=True)
class CitationLink:
    """A citation that has been linked.

    Attributes:
        citing, cited: the ids of the two articles.
        citation: its id in the citing article, as `citespan citations` shows it.
        number: its place among the citations of the article, from 0.
        section, start, end, text: of the citing sentence.
        query: what the citation says by itself: its clause without markers.
        reference: the key of the entry of the reference list.
        found_by: "identifier" or "title": what has led to the cited article.
        verdict: by `support`, the probability that the article has evidence, against `threshold`.
        passages: best first.
        ranker, ranker_version: what has judged them.
        citing_content, cited_content: hashes of the articles; the link counts while they have
            these.
        linked: when, in ISO 8601.
    """

    citing: str
    citing_title: str
    cited: str
    cited_title: str
    citation: str
    number: int
    section: str
    start: int
    end: int
    text: str
    query: str
    reference: str
    found_by: str
    verdict: Verdict
    support: float
    threshold: float
    passages: tuple[LinkedPassage, ...]
    ranker: str
    ranker_version: str
    citing_content: str
    cited_content: str
    linked: str

    @classmethod
    def from_document(cls, source: Mapping[str, Any]) -> "CitationLink":
        """Return the link of a document (`es_mappings/links.py`)."""
        passages = tuple(LinkedPassage(**one) for one in source["passages"])
        kept = {name: source[name] for name in cls.__dataclass_fields__}
        return cls(**kept | {"passages": passages})

    def to_document(self) -> dict[str, Any]:
        """Return its document."""
        numbers = {
            number
            for one in self.passages
            for number in range(one.first_sentence, one.last_sentence + 1)
        }
        return asdict(self) | {"sentences": [f"{self.cited}#{n}" for n in sorted(numbers)]}

    def to_json(self) -> dict[str, Any]:
        """Return it as `citespan cited --json` prints it."""
        described = asdict(self)
        for name in ("citing_content", "cited_content"):
            del described[name]
        return described

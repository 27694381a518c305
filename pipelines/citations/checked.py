"""What checking a manuscript has found: the status of each citation, and their totals."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, get_args

from citespan.pipelines.citing.citations import (
    ArticleCitations,
    Citation,
    describe_citation,
    describe_reference,
)
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.ranking.evidence import Evidence

Status = Literal["supported", "weak", "none", "not indexed", "unresolved"]
Reason = Literal["ambiguous", "unidentifiable", "no reference", "itself"]

STATUSES: Final[tuple[Status, ...]] = get_args(Status)


@dataclass(frozen=True)
class CheckedCitation:
    """What became of a citation.

    Attributes:
        status: "supported", "weak" or "none" is the ranker's verdict on the cited article;
            "not indexed" says that the article is not there to be searched; "unresolved", that it
            is not known or not another article.
        reason: of an unresolved citation: several indexed articles fit its reference; the
            reference has neither an identifier nor a title and author; the reference list has no
            such reference; the manuscript cites itself.
        problem: what the status does not say by itself, in one line; "" for nothing.
        article: the id of the cited article; None if it is not indexed or not known.
        publication: what is known of it, from its reference and from the catalogue.
        evidence: what was found in it; None if it was not searched.
    """

    citation: Citation
    status: Status
    reason: Reason | None = None
    problem: str = ""
    article: str | None = None
    publication: Publication = Publication()  # noqa: RUF009  frozen
    evidence: Evidence | None = None

    @property
    def kind(self) -> str:
        """Its status; of an unresolved citation, the reason."""
        return self.reason or self.status

    @property
    def doubt(self) -> float | None:
        """The probability that the cited article has no evidence; None if it was not searched."""
        if self.evidence is None or self.evidence.support is None:
            return None
        return 1 - self.evidence.support


@dataclass(frozen=True)
class CheckedManuscript:
    """A manuscript with the status of each of its citations.

    Attributes:
        found: what the manuscript cites, with its text.
        citations: in their order in the text.
        ranker, version: what has judged them.
        threshold: below this support, no passage of an article supports a citation.
    """

    found: ArticleCitations
    citations: tuple[CheckedCitation, ...]
    ranker: str
    version: str
    threshold: float

    @property
    def uncited(self) -> tuple[Reference, ...]:
        """The references without a citation."""
        return self.found.uncited

    @cached_property
    def totals(self) -> Mapping[Status, int]:
        """The number of citations of each status; together, all citations."""
        counted = Counter(one.status for one in self.citations)
        return {status: counted[status] for status in STATUSES}

    @cached_property
    def kinds(self) -> Mapping[str, int]:
        """The number of citations of each `kind` that there is; together, all citations."""
        return Counter(one.kind for one in self.citations)

    @cached_property
    def missing(self) -> Mapping[str, tuple[Reference, int]]:
        """The cited references whose articles are not indexed, by their keys, with the number of
        citations of each, in the order of their first citation."""
        counted: dict[str, tuple[Reference, int]] = {}
        for one in self.citations:
            reference = one.citation.reference
            if one.status == "not indexed" and one.article is None and reference is not None:
                _, before = counted.get(reference.key, (reference, 0))
                counted[reference.key] = (reference, before + 1)
        return counted

    def to_json(self) -> dict[str, Any]:
        """Return it as `citespan check --json` prints it."""
        reasons = Counter(one.reason for one in self.citations if one.reason is not None)
        return {
            "manuscript": self.found.article.source,
            "title": self.found.article.title,
            "ranker": self.ranker,
            "ranker_version": self.version,
            "threshold": self.threshold,
            "citations": [self.describe(one) for one in self.citations],
            "uncited": [describe_reference(one) for one in self.uncited],
            "totals": {"citations": len(self.citations), **self.totals},
            "reasons": dict(reasons),
            "references": len(self.found.references),
            "problems": list(self.found.problems),
        }

    def describe(self, one: CheckedCitation) -> dict[str, Any]:
        """Return a citation as an object for JSON; offsets are into the manuscript's text."""
        reference, found = one.citation.reference, one.evidence
        evidence = found.to_json() if found is not None else {}
        return describe_citation(self.found, one.citation) | {
            "reference": describe_reference(reference) if reference is not None else None,
            "article": one.article,
            "status": one.status,
            "reason": one.reason,
            "problem": one.problem,
            "support": found.support if found is not None else None,
            "missing": evidence.get("missing", []),
            "results": evidence.get("results", []),
        }

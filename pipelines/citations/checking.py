"""Checking citations: which indexed article each one cites, whether that has evidence for it, and
what the checks of a manuscript have found together.

Each citation is searched for by its own clause, and the sentence before if that belongs to it,
without its markers. Nothing of the manuscript is stored on the server.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, get_args

from elasticsearch import Elasticsearch

from citespan.es_mappings.links import Difference
from citespan.pipelines.citations.decisions import (
    Decided,
    Decision,
    Matched,
    State,
    Subject,
    describe_decided,
    describe_states,
    list_problems,
    make_subject,
    match_decisions,
)
from citespan.pipelines.citations.entry_faults import (
    EntryFault,
    KnownIdentifiers,
    find_entry_faults,
)
from citespan.pipelines.citations.evidence_search import CitedEvidence, EvidenceSearch, Question
from citespan.pipelines.citations.resolution import (
    IndexedArticle,
    Resolution,
    make_catalogue_look_up,
    resolve,
)
from citespan.pipelines.citing.citations import (
    REFERENCE_COLUMNS,
    ArticleCitations,
    Citation,
    describe_citation,
    describe_reference,
    flatten_reference,
    make_query,
)
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.corpus.retraction_list import RetractionList
from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.differences.disagreement import Original
from citespan.pipelines.ranking.evidence import Evidence
from citespan.pipelines.ranking.ranker import Ranker
from citespan.pipelines.retrieval.request import TOP
from citespan.pipelines.shown import Row, Shown, short_repr
from citespan.pipelines.store.catalogue import Catalogue, read_publication
from citespan.pipelines.store.notices import find_notices

Status = Literal["found", "differs", "weak", "none", "not indexed", "unresolved"]
Reason = Literal["ambiguous", "unidentifiable", "no reference", "itself", "notice"]

STATUSES: Final[tuple[Status, ...]] = get_args(Status)
COLUMNS: Final = (
    *("manuscript", "id", "section", "start", "end", "text", "clause", "name"),
    *REFERENCE_COLUMNS,
    *("status", "reason", "problem", "faults", "article", "abstract_only", "support"),
    *("differences", "missing"),
    *("better", "probability"),
    *("passage_section", "first_sentence", "last_sentence", "passage"),
    *("decision", "decisions"),
)
"""Of the rows of a checked manuscript."""


@short_repr
@dataclass(frozen=True)
class CheckedCitation(Shown):
    """What became of a citation.

    Attributes:
        status: "found", "differs", "weak" or "none" is the ranker's verdict on the cited article;
            "not indexed" says that the article is not there to be searched; "unresolved", that it
            is not known or not another article.
        reason: of an unresolved citation: several indexed articles fit its reference; the
            reference has neither an identifier nor a title and author; the reference list has no
            such reference; the manuscript cites itself; the reference is a notice that retracts or
            doubts an article, which is no evidence.
        problem: what the status does not say by itself, in one line; "" for nothing.
        article: the id of the cited article; None if it is not indexed or not known.
        publication: what is known of it, from its reference and from the catalogue.
        evidence: what was found in it; None if it was not searched.
    """

    html: ClassVar[str] = "citation"

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
    def abstract_only(self) -> bool:
        """Whether only the abstract of the cited article is indexed, and was searched."""
        return self.evidence is not None and self.evidence.abstract_only

    @property
    def doubt(self) -> float | None:
        """The probability that the cited article has no evidence; None if it was not searched."""
        if self.evidence is None or self.evidence.support is None:
            return None
        return 1 - self.evidence.support


@short_repr
@dataclass(frozen=True)
class CheckedManuscript(Shown):
    """A manuscript with the status of each of its citations.

    Attributes:
        found: what the manuscript cites, with its text.
        citations: in their order in the text.
        ranker, version: what has judged them.
        threshold: below this support, the passages of an article are weak.
        faults: what is wrong with entries of the reference list, by their keys; those that are
            never cited are among them.
        decisions: what people have decided about the citations; None if nobody was asked.
    """

    html: ClassVar[str] = "checked"

    found: ArticleCitations
    citations: tuple[CheckedCitation, ...]
    ranker: str
    version: str
    threshold: float
    faults: Mapping[str, tuple[EntryFault, ...]] = field(default_factory=dict)
    decisions: Matched | None = None

    @property
    def uncited(self) -> tuple[Reference, ...]:
        """The references without a citation."""
        return self.found.uncited

    @cached_property
    def totals(self) -> Mapping[Status, int]:
        """The number of citations of each status; together, all citations."""
        counted = Counter(judged.status for judged in self.citations)
        return {status: counted[status] for status in STATUSES}

    @cached_property
    def kinds(self) -> Mapping[str, int]:
        """The number of citations of each `kind` that there is; together, all citations."""
        return Counter(judged.kind for judged in self.citations)

    @cached_property
    def missing(self) -> Mapping[str, tuple[Reference, int]]:
        """The cited references whose articles are not indexed, by their keys, with the number of
        citations of each, in the order of their first citation."""
        counted: dict[str, tuple[Reference, int]] = {}
        for judged in self.citations:
            reference = judged.citation.reference
            is_absent = judged.status == "not indexed" and judged.article is None
            if is_absent and reference is not None:
                _, before = counted.get(reference.key, (reference, 0))
                counted[reference.key] = (reference, before + 1)
        return counted

    @cached_property
    def faulty(self) -> Sequence[tuple[Reference, tuple[EntryFault, ...]]]:
        """The references with faults, in the order of the list."""
        return [(reference, self.faults[reference.key]) for reference in self.found.references
                if reference.key in self.faults]  # fmt: skip

    def find_faults(self, judged: CheckedCitation) -> tuple[EntryFault, ...]:
        """Return the faults of the reference of a citation."""
        reference = judged.citation.reference
        return self.faults.get(reference.key, ()) if reference is not None else ()

    @cached_property
    def subjects(self) -> Mapping[str, Subject]:
        """What decisions about each citation are about, by its id."""
        return {judged.citation.id: self._make_subject(judged) for judged in self.citations}

    def _make_subject(self, judged: CheckedCitation) -> Subject:
        clause = make_query(self.found.article.text, judged.citation)
        passage = judged.evidence[0].text if judged.evidence else ""
        reference = _name_reference(judged.citation)
        return make_subject(clause, reference, judged.kind, judged.article or "", passage)

    def with_decisions(
        self, decisions: Iterable[Decision], problems: Iterable[str] = ()
    ) -> "CheckedManuscript":
        """Return it with what people have decided about its citations.

        Args:
            problems: a line for each line of their files that is no decision.
        """
        return replace(self, decisions=match_decisions(self.subjects, decisions, problems))

    @property
    def states(self) -> Mapping[str, State]:
        """What the decisions about each citation come to, by its id; empty if nobody was asked."""
        return self.decisions.states if self.decisions is not None else {}

    def find_decided(self, judged: CheckedCitation) -> tuple[Decided, ...]:
        """Return the last decision of each person about a citation."""
        return self.decisions.find(judged.citation.id) if self.decisions is not None else ()

    def to_json(self) -> dict[str, Any]:
        """Return it as `citespan check --json` prints it."""
        reasons = Counter(judged.reason for judged in self.citations if judged.reason is not None)
        return {
            "manuscript": self.found.article.source,
            "title": self.found.article.title,
            "ranker": self.ranker,
            "ranker_version": self.version,
            "threshold": self.threshold,
            "citations": [self.describe(judged) for judged in self.citations],
            "uncited": [describe_reference(reference) for reference in self.uncited],
            "totals": {"citations": len(self.citations), **self.totals},
            "reasons": dict(reasons),
            "links_elsewhere": self.found.elsewhere,
            "references": len(self.found.references),
            "problems": [
                *self.found.problems,
                *(self.decisions.problems if self.decisions else ()),
            ],
            "faults": [
                {"reference": reference.key, **fault.to_json()}
                for reference, faults in self.faulty
                for fault in faults
            ],
            **describe_states(self.decisions),
        }

    def find_differences(self, judged: CheckedCitation) -> tuple[Difference, ...]:
        """Return what differs between a citation and its passages; offsets of the citation are
        into the manuscript's text."""
        if judged.evidence is None or not judged.evidence.differences:
            return ()
        text = self.found.article.text
        (first, last), context = judged.citation.clause, judged.citation.context
        first = context.start if context is not None else first
        clause = Original(text[first:last], make_query(text, judged.citation))
        return tuple(
            replace(each, citation=clause.find(each.citation.start, each.citation.end).move(first))
            for each in judged.evidence.differences
        )

    def describe(self, judged: CheckedCitation) -> dict[str, Any]:
        """Return a citation as an object for JSON; offsets are into the manuscript's text."""
        reference, found = judged.citation.reference, judged.evidence
        evidence = found.to_json() if found is not None else {}
        return describe_citation(self.found, judged.citation) | {
            "reference": describe_reference(reference) if reference is not None else None,
            "article": judged.article,
            "abstract_only": judged.abstract_only,
            "status": judged.status,
            "reason": judged.reason,
            "problem": judged.problem,
            "faults": [str(fault) for fault in self.find_faults(judged)],
            "support": found.support if found is not None else None,
            "missing": evidence.get("missing", []),
            "differences": [each.to_json() for each in self.find_differences(judged)],
            "better": evidence.get("better"),
            "results": evidence.get("results", []),
            "decision_key": self.subjects[judged.citation.id].key,
            **describe_decided(judged.citation.id, self.decisions),
        }

    def to_rows(self) -> list[Row]:
        """Return a row for each citation; for each reference without one, whose status is
        "uncited"; and for each line that is no decision, whose status is "no decision"."""
        rows = [self._to_row(judged) for judged in self.citations]
        for reference in self.uncited:
            faults = "; ".join(map(str, self.faults.get(reference.key, ())))
            rows.append({**flatten_reference(reference), "status": "uncited", "faults": faults})
        rows += list_problems(self.decisions)
        named = {**dict.fromkeys(COLUMNS), "manuscript": self.found.article.source}
        return [named | row for row in rows]

    def _to_row(self, judged: CheckedCitation) -> Row:
        described, reference = self.describe(judged), judged.citation.reference
        best: Mapping[str, Any] = next(iter(described["results"]), {})
        row = {
            **described,
            **(flatten_reference(reference) if reference is not None else {}),
            "clause": described["clause"]["text"],
            "missing": "; ".join(described["missing"]),
            "faults": "; ".join(described["faults"]),
            "differences": "; ".join(map(str, self.find_differences(judged))),
            "passage_section": best.get("section"),
            "passage": best.get("text"),
            "decisions": "; ".join(map(str, self.find_decided(judged))),
            **{name: best.get(name) for name in ("probability", "first_sentence", "last_sentence")},
        }
        return {name: row[name] for name in COLUMNS if name in row}


_GONE = "the cited article was deleted while the manuscript was checked"


def check_citations(
    client: Elasticsearch,
    found: ArticleCitations,
    ranker: Ranker,
    top: int = TOP,
    rivals: bool = True,
    on_checked: Callable[[int], None] = lambda _: None,
    *,
    retractions: RetractionList | None = None,
    known: KnownIdentifiers | None = None,
) -> CheckedManuscript:
    """Return the status of each citation of a manuscript.

    Args:
        top: how many passages to return for a citation at most.
        rivals: whether to look for indexed articles that fit a citation better than the cited one.
        on_checked: called with the number of citations whose status has become known.
        retractions: None for those that `CITESPAN_RETRACTIONS` names.
        known: the identifiers that exist, of those in the list; None if they are not known.

    Raises:
        InputError: if `top` is less than 1, or the list of retractions can't be read.
        ElasticsearchUnreachableError: if there is no server.
    """
    if top < 1:
        raise InputError(f"top {top} is not possible; use 1 or more")
    checked: dict[str, CheckedCitation] = {}
    look_up = make_catalogue_look_up(client)
    indexed = look_up({key for reference in found.references for key in reference.publication.keys})
    cited = _resolve_all(found, indexed)
    told = [
        _add_identifiers(reference.publication, cited[reference.key])
        for reference in found.references
    ]
    notices = find_notices(Catalogue(client), told, retractions)
    faults = find_entry_faults(found.references, indexed, notices, known)
    questions: list[Question] = []
    for citation in found.citations:
        judged = checked[citation.id] = _judge(citation, cited)
        if judged.article is not None:
            query = make_query(found.article.text, citation)
            questions.append(Question(citation.id, judged.article, query, found.article.id))
    on_checked(len(checked) - len(questions))
    for answers in EvidenceSearch(client, ranker, top, rivals).find_answers(questions):
        for answer in answers:
            checked[answer.question.id] = _decide(checked[answer.question.id], answer)
        on_checked(len(answers))
    ordered = []
    for citation in found.citations:
        judged = checked[citation.id]
        problem = "; ".join(filter(None, (judged.problem, citation.marker.problem)))
        ordered.append(replace(judged, problem=problem))
    about = (ranker.name, ranker.version, ranker.threshold)
    return CheckedManuscript(found, tuple(ordered), *about, faults)


def _resolve_all(
    found: ArticleCitations, indexed: Mapping[str, Sequence[IndexedArticle]]
) -> Mapping[str, Resolution]:
    """Return what each reference is, by its key."""
    own = found.article.publication.identifiers
    listed = {reference.key: reference.publication for reference in found.references}
    citing = found.article.id if own else ""
    resolved = resolve(list(listed.values()), lambda _: indexed, citing, own)
    return dict(zip(listed, resolved, strict=True))


def _add_identifiers(reference: Publication, resolution: Resolution) -> Publication:
    """Return a reference with the notices and those identifiers of its article that it lacks."""
    article = resolution.publication
    if article is None or resolution.outcome == "notice":
        return reference
    return replace(
        reference,
        pmid=reference.pmid or article.pmid,
        pmcid=reference.pmcid or article.pmcid,
        doi=reference.doi or article.doi,
        notices=article.notices,
    )


def _judge(citation: Citation, cited: Mapping[str, Resolution]) -> CheckedCitation:
    """Return the status of a citation as far as its reference decides it."""
    if citation.reference is None:
        problem = f'the reference list has no entry "{citation.name}"'
        return CheckedCitation(citation, "unresolved", "no reference", problem)
    publication = citation.reference.publication
    resolution = cited[citation.reference.key]
    reason = resolution.outcome
    if reason == "itself":
        problem = "the manuscript cites itself; it is not searched"
    elif reason == "ambiguous":
        fitting = ", ".join(resolution.candidates)
        problem = f"{len(resolution.candidates)} indexed articles fit the reference: {fitting}"
    elif reason == "notice":
        assert resolution.publication is not None
        said = f"a notice that another article is {resolution.publication.notice}"
        if resolution.publication.notice == "expression of concern":
            said = "an expression of concern about another article"
        problem = f"the reference is {said}, which is no evidence"
    elif reason == "unidentifiable":
        problem = "the reference has neither an identifier nor a title with its first author"
    else:
        return CheckedCitation(
            citation, "not indexed", article=resolution.article, publication=publication
        )
    return CheckedCitation(citation, "unresolved", reason, problem, None, publication)


def _decide(judged: CheckedCitation, answer: CitedEvidence) -> CheckedCitation:
    if answer.entry is None:
        return replace(judged, article=None, problem=_GONE)
    if answer.evidence is None:
        return replace(judged, problem=answer.problem)
    assert answer.evidence.verdict is not None
    return replace(
        judged,
        status=answer.evidence.verdict,
        problem=answer.problem,
        publication=judged.publication.complete(read_publication(answer.entry)),
        evidence=answer.evidence,
    )


def _name_reference(citation: Citation) -> str:
    """Return the cited reference in words, without its number, which changes as others come."""
    if citation.reference is None:
        return f"? {citation.name}"
    known = citation.reference.publication
    if not known.title:
        return citation.reference.text
    parts = ("; ".join(known.authors), known.title, known.journal, str(known.year or ""))
    return ". ".join(filter(None, (*parts, known.pmid, known.pmcid, known.doi)))

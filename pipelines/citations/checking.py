"""Checking citations: which indexed article each one cites, and whether that has evidence for it.

Each citation is searched for by its own clause, without its markers. Nothing of the manuscript is
stored on the server.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.citations.checked import CheckedCitation, CheckedManuscript
from citespan.pipelines.citations.evidence_search import Answer, Question, find_answers
from citespan.pipelines.citations.indexed import make_catalogue_look_up, read_publication
from citespan.pipelines.citations.resolution import Resolution, resolve
from citespan.pipelines.citing.citations import ArticleCitations, Citation, make_query
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.ranker import Ranker
from citespan.pipelines.retrieval.layouts.layout import TOP

_GONE = "the cited article was deleted while the manuscript was checked"


def check_citations(
    client: Elasticsearch,
    found: ArticleCitations,
    ranker: Ranker,
    top: int = TOP,
    on_checked: Callable[[int], None] = lambda _: None,
) -> CheckedManuscript:
    """Return the status of each citation of a manuscript.

    Args:
        top: how many passages to return for a citation at most.
        on_checked: called with the number of citations whose status has become known.

    Raises:
        InputError: if `top` is less than 1.
        ElasticsearchUnreachableError: if there is no server.
    """
    if top < 1:
        raise InputError(f"top {top} is not possible; use 1 or more")
    checked: dict[str, CheckedCitation] = {}
    cited = _find_cited(client, found)
    questions: list[Question] = []
    for citation in found.citations:
        one = checked[citation.id] = _judge(citation, cited)
        if one.article is not None:
            query = make_query(found.article.text, citation)
            questions.append(Question(citation.id, one.article, query))
    on_checked(len(checked) - len(questions))
    for answers in find_answers(client, questions, ranker, top):
        for answer in answers:
            checked[answer.question.id] = _decide(checked[answer.question.id], answer)
        on_checked(len(answers))
    ordered = tuple(_add_problem(checked[one.id], one.marker.problem) for one in found.citations)
    return CheckedManuscript(found, ordered, ranker.name, ranker.version, ranker.threshold)


def _find_cited(client: Elasticsearch, found: ArticleCitations) -> Mapping[str, Resolution]:
    """Return what each cited reference is, by its key."""
    own = found.article.publication.identifiers
    cited = {one.reference.key: one.reference.publication for one in found.citations
             if one.reference is not None}  # fmt: skip
    citing = found.article.id if own else ""
    resolved = resolve(list(cited.values()), make_catalogue_look_up(client), citing, own)
    return dict(zip(cited, resolved, strict=True))


def _judge(citation: Citation, cited: Mapping[str, Resolution]) -> CheckedCitation:
    """Return the status of a citation as far as its reference decides it."""
    if citation.reference is None:
        problem = f'the reference list has no entry "{citation.name}"'
        return CheckedCitation(citation, "unresolved", "no reference", problem)
    publication = citation.reference.publication
    resolution = cited[citation.reference.key]
    if resolution.outcome == "itself":
        problem = "the manuscript cites itself; it is not searched"
        return CheckedCitation(citation, "unresolved", "itself", problem, None, publication)
    if resolution.outcome == "ambiguous":
        fitting = ", ".join(resolution.candidates)
        problem = f"{len(resolution.candidates)} indexed articles fit the reference: {fitting}"
        return CheckedCitation(citation, "unresolved", "ambiguous", problem, None, publication)
    if resolution.outcome == "unidentifiable":
        problem = "the reference has neither an identifier nor a title with its first author"
        return CheckedCitation(citation, "unresolved", "unidentifiable", problem, None, publication)
    return CheckedCitation(
        citation, "not indexed", article=resolution.article, publication=publication
    )


def _decide(one: CheckedCitation, answer: Answer) -> CheckedCitation:
    if answer.entry is None:
        return replace(one, article=None, problem=_GONE)
    if answer.evidence is None:
        return replace(one, problem=answer.problem)
    assert answer.evidence.verdict is not None
    return replace(
        one,
        status=answer.evidence.verdict,
        problem=answer.problem,
        publication=_complete(one.publication, answer.entry),
        evidence=answer.evidence,
    )


def _complete(reference: Publication, entry: ArticleEntry) -> Publication:
    """Return the publication of a reference with what only the catalogue knows of it."""
    known = read_publication(entry)
    return Publication(
        reference.authors or known.authors,
        reference.title or known.title,
        reference.year or known.year,
        reference.journal or known.journal,
        reference.pmid or known.pmid,
        reference.pmcid or known.pmcid,
        reference.doi or known.doi,
    )


def _add_problem(one: CheckedCitation, problem: str) -> CheckedCitation:
    """Return a citation with what is wrong with its marker."""
    return replace(one, problem="; ".join(filter(None, (one.problem, problem)))) if problem else one

"""Which articles others cite for what a citance says.

What is said of an article scores BM25 (Lucene's, k1 = 1.2, b = 0.75) as one document, among those
of all articles that are cited, and a part of that adds to the score of its text. The citance that
is asked may be one of those that are stored, and would find the article that it cites by itself; so
it is left out, wherever it stands, and so is all that the article says which it is from, if that is
named. Such a document is scored here by what is left of it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from elasticsearch import Elasticsearch
from elasticsearch.dsl.query import Bool, Query, Terms
from elasticsearch.dsl.query import Term as TermQuery

from citespan.es_mappings.citances import CITING, KEYS, TEXT, Citance
from citespan.es_mappings.index_name import CITESPAN, IndexNames
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.model import Statistics, models
from citespan.pipelines.retrieval.query_dsl import Clause, analyse_queries
from citespan.pipelines.retrieval.request import AskedCitance
from citespan.pipelines.store.citances import make_key, read_citances
from citespan.pipelines.store.paging import search_all_shards

_DEPTH = 200
"""Articles that others say most of it of: of any other, what they say adds nothing."""
_OWN = "own"


@dataclass(frozen=True, slots=True)
class CitedWords:
    """What others say of an article, for a query.

    Attributes:
        score: what that adds to the score of the article.
        articles: how many articles cite it.
    """

    score: float = 0.0
    articles: int = 0


NOTHING_SAID: Final = CitedWords()


def search_citances(
    client: Elasticsearch,
    words: Query,
    terms: Sequence[Term],
    asked: AskedCitance,
    articles: Sequence[str] = (),
    names: IndexNames = CITESPAN,
) -> dict[str, CitedWords]:
    """Return the articles about which others say most of what is asked, at most 200.

    Args:
        words: the query for the terms.
        articles: the ids of those that are searched; none for all.
    """
    own: list[Query] = [Terms(key, [make_key(asked.text)]) for key in KEYS]
    own += [TermQuery(CITING, {"value": asked.citing})] if asked.citing else []
    marked = Bool(should=own, _name=_OWN, boost=0)
    kept = [Terms("article", list(articles))] if articles else []
    response = search_all_shards(
        client,
        index=names.citances,
        ignore_unavailable=True,
        query=Bool(must=[words], should=[marked], filter=kept).to_dict(),
        size=_DEPTH,
        source=False,  # all that is said of 200 articles may be megabytes
        docvalue_fields=[{"field": "article"}, {"field": "articles"}],
        track_total_hits=False,
        filter_path="hits.hits._score,hits.hits.fields,hits.hits.matched_queries",
    )
    hits: Sequence[Mapping[str, Any]] = response.get("hits", {}).get("hits", [])
    found = {}
    with_own = []
    for hit in hits:
        [article], [citing] = hit["fields"]["article"], hit["fields"]["articles"]
        found[article] = CitedWords(asked.weight * hit["_score"], citing)
        if _OWN in hit.get("matched_queries", ()):
            with_own.append(article)
    if with_own:
        found |= score_others(client, terms, asked, with_own, names)
    return {article: said for article, said in found.items() if said.score}


def score_others(
    client: Elasticsearch,
    terms: Sequence[Term],
    asked: AskedCitance,
    articles: Sequence[str],
    names: IndexNames,
) -> dict[str, CitedWords]:
    """Return what is said of each article by all but those who ask, scored as the server does."""
    from citespan.pipelines.store.analysis import analysed

    stored = read_citances(client, articles, names)
    left = {article: leave_out_own(stored[article], asked) for article in articles}
    [clauses] = analyse_queries(client, names.citances, [terms])
    tokens = analysed(
        client,
        names.citances,
        [" ".join(citance.text for citance in left[name]) for name in articles],
    )
    frequencies = [Counter(token.term for token in some) for some in tokens]
    scores = _score(client, clauses, frequencies, names)
    return {
        article: CitedWords(
            asked.weight * score, len({citance.citing for citance in left[article]})
        )
        for article, score in zip(articles, scores, strict=True)
    }


def leave_out_own(citances: Sequence[Citance], asked: AskedCitance) -> list[Citance]:
    """Return the citances that are not the asked one, nor of the same sentence as it, nor of the
    article that asks."""
    key = make_key(asked.text)
    own = {citance.sentence for citance in citances if key in (citance.clause, citance.sentence)}
    return [
        citance
        for citance in citances
        if citance.sentence not in own and citance.citing != asked.citing
    ]


def _score(
    client: Elasticsearch,
    clauses: Sequence[Clause],
    documents: Sequence[Counter[str]],
    names: IndexNames,
) -> list[float]:
    """Return the BM25 score of documents that are not indexed as they are, among those that are.

    Args:
        documents: how often each has each term.
    """
    import numpy as np

    from citespan.pipelines.retrieval.lengths import round_lengths

    terms = list(dict.fromkeys(term for clause in clauses for term in clause.terms))
    field = _count_terms(client, terms, names)
    counted = field.get("terms", {})
    about = field["field_statistics"]
    known = [counted.get(term, {}) for term in terms]
    lengths = np.array([[max(document.total(), 1)] for document in documents])
    statistics = Statistics(
        frequencies=np.array([[document[term] for term in terms] for document in documents]),
        lengths=round_lengths(lengths).astype(np.float64),
        average_length=about["sum_ttf"] / max(about["doc_count"], 1),
        document_frequencies=np.array([float(counts.get("doc_freq", 0)) for counts in known]),
        total_frequencies=np.array([float(counts.get("ttf", 0)) for counts in known]),
        documents=about["doc_count"],
        total_length=about["sum_ttf"],
        weights=np.ones(len(terms)),
    )
    of_term = {term: number for number, term in enumerate(terms)}
    scores = models["bm25"].score(statistics)
    totals = []
    for document, row in zip(documents, scores, strict=True):
        fulfilled = [clause for clause in clauses if all(document[term] for term in clause.terms)]
        parts = [
            clause.weight * row[of_term[term]] for clause in fulfilled for term in clause.terms
        ]
        totals.append(float(sum(parts)))
    return totals


def _count_terms(
    client: Elasticsearch, terms: Sequence[str], names: IndexNames
) -> Mapping[str, Any]:
    """Return in how many documents each term is, and how long these are."""
    told = client.termvectors(
        index=names.citances,
        doc={"citances": [{"text": " ".join(terms)}]},
        fields=[TEXT],
        per_field_analyzer={TEXT: "whitespace"},
        term_statistics=True,
        field_statistics=True,
        positions=False,
        offsets=False,
        payloads=False,
    )
    found: Mapping[str, Any] = told["term_vectors"][TEXT]
    return found

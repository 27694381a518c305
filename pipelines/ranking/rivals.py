"""Whether another indexed article fits a citing sentence better than the article that it cites.

Articles are scored as in a search of all of them (`article_ranking.py`): BM25 of the whole text,
plus the log-odds that the ranker gives to its having evidence. Authors nearly always cite an
article that fits, so a rival is only named if it has evidence itself and leads by `MARGIN`. That
was chosen on full texts, so no abstract is or has a rival.
"""

from dataclasses import replace
from typing import Final

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import CitespanError, OutsideError
from citespan.pipelines.ranking.article_ranking import add_support
from citespan.pipelines.ranking.evidence import Evidence, Rival
from citespan.pipelines.ranking.ranker import Ranker
from citespan.pipelines.ranking.stored_article import read_stored_articles
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.retrieval.article_search import ArticleFilter, FoundArticle, search_articles
from citespan.pipelines.retrieval.query_dsl import limit_terms
from citespan.pipelines.store.catalogue import Catalogue

MARGIN: Final = 15.0
"""Chosen by half of the links among 2,028 articles of PubMed Central (`studies/rival_margin.py`):
of the other half, 5% have a rival, and of citations moved to a random article, 77%."""
_RANKED = 2  # rivals that are read, those of the highest BM25 scores


def add_rival(
    client: Elasticsearch,
    query: str,
    entry: ArticleEntry,
    evidence: Evidence,
    ranker: Ranker,
    citing: str = "",
    margin: float = MARGIN,
) -> Evidence:
    """Return the evidence of an article with the rival that fits a query best, if that leads.

    Args:
        entry: of the article that the evidence is of.
        citing: the id of the article that the query is from, which is no rival.
        margin: by how much the score of a rival has to be higher.

    Raises:
        InputError: if no articles are indexed.
    """
    terms = limit_terms(parse("baseline").terms(query, Context()))
    if not terms or evidence.support is None or evidence.abstract_only:
        return evidence
    own, no_rivals = str(entry.article), {str(entry.article), citing}
    most = _RANKED + len(no_rivals)
    catalogue = Catalogue(client)
    found = search_articles(catalogue, terms, ArticleFilter(full_texts=True), most)
    rivals = [hit for hit in found if hit.entry.article not in no_rivals][:_RANKED]
    if rivals and all(hit.entry.article != own for hit in found):
        only = ArticleFilter(articles=(own,), full_texts=True)
        found += search_articles(catalogue, terms, only, 1)
    words = next((hit.score for hit in found if hit.entry.article == own), 0.0)
    score = add_support(words, evidence.support)
    scored = [(_score(client, rival, query, ranker), rival.entry) for rival in rivals]
    best, rival = max(scored, key=lambda pair: pair[0], default=(score, entry))
    if best - score < margin:
        return evidence
    return replace(evidence, rival=Rival(str(rival.article), rival.title or "", best - score))


def _score(client: Elasticsearch, found: FoundArticle, query: str, ranker: Ranker) -> float:
    """Return the score of a rival; -inf if it has no evidence."""
    try:
        [article] = read_stored_articles(client, [found.entry])
    except OutsideError:
        raise
    except CitespanError:  # it was deleted since it was found, or can't be ranked
        return float("-inf")
    support = ranker.rank(query, article.sentences).support
    return add_support(found.score, support) if support >= ranker.threshold else float("-inf")

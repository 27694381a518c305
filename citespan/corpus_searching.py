"""Searching all indexed articles from Python."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from elasticsearch import Elasticsearch

from citespan.connecting import use_client
from citespan.es_mappings.index_name import CITESPAN, IndexNames
from citespan.pipelines.ranking.article_ranking import (
    DEPTH,
    TOP,
    ArticleEvidence,
    CorpusRequest,
    find_articles,
    read_section_kinds,
)
from citespan.pipelines.ranking.ranker import DEFAULT, find_ranker
from citespan.pipelines.reformulation.composition import parse
from citespan.pipelines.reformulation.context import Context
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.retrieval.article_search import ArticleFilter
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.years import Years, read_years
from citespan.searching import SearchSettings

_DEFAULT_OPTIONS = Options()


def search_all(
    citance: str,
    *,
    ranker: str = DEFAULT,
    reformulation: str = "baseline",
    model: str = "vsm",
    top: int = TOP,
    per_article: int = 1,
    depth: int = DEPTH,
    year: str | None = None,
    journals: Sequence[str] = (),
    sections: Sequence[str] = (),
    options: Options = _DEFAULT_OPTIONS,
    names: IndexNames = CITESPAN,
    client: Elasticsearch | None = None,
) -> list[ArticleEvidence]:
    """Find the articles that support a citing sentence, among all that are indexed, best first.

    Elasticsearch finds articles that have its words; a ranker reads the first of them, says how
    probable it is that each has evidence, and orders them by that.

    Args:
        citance: the citing sentence, or a question.
        ranker: its name; "none" for the order of BM25 over whole articles, with the spans of the
            retrieval model.
        reformulation: how the citance becomes a query; one that needs an article is not possible.
        model: name of the retrieval model for single articles, without a ranker.
        top: number of articles at most.
        per_article: number of passages of each at most.
        depth: number of articles to rank; at least `top` are.
        year: of publication, such as "2010", "2010-" or "2010-2015".
        journals: titles of the journals to search; none for all.
        sections: kinds of sections that passages may be in, such as "results"; none for all.
        options: of the reformulation; concepts of its vocabulary count among the matched words.
        names: of the indices; those of experiments are `es_mappings.index_name.EXPERIMENTS`.

    Returns:
        Articles with their evidence; none if no article has words of the citance.

    Raises:
        UnknownNameError: for an unknown ranker, reformulation, model or kind of section.
        InputError: if nothing of the citance is left to search for, or no articles are indexed.
        CitespanError: if an article's documents are gone.
    """
    settings = SearchSettings(ranker, reformulation, model, top, depth, options=options)
    request = make_request(citance, settings, per_article, year, journals, sections)
    return find_articles(use_client(client), request, names)


def make_request(
    citance: str,
    settings: SearchSettings,
    per_article: int = 1,
    year: str | None = None,
    journals: Sequence[str] = (),
    sections: Sequence[str] = (),
) -> CorpusRequest:
    """Reformulate a citance, and return what is searched for in all articles.

    Args:
        settings: of which those of spans do not count.

    Raises:
        UnknownNameError, InputError: as `search_all`.
    """
    return CorpusRequest(
        citance,
        parse(settings.reformulation).terms(citance, Context(settings.options)),
        find_ranker(settings.ranker),
        models[settings.model],
        settings.top,
        per_article,
        DEPTH if settings.depth is None else settings.depth,
        ArticleFilter(read_years(year) if year else Years(), tuple(journals)),
        read_section_kinds(sections),
        settings.options,
    )


def describe_found(
    settings: SearchSettings, request: CorpusRequest, found: Sequence[ArticleEvidence]
) -> dict[str, Any]:
    """Return what was found as `citespan search --json` prints it without `--article`."""
    return {
        "ranker": settings.ranker,
        **settings.describe_query(request.searched),
        "results": [
            {**passage, "rank": rank}
            for rank, passage in enumerate(chain(*(one.to_json() for one in found)), 1)
        ],
    }

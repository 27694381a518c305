"""Answers by a ranker: the passages of abstracts and articles that are probably evidence.

A ranker reads each candidate abstract whole, as it reads an article; answers are sentences of the
claim zone (paper B, section 3.2), Results as well as Conclusions, and of the corresponding sections
of articles. Abstracts are ordered as `citespan.pipelines.ranking.article_ranking` orders articles,
and both together: by BM25 plus the log-odds that there is an answer. The answers of one abstract
follow one another.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from elasticsearch import Elasticsearch

from citespan.pipelines.answers.answer import Answer
from citespan.pipelines.answers.candidates import Candidate
from citespan.pipelines.answers.detection.features import CLAIM_ZONE
from citespan.pipelines.answers.directions.comparison import Comparison
from citespan.pipelines.answers.directions.model import READ, Direction, load_model
from citespan.pipelines.answers.finding import make_answer
from citespan.pipelines.answers.zones.model import ZoneModel
from citespan.pipelines.answers.zones.zoning import ZonedSentence, assign_zones
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.ranking.article_ranking import (
    CorpusRequest,
    add_support,
    find_articles,
    read_section_kinds,
)
from citespan.pipelines.ranking.ranker import Ranker
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.retrieval.article_search import ArticleFilter, NoArticlesError
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.years import Years

DEPTH = 20
"""How many abstracts are ranked, unless more answers than that are wanted."""
_CLAIM_SECTIONS = read_section_kinds(
    ("abstract", "results", "discussion", "conclusions", "caption", "other")
)


def answer_from_abstracts(
    question: str,
    candidates: Sequence[Candidate],
    ranker: Ranker,
    zone_model: ZoneModel | None = None,
    per_abstract: int = 1,
    comparison: Comparison | None = None,
) -> Iterator[Answer]:
    """Yield the best sentences of each abstract, unranked.

    Args:
        candidates: those that are ranked.
        zone_model: for abstracts without stored zones; the shipped one if None.
        per_abstract: the largest number of sentences from one abstract.
        comparison: whose direction is judged.

    Raises:
        InputError: if a model can't be loaded.
    """
    predicted = assign_zones(
        (candidate.abstract for candidate in candidates if not candidate.zoned), zone_model
    )
    for candidate in candidates:
        abstract = candidate.abstract
        zoned = candidate.zoned or next(predicted)[1]
        claims = [place for place, sentence in enumerate(zoned) if sentence.zone in CLAIM_ZONE]
        ranking = ranker.rank(question, take_sentences(abstract, zoned), claims)
        ranked = [
            int(place)
            for place in np.argsort(-ranking.scores, kind="stable")
            if np.isfinite(ranking.scores[place])
        ]
        direction = _judge(
            comparison,
            [zoned[place].text for place in ranked[:READ]],
            [float(ranking.probabilities[place]) for place in ranked[:READ]],
        )
        for place in ranked[:per_abstract]:
            probability = float(ranking.probabilities[place])
            score = add_support(candidate.score, ranking.support)
            answer = make_answer(abstract, zoned, place, probability, score, ranking.support)
            yield replace(answer, direction=direction)


def answer_from_articles(
    client: Elasticsearch,
    question: str,
    ranker: Ranker,
    years: Years,
    top: int,
    per_article: int,
    comparison: Comparison | None,
) -> Iterator[Answer]:
    """Yield the best passages of the indexed articles, unranked; none if there are no articles.

    Args:
        top: number of articles at most.
        comparison: whose direction is judged.
    """
    request = CorpusRequest(
        question,
        parse("baseline").terms(question, Context()),
        ranker,
        models["vsm"],
        top,
        per_article if comparison is None else max(per_article, READ),
        articles=ArticleFilter(years, full_texts=True),
        sections=_CLAIM_SECTIONS,
    )
    try:
        found = list(find_articles(client, request))
    except NoArticlesError:
        return
    for article in found:
        evidence = article.evidence
        direction = _judge(
            comparison,
            [passage.text for passage in evidence[:READ]],
            [passage.probability or 0.0 for passage in evidence[:READ]],
        )
        for passage in evidence[:per_article]:
            yield Answer(
                rank=0,
                id=evidence.article,
                pmid=article.pmid or None,
                doi=article.doi or None,
                full_text=True,
                title=evidence.title,
                year=article.year,
                zone=passage.section,
                zone_from="heading",
                zone_probability=1.0,
                text=passage.text,
                start=passage.start,
                end=passage.end,
                before=passage.before,
                after=passage.after,
                probability=passage.probability or 0.0,
                score=article.score,
                support=evidence.support,
                direction=direction,
            )


def _judge(
    comparison: Comparison | None, passages: Sequence[str], weights: Sequence[float]
) -> Direction | None:
    if comparison is None or not passages:
        return None
    return load_model().judge(comparison, passages, weights)


def take_sentences(abstract: Abstract, zoned: Sequence[ZonedSentence]) -> ArticleSentences:
    """Return the sentences of an abstract as rankers see those of articles."""
    ends = [*(sentence.start for sentence in zoned[1:]), *(sentence.end for sentence in zoned[-1:])]
    return ArticleSentences(
        tuple(
            abstract.text[sentence.start : end] for sentence, end in zip(zoned, ends, strict=True)
        ),
        tuple(f"Abstract / {sentence.zone}" for sentence in zoned),
    )

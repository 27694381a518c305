"""How a question is answered from what is indexed: by which judge, from which abstracts.

A ranker reads each candidate abstract whole, as it reads an article; answers are sentences of the
claim zone (paper B, section 3.2), Results as well as Conclusions, and of the corresponding sections
of articles. Abstracts are ordered as `citespan.pipelines.ranking.article_ranking` orders articles,
and both together: by BM25 plus the log-odds that there is an answer. The answers of one abstract
follow one another.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from elasticsearch import Elasticsearch

from citespan.es_mappings import abstracts, articles
from citespan.pipelines.answers.answer import (
    PER_ABSTRACT,
    TOP,
    Answer,
    list_directions,
    order_answers,
)
from citespan.pipelines.answers.candidates import Candidate
from citespan.pipelines.answers.detection.features import CLAIM_ZONE
from citespan.pipelines.answers.detection.model import AnswerModel
from citespan.pipelines.answers.directions.comparison import Comparison
from citespan.pipelines.answers.directions.model import READ, Direction, load_model
from citespan.pipelines.answers.finding import DEPTH, find_answers, make_answer
from citespan.pipelines.answers.indexed_abstracts import search_index
from citespan.pipelines.answers.zones.model import ZoneModel
from citespan.pipelines.answers.zones.zoning import ZonedSentence, assign_zones
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.article_ranking import (
    CorpusRequest,
    add_support,
    find_articles,
    read_section_kinds,
)
from citespan.pipelines.ranking.ranker import Ranker, find_ranker
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.ranking.short_forms import find_short_forms
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.retrieval.article_search import ArticleFilter, NoArticlesError
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.shown import Found
from citespan.pipelines.store.paging import count_all
from citespan.pipelines.years import Years

RANKED = 20
"""How many abstracts are ranked, unless more answers than that are wanted."""
_CLAIM_SECTIONS = read_section_kinds(
    ("abstract", "results", "discussion", "conclusions", "caption", "other")
)
SearchAbstracts = Callable[[str, Years, int], Sequence[Candidate]]
"""Returns the abstracts for a question, of certain years, best first, as many as are wanted."""


@dataclass(frozen=True)
class AnswerSettings:
    """How a question is answered.

    Attributes:
        judge: a ranker, or a detector, which reads abstracts only.
        zone_model: for abstracts without stored zones.
        top: number of answers at most.
        per_abstract: number of answers of one abstract or article at most.
        comparison: whose direction in each abstract and article is judged; by rankers only.
    """

    judge: Ranker | AnswerModel
    zone_model: ZoneModel
    years: Years = Years()  # noqa: RUF009  frozen
    top: int = TOP
    per_abstract: int = PER_ABSTRACT
    comparison: Comparison | None = None

    def answer(
        self, question: str, search: SearchAbstracts, client: Elasticsearch | None
    ) -> tuple[Found[Answer], int]:
        """Return the answers, best first, and the number of abstracts that have words of the
        question.

        Args:
            client: of the server whose articles are read too; None to leave them out.
        """
        candidates = search(question, self.years, max(DEPTH, self.top))
        if isinstance(self.judge, AnswerModel):
            found = find_answers(
                question, candidates, self.zone_model, self.judge, self.top, self.per_abstract
            )
            return _show(found), len(candidates)
        answered = [
            self.rank_abstracts(question, candidates[: max(RANKED, self.top)], self.judge),
            self._rank_articles(question, client, self.judge) if client is not None else (),
        ]
        return _show(order_answers(chain(*answered), self.top)), len(candidates)

    def rank_abstracts(
        self, question: str, candidates: Sequence[Candidate], ranker: Ranker
    ) -> Iterator[Answer]:
        """Yield the best sentences of each abstract, unranked.

        Raises:
            InputError: if a model can't be loaded.
        """
        predicted = assign_zones(
            (candidate.abstract for candidate in candidates if not candidate.zoned), self.zone_model
        )
        for candidate in candidates:
            abstract = candidate.abstract
            zoned = candidate.zoned or next(predicted)[1]
            claims = [place for place, sentence in enumerate(zoned) if sentence.zone in CLAIM_ZONE]
            ranking = ranker.rank(question, _take_sentences(abstract, zoned), claims)
            ranked = [
                int(place)
                for place in np.argsort(-ranking.scores, kind="stable")
                if np.isfinite(ranking.scores[place])
            ]
            direction = self._judge(
                [zoned[place].text for place in ranked[:READ]],
                [float(ranking.probabilities[place]) for place in ranked[:READ]],
                [abstract.text],
            )
            for place in ranked[: self.per_abstract]:
                probability = float(ranking.probabilities[place])
                score = add_support(candidate.score, ranking.support)
                answer = make_answer(abstract, zoned, place, probability, score, ranking.support)
                yield replace(answer, direction=direction)

    def _rank_articles(
        self, question: str, client: Elasticsearch, ranker: Ranker
    ) -> Iterator[Answer]:
        """Yield the best passages of the indexed articles, unranked; none if there are no
        articles."""
        request = CorpusRequest(
            question,
            parse("baseline").terms(question, Context()),
            ranker,
            models["vsm"],
            self.top,
            self.per_abstract if self.comparison is None else max(self.per_abstract, READ),
            articles=ArticleFilter(self.years, full_texts=True),
            sections=_CLAIM_SECTIONS,
        )
        try:
            found = list(find_articles(client, request))
        except NoArticlesError:
            return
        for article in found:
            evidence = article.evidence
            direction = self._judge(
                [passage.text for passage in evidence[:READ]],
                [passage.probability or 0.0 for passage in evidence[:READ]],
                [passage.text for passage in evidence],
            )
            for passage in evidence[: self.per_abstract]:
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
        self, passages: Sequence[str], weights: Sequence[float], texts: Sequence[str]
    ) -> Direction | None:
        """Return the direction that passages report; `texts` say what short forms stand for."""
        if self.comparison is None or not passages:
            return None
        comparison = self.comparison.add_short_forms(find_short_forms(texts))
        return load_model().judge(comparison, passages, weights)


def _take_sentences(abstract: Abstract, zoned: Sequence[ZonedSentence]) -> ArticleSentences:
    """Return the sentences of an abstract as rankers see those of articles."""
    ends = [*(sentence.start for sentence in zoned[1:]), *(sentence.end for sentence in zoned[-1:])]
    return ArticleSentences(
        tuple(
            abstract.text[sentence.start : end] for sentence, end in zip(zoned, ends, strict=True)
        ),
        tuple(f"Abstract / {sentence.zone}" for sentence in zoned),
    )


def _show(found: Sequence[Answer]) -> Found[Answer]:
    return Found(found, "answers", Answer.to_row)


def describe_answers(
    question: str, found: Sequence[Answer], comparison: Comparison | None
) -> dict[str, Any]:
    """Return answers as one object for JSON, with how many trials found what of a comparison."""
    described: dict[str, Any] = {
        "question": question,
        "results": [answer.to_json() for answer in found],
    }
    if comparison is None:
        return described
    counts = Counter(direction.said for direction in list_directions(found))
    return described | {"comparison": comparison.to_json(), "directions": dict(counts)}


def find_judge(ranker: str | Ranker) -> Ranker:
    """Return the ranker of a name.

    Raises:
        UnknownNameError: if there is none of that name.
        InputError: if it has no answers.
    """
    found = find_ranker(ranker)
    if found is None:
        raise InputError("`ranker=none` has no answers; name a ranker, or a `detector`")
    return found


def search_indexed(
    client: Elasticsearch,
    zoned_by: str,
    *,
    collections: Sequence[str] = (),
    only_abstracts: bool = False,
) -> SearchAbstracts:
    """Return a search of the indexed abstracts, which finds none if only articles are indexed.

    Args:
        zoned_by: the version of the zone model whose stored zones may be used.
        collections: of abstracts, to search; none for the abstracts that are in no collection.
        only_abstracts: whether articles are not read, so that having no abstracts is an error.
    """
    search = partial(search_index, client, zoned_by=zoned_by, collections=collections or ("",))
    if collections:
        return search
    not_deleted = {"bool": {"must_not": [{"term": {"deleted": True}}]}}
    has_abstracts, has_articles = (
        count_all(client, index=name, query=not_deleted, ignore_unavailable=True) > 0
        for name in (abstracts.INDEX, articles.INDEX)
    )
    if has_articles and not has_abstracts and not only_abstracts:
        return lambda *_: []
    return search

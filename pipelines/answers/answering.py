"""How a question is answered from what is indexed: by which judge, from which abstracts."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

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
from citespan.pipelines.answers.detection.model import AnswerModel
from citespan.pipelines.answers.directions.comparison import Comparison
from citespan.pipelines.answers.finding import DEPTH, find_answers
from citespan.pipelines.answers.indexed_abstracts import search_index
from citespan.pipelines.answers.ranked import DEPTH as RANKED
from citespan.pipelines.answers.ranked import answer_from_abstracts, answer_from_articles
from citespan.pipelines.answers.zones.model import ZoneModel
from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.ranker import Ranker, find_ranker
from citespan.pipelines.shown import Found
from citespan.pipelines.store.paging import count_all
from citespan.pipelines.years import Years

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
        ranked = candidates[: max(RANKED, self.top)]
        answered = [
            answer_from_abstracts(
                question, ranked, self.judge, self.zone_model, self.per_abstract, self.comparison
            )
        ]
        if client is not None:
            answered.append(
                answer_from_articles(
                    client,
                    question,
                    self.judge,
                    self.years,
                    self.top,
                    self.per_abstract,
                    self.comparison,
                )
            )
        return _show(order_answers(chain(*answered), self.top)), len(candidates)


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

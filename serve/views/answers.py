"""A research question, and the sentences of abstracts and articles that answer it."""

from typing import Annotated, Any, Literal

from elasticsearch import Elasticsearch
from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from citespan.pipelines.answers.answer import RANKER, TOP, Answer, list_directions
from citespan.pipelines.answers.answering import describe_answers
from citespan.pipelines.answers.directions.comparison import (
    LONGEST_PART,
    Comparison,
    read_comparison,
)
from citespan.pipelines.answers.directions.model import count_directions, load_model
from citespan.pipelines.ranking.ranker import rankers
from citespan.pipelines.shown import format_csv
from citespan.pipelines.written_results import ANSWER_COLUMNS, write_answers
from citespan.searching import answers
from citespan.serve.downloads import Kind, list_addresses, write_json
from citespan.serve.method import (
    LONGEST_CITANCE,
    Name,
    Optional,
    Parameters,
    Years,
    one_of,
    require_ranker,
)
from citespan.serve.site import site_of

MOST_ANSWERS = 50
Zone = Literal["Results", "Conclusions", "full text"]
ZONES: tuple[Zone, ...] = ("Results", "Conclusions", "full text")
router = APIRouter()

Question = Annotated[
    str, Field(description="A research question.", min_length=1, max_length=LONGEST_CITANCE)
]
TopAnswers = Annotated[int, Field(description="Number of answers at most.", ge=1, le=MOST_ANSWERS)]
Part = Annotated[
    str | None,
    Field(
        description="Of what trials compared, by default what the question names; see "
        "`direction` of each result.",
        max_length=LONGEST_PART,
    ),
    Optional,
]


class AnswersFilter(Parameters):
    """Which answers are wanted."""

    year: Years = None
    zone: Annotated[
        list[Zone],
        Field(
            description="Only answers from these: zones of abstracts, or full texts of articles; "
            "none named for all.",
            max_length=len(ZONES),
        ),
    ] = []  # noqa: RUF012  Pydantic copies it
    outcome: Part = None
    intervention: Part = None
    comparator: Part = None
    top: TopAnswers = TOP
    ranker: Annotated[
        Name,
        Field(description="Name of the ranker.", json_schema_extra=one_of(lambda: rankers.names())),
    ] = RANKER


class AnswersQuery(AnswersFilter):
    """A question."""

    question: Question


class AnswersPageQuery(AnswersFilter):
    """A question, if there is one already."""

    question: Annotated[Question | None, Optional] = None


@router.get("/answers", include_in_schema=False)
async def show_answers(query: Annotated[AnswersPageQuery, Query()], request: Request) -> Response:
    """The page with the answers to a question."""

    def work(client: Elasticsearch) -> dict[str, Any]:
        found, comparison = None, None
        if query.question is not None:
            found, comparison = _find(client, query)
        return {
            "query": query,
            "found": found,
            "comparison": comparison,
            "counted": count_directions(list_directions(found or ())),
            "explanation": load_model().explanation if comparison else "",
            "zones": ZONES,
            "zone_of": name_zone,
            "addresses": lambda answer: list_addresses(answer.id, answer.pmid, answer.doi),
            "most": MOST_ANSWERS,
        }

    return await site_of(request).show("answers.html", work)


@router.get("/api/answers", summary="Answer a question", tags=["answers"])
async def find_answers(query: Annotated[AnswersQuery, Query()], request: Request) -> Response:
    """The sentences that answer a question, best first, as `citespan answers find --json` prints
    them. Offsets are into the text of the abstract or article."""
    return await site_of(request).answer(lambda client: describe_found_answers(client, query))


def describe_found_answers(client: Elasticsearch, query: AnswersQuery) -> dict[str, Any]:
    """Return the answers to a question as the API does."""
    return describe_answers(query.question, *_find(client, query))


@router.get("/answers/found.{kind}", include_in_schema=False)
async def download_found(
    kind: Kind, query: Annotated[AnswersQuery, Query()], request: Request
) -> Response:
    """The answers as a file."""

    def work(client: Elasticsearch) -> str | bytes:
        found, comparison = _find(client, query)
        if kind == "json":
            return write_json(describe_answers(query.question, found, comparison))
        if kind == "csv":
            return format_csv(ANSWER_COLUMNS, (answer.to_row() for answer in found))
        counted = count_directions(list_directions(found)) if comparison else ""
        return write_answers(query.question, found, counted)

    return await site_of(request).offer(f"answers.{kind}", work)


def _find(
    client: Elasticsearch, query: AnswersQuery | AnswersPageQuery
) -> tuple[list[Answer], Comparison | None]:
    """Return the answers of the zones that are wanted, and what trials are asked about; more
    answers are looked for, so that there are enough of these."""
    question = query.question or ""
    require_ranker(query.ranker)
    parts = [part or None for part in (query.outcome, query.intervention, query.comparator)]
    comparison = read_comparison(question, *parts)
    wanted = MOST_ANSWERS if query.zone else query.top
    found = answers(
        question,
        outcome=parts[0],
        intervention=parts[1],
        comparator=parts[2],
        ranker=query.ranker,
        top=wanted,
        year=query.year,
        client=client,
    )
    kept = [answer for answer in found if not query.zone or name_zone(answer) in query.zone]
    return kept[: query.top], comparison


def name_zone(answer: Answer) -> str:
    """Return what an answer is filtered by."""
    return "full text" if answer.full_text else answer.zone

"""What an article is cited for: who cites each of its sentences."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Annotated, Any

from elasticsearch import Elasticsearch
from fastapi import APIRouter, Query, Request, Response

from citespan.citing import cited
from citespan.es_mappings.links import CitationLink
from citespan.pipelines.citations.cited import CitedArticle, CitedSentence
from citespan.serve.method import Article, Parameters
from citespan.serve.site import site_of

SHOWN = 20
MOST_SAID = 100
router = APIRouter()


class CitedQuery(Parameters):
    """An article."""

    article: Article


@dataclass(frozen=True)
class CitedFor:
    """What an article is cited for, as its page shows it.

    Attributes:
        sentences: the most cited ones, each with the citations that it is evidence for.
        counts: how often sentences are cited, by their numbers; without those that are not.
    """

    article: CitedArticle
    sentences: tuple[tuple[CitedSentence, tuple[CitationLink, ...]], ...]
    counts: dict[int, int]


@router.get("/api/cited", summary="What an article is cited for", tags=["evidence"])
async def read_cited(query: Annotated[CitedQuery, Query()], request: Request) -> Response:
    """Who cites an article and for which of its sentences, as `citespan cited --json` prints it.
    `citespan link` finds that out."""

    def work(client: Elasticsearch) -> dict[str, Any]:
        return cited(query.article, client=client).to_json()

    return await site_of(request).answer(work)


def find_cited_sentences(client: Elasticsearch, article: str) -> CitedFor:
    """Return what an article is cited for.

    Raises:
        CitespanError: as `citespan.cited`.
    """
    found = cited(article, client=client)
    citing: dict[int, dict[tuple[str, int], CitationLink]] = defaultdict(dict)
    for link in found.links:
        if link.has_evidence:
            for passage in link.passages:
                for number in passage.sentences:
                    citing[number][link.citing, link.number] = link
    return CitedFor(
        found,
        tuple(
            (sentence, tuple(citing[sentence.number].values())) for sentence in found.cited[:SHOWN]
        ),
        {sentence.number: sentence.citations for sentence in found.cited},
    )

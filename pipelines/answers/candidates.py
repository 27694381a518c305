"""Abstracts that may answer a question, by BM25 over title and abstract."""

from collections.abc import Sequence
from dataclasses import dataclass

from elasticsearch import Elasticsearch, NotFoundError
from elasticsearch.dsl.query import Bool, Match, Query, Range

from citespan.es_mappings.abstracts import INDEX
from citespan.pipelines.answers.indexed_abstracts import abstract_of, stored_zones
from citespan.pipelines.answers.years import Years
from citespan.pipelines.answers.zoning import ZonedSentence
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.errors import InputError
from citespan.pipelines.text.stop_words import is_stop_word
from citespan.pipelines.text.words import words
from citespan.pipelines.vocabulary.normalise import keys

_READ = ["pmid", "title", "text", "sections", "sentences", "zoned_by", "year"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An abstract and its BM25 score, above 0.

    Attributes:
        zoned: its sentences with their zones, if these are stored; else none.
    """

    abstract: Abstract
    score: float
    zoned: tuple[ZonedSentence, ...] = ()


def searched(question: str) -> str:
    """The words of a question that are searched for: all but stop words.

    Raises:
        InputError: if none is left.
    """
    kept = " ".join(w for w in words(question) if not is_stop_word(w) and keys(w))
    if not kept:
        raise InputError(
            f"question '{question}': nothing but stop words in it; name what it is about"
        )
    return kept


def indexed_candidates(
    client: Elasticsearch, question: str, years: Years, depth: int, zoned_by: str
) -> list[Candidate]:
    """The indexed abstracts of the `depth` highest scores, best first.

    A word counts where it stands, and once more in the title.

    Args:
        zoned_by: version of the zone model whose stored zones are to be used.

    Raises:
        InputError: if no abstracts are indexed or the question has only stop words.
        TransportError: if Elasticsearch does not answer.
    """
    body = candidates_query(searched(question), years).to_dict()
    try:
        found = client.search(index=INDEX, query=body, size=depth, source_includes=_READ)
    except NotFoundError as error:
        raise InputError("no abstracts are indexed; see `citespan index --help`") from error
    return [
        Candidate(abstract_of(source), hit["_score"], stored_zones(source, zoned_by))
        for hit in found["hits"]["hits"]
        for source in (hit["_source"],)
    ]


def candidates_query(text: str, years: Years) -> Query:
    """What Elasticsearch is asked; the text is analysed and never parsed."""
    # `text` has the title at its start.
    clauses = [Match("text", {"query": text}), Match("title", {"query": text})]
    bounds = {"gte": years.first, "lte": years.last}
    within = {name: year for name, year in bounds.items() if year is not None}
    filters = [Range("year", within)] if within else []
    return Bool(should=clauses, minimum_should_match=1, filter=filters)


def candidates_of(
    abstracts: Sequence[Abstract], question: str, years: Years, depth: int
) -> list[Candidate]:
    """The same over abstracts in memory, with Lucene's BM25 as the bm25s library has it.

    Raises:
        InputError: if the question has only stop words.
    """
    import bm25s
    import numpy as np

    wanted = keys(searched(question))
    within = [one for one in abstracts if one.year in years]
    scores = np.zeros(len(within))
    for fields in ([one.text for one in within], [one.title for one in within]):
        analysed = [keys(text) for text in fields]
        if any(analysed):
            index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
            index.index(analysed, show_progress=False)
            scores += index.get_scores(wanted)
    best = np.argsort(-scores, kind="stable")[:depth]
    return [Candidate(within[n], float(scores[n])) for n in best if scores[n] > 0]

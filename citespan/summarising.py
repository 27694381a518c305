"""Summarising indexed articles by what they are cited for, from Python."""

from collections.abc import Callable, Mapping, Sequence

from elasticsearch import Elasticsearch

from citespan.connecting import use_client
from citespan.pipelines.citations.cited import find_cited
from citespan.pipelines.citations.summaries.choosing import WORDS
from citespan.pipelines.citations.summaries.facets import load_model
from citespan.pipelines.citations.summaries.summarising import Summariser
from citespan.pipelines.citations.summaries.summary import Summary
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.catalogue import Catalogue
from citespan.pipelines.ranking.ranker import DEFAULT, NONE, find_ranker
from citespan.pipelines.ranking.stored_article import read_stored_articles


def summarise(
    article: str,
    citances: Mapping[str, str] | Sequence[str] | None = None,
    *,
    words: int = WORDS,
    ranker: str = DEFAULT,
    client: Elasticsearch | None = None,
    on_ranked: Callable[[int], None] = lambda _: None,
) -> Summary:
    """Summarise an indexed article by what it is cited for.

    Sentences of the article are chosen that are evidence for what citances say of it, of all
    discourse facets, none repeating another.

    Args:
        article: any of its identifiers.
        citances: sentences that cite it, possibly by ids of yours; None for those of other indexed
            articles, as far as `link` has linked them.
        words: of the summary at most.
        ranker: the name of what says which sentences a citance is about.
        on_ranked: called with 1 after each citance.

    Returns:
        A sequence of the summary's sentences, in the order of the article.

    Raises:
        UnknownNameError: for an unknown article or ranker.
        InputError: if there is no citance, or none that the article supports.
        CitespanError: if the article's documents are gone.
    """
    judge = find_ranker(ranker)
    if judge is None:
        raise InputError(f"--ranker {NONE} has no probabilities; name a ranker to summarise with")
    summariser = Summariser(judge, load_model(), words)
    client = use_client(client)
    entry = Catalogue(client).find(article)
    if citances is None:
        citances = {
            f"{link.citing}#{link.citation}": link.query
            for link in find_cited(client, entry.article).links
        }
        remedy = "run `citespan link` once the articles that cite it are indexed"
    else:
        remedy = "give some that name it"
    if not isinstance(citances, Mapping):
        citances = {str(number): citance for number, citance in enumerate(citances, 1)}
    if not citances:
        raise InputError(f"there are no citances of article '{entry.article}'; {remedy}")
    [stored] = read_stored_articles(client, [entry])
    return summariser.summarise(entry.article, entry.title or "", stored, citances, on_ranked)

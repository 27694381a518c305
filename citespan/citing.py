"""What citations say and rest on: checking, linking, showing and summarising them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from elasticsearch import Elasticsearch

from citespan.arguments import check_arguments
from citespan.library import make_connector, use_client
from citespan.pipelines.citations.checking import CheckedManuscript, check_citations
from citespan.pipelines.citations.cited import CitedArticle, find_cited
from citespan.pipelines.citations.evidence_search import Workers
from citespan.pipelines.citations.known_identifiers import read_known
from citespan.pipelines.citations.link_report import LinkReport
from citespan.pipelines.citations.linking import link_citations
from citespan.pipelines.citations.manuscript import read_citations
from citespan.pipelines.citations.summaries.choosing import WORDS
from citespan.pipelines.citations.summaries.facets import load_model
from citespan.pipelines.citations.summaries.summary import Summariser, Summary
from citespan.pipelines.citing.citations import ArticleCitations
from citespan.pipelines.corpus.retraction_list import read_retraction_list
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.reading.sources import Shard
from citespan.pipelines.limits import count_processors
from citespan.pipelines.ranking.ranker import DEFAULT, NONE, Ranker, find_ranker
from citespan.pipelines.ranking.stored_article import read_stored_articles
from citespan.pipelines.retrieval.request import TOP
from citespan.pipelines.store.catalogue import Catalogue


@check_arguments
def check(
    manuscript: str | Path | ArticleCitations,
    *,
    format: str = "auto",  # noqa: A002  as in the command line
    ranker: str | Ranker = DEFAULT,
    top: int = TOP,
    rivals: bool = True,
    articles: str | Path | None = None,
    retractions: str | Path | None = None,
    known: str | Path | None = None,
    client: Elasticsearch | None = None,
    on_checked: Callable[[int], None] = lambda _: None,
) -> CheckedManuscript:
    """Check the citations of a manuscript: has each cited article a passage about what it says?

    References are looked up among the indexed articles, by their identifiers or else by title,
    first author and year. The manuscript need not be indexed, and nothing of it is stored. With
    `articles`, no server is needed.

    Args:
        manuscript: a file, "-" for standard input, or what `read_citations` has found in one.
        format: name of a reader, or "auto".
        ranker: what judges the cited articles: its name, or a ranker.
        top: number of passages of each at most.
        rivals: whether to look for indexed articles that fit a citation better than the cited one.
        articles: a folder whose articles take the place of those that are indexed.
        retractions: the list of Retraction Watch as a CSV file; None for the one that
            CITESPAN_RETRACTIONS names, if any.
        known: a file of the identifiers that exist, a PMID, PMC id or DOI a line, or a CSV file
            with columns called pmid, pmcid or doi.
        on_checked: called with the number of citations that have just been checked.

    Returns:
        The manuscript with the status of each citation; those that were searched for have their
        evidence. Its `faults` say what is wrong with entries of the reference list.

    Raises:
        InputError: if the manuscript, the folder or a list can't be read, or `top` is less than 1.
        UnknownNameError: for an unknown format or ranker.
        ElasticsearchUnreachableError: if there is no server.
    """
    judge = _find_judge(ranker, "check")
    found = (
        manuscript
        if isinstance(manuscript, ArticleCitations)
        else read_citations(manuscript, format)
    )
    keys = {key for reference in found.references for key in reference.publication.identifiers}
    return check_citations(
        use_client(client, articles),
        found,
        judge,
        top,
        rivals,
        on_checked,
        retractions=read_retraction_list(retractions) if retractions is not None else None,
        known=read_known(known, keys) if known is not None else None,
    )


@check_arguments
def link(
    *,
    ranker: str | Ranker = DEFAULT,
    shard: Shard | None = None,
    rivals: bool = False,
    processes: int | None = None,
    client: Elasticsearch | None = None,
    on_start: Callable[[int], Callable[[int], None]] = lambda _: lambda _: None,
) -> LinkReport:
    """Find the evidence for every citation of an indexed article by another, and store it.

    What is linked already stays, unless one of the two articles has changed or another ranker is
    named; so linking again after a load concerns only what the load has changed.

    Args:
        ranker: what judges the cited articles: its name, or a ranker.
        shard: the part of the citing articles to link; None for all.
        rivals: whether to look for indexed articles that fit a citation better than the cited one,
            also for citations that have been linked without; all articles are searched for each.
        processes: how many search and rank, if there are many citations; None for one for each
            processor. With a client that `connect` has not made, this one does it all.
        on_start: called with the number of citations; what it returns is called with the number
            of those that have just been dealt with.

    Returns:
        What became of each citation.

    Raises:
        InputError: if no ranker judges.
        UnknownNameError: for an unknown ranker.
        ElasticsearchUnreachableError: if the server goes away; linking again resumes.
    """
    judge = _find_judge(ranker, "link")
    number = count_processors() if processes is None else processes
    used, connect = use_client(client), make_connector(client)
    workers = Workers(number, connect) if connect is not None else None
    return link_citations(used, judge, shard, on_start, rivals=rivals, workers=workers)


@check_arguments
def cited(article: str, *, client: Elasticsearch | None = None) -> CitedArticle:
    """Return who cites an indexed article, and for which of its sentences.

    Args:
        article: any of its identifiers.

    Returns:
        The article with its links, as far as `link` has linked citations, and all its sentences
        with the number of citations of each.

    Raises:
        UnknownNameError, InputError: if no such article is indexed.
        CitespanError: if its documents are gone.
    """
    return find_cited(use_client(client), article)


@check_arguments
def summarise(
    article: str,
    citances: Mapping[str, str] | Sequence[str] | None = None,
    *,
    words: int = WORDS,
    ranker: str | Ranker = DEFAULT,
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
        ranker: what says which sentences a citance is about: its name, or a ranker.
        on_ranked: called with 1 after each citance.

    Returns:
        A sequence of the summary's sentences, in the order of the article.

    Raises:
        UnknownNameError: for an unknown article or ranker.
        InputError: if there is no citance, or the article has evidence for none.
        CitespanError: if the article's documents are gone.
    """
    judge = _find_judge(ranker, "summarise")
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


def _find_judge(ranker: str | Ranker, purpose: str) -> Ranker:
    judge = find_ranker(ranker)
    if judge is None:
        raise InputError(f"`ranker={NONE}` has no probabilities; name a ranker to {purpose} with")
    return judge

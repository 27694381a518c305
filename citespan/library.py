"""The server, and what it holds: connecting, loading, listing, showing and deleting."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack

from elasticsearch import Elasticsearch
from elasticsearch.dsl.query import Bool, Match, MatchAll, Prefix, Query, Term

from citespan.arguments import check_arguments
from citespan.deploy import client as deployed
from citespan.deploy.client import read_api_key
from citespan.deploy.node.paths import folders
from citespan.deploy.node.state import NodeState
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import CITESPAN, IndexNames
from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.corpus.identifiers import find_spellings
from citespan.pipelines.errors import ElasticsearchUnreachableError, InputError, UnknownNameError
from citespan.pipelines.indexing.deletable import Kind, delete_found, find_deletable
from citespan.pipelines.indexing.documents.settings import DocumentSettings, SynonymSource
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.limits import count_processors
from citespan.pipelines.retrieval.current import read_current
from citespan.pipelines.retrieval.model import similarities
from citespan.pipelines.retrieval.passage import ShownSentence
from citespan.pipelines.shown import Found, Row, flatten
from citespan.pipelines.store.abstracts import is_abstract
from citespan.pipelines.store.catalogue import Catalogue, read_publication
from citespan.pipelines.store.layout import default_layout, layout_of
from citespan.pipelines.text.splitter import DEFAULT

if TYPE_CHECKING:
    from citespan.pipelines.folder.client import FolderClient
    from citespan.pipelines.indexing.report import LoadReport

_LOG = logging.getLogger("citespan")
_folders: "dict[Path, FolderClient]" = {}
_last: Elasticsearch | None = None
_last_url: str | None = None


@check_arguments
def connect(url: str | None = None, *, start: bool = False) -> Elasticsearch:
    """Connect to Elasticsearch, and use this server from now on unless another is given.

    Args:
        url: address of the server; None for CITESPAN_ES_URL, else for the node that `citespan node
            up` or an earlier `connect(start=True)` started. The API key is read from
            CITESPAN_ES_API_KEY, the certificate authority from CITESPAN_ES_CA.
        start: whether to start a local node if no server is found, as `citespan node up` does.
            The first start fetches about 1.1 GB.

    Returns:
        A client of the server, which has answered once.

    Raises:
        ElasticsearchUnreachableError: if there is no server, or it does not answer.
        InputError: if the address, the API key or the certificate can't be used.
    """
    global _last, _last_url
    _last, _last_url = _reach(url, start), url
    return _last


def use_client(client: Elasticsearch | None, articles: str | Path | None = None) -> Elasticsearch:
    """Return the client given, or what answers from a folder of articles; else the client that
    `connect` returned last, else `connect()`.

    Raises:
        InputError: if both are given, or the folder can't be used.
    """
    if articles is None:
        return client or _last or connect()
    if client is not None:
        raise InputError("`client` and `articles` can't be combined: a folder needs no server")
    opened, report = open_folder(articles)
    for rejected in report.quarantined:
        _LOG.warning("citespan: quarantined: %s: %s", rejected.source, rejected.reason)
    return opened


def open_folder(
    articles: str | Path,
    on_start: Callable[[int], Callable[[int], None]] = lambda _: lambda _: None,
    *,
    may_be_empty: bool = False,
) -> "tuple[FolderClient, LoadReport]":
    """Return what answers from a folder of articles in place of a server, and what became of each
    file in it.

    What is new or has changed since the last time is read, and kept in a file beside the folder, or
    in citespan's cache folder where that can't be written.

    Args:
        on_start: called with the number of files to read, if any; what it returns is called with 1
            after each.
        may_be_empty: whether the folder may have no article yet, or not exist.

    Raises:
        InputError: if there is no such folder, or it has no article or too many.
        MachineError: if no file can be read, or none be written.
    """
    # Only here, as in `index`: a search on a server needs none of it.
    from citespan.pipelines.folder.client import FolderClient
    from citespan.pipelines.folder.reading import open_kept, read_folder

    folder = Path(articles)
    if may_be_empty:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{source_of(folder)}: no folder ({error.strerror})") from error
    place = folder.resolve()
    opened = _folders.get(place) or FolderClient(open_kept(folder, folders().cache))
    report = read_folder(folder, opened.kept, count_processors(), on_start=on_start)
    if not (report.articles or report.unchanged or may_be_empty):
        raise InputError(f"{source_of(folder)}: no article in it{_explain_rejected(report)}")
    _folders[place] = opened
    return opened, report


def _explain_rejected(report: "LoadReport") -> str:
    rejected = [*report.quarantined, *report.skipped]
    return f"; {rejected[0].source}: {rejected[0].reason}" if rejected else ""


def make_connector(client: Elasticsearch | None) -> Callable[[], Elasticsearch] | None:
    """Return what connects another process to the server of `use_client(client)`; None if only
    the caller knows how, who has made the client."""
    if client is not None and client is not _last:
        return None
    return partial(_reach, _last_url, start=False)


def _reach(url: str | None, start: bool) -> Elasticsearch:
    if url is not None:
        state = NodeState("address", url, api_key=read_api_key("CITESPAN_ES_API_KEY"))
        return deployed.reach(state)[0]
    try:
        return deployed.connect()
    except ElasticsearchUnreachableError:
        if not start:
            raise
    from citespan.deploy.node.lifecycle import up  # only here, since it is a lot

    up()
    return deployed.connect()


_DEFAULT_LENGTHS = SpanLengths()


class LoadOptions(TypedDict, total=False):
    """How a load is done, as `citespan.pipelines.indexing.load.Load` describes it."""

    articles_expected: int
    processes: int
    retry_seconds: float
    delete_missing: bool
    delete_many: bool
    quarantine: Path | None
    checkpoint: Path | None
    checkpoints: Path | None
    restart: bool
    rebuild: bool
    group_readings: int | None
    collection: str
    unit_seconds: float
    unit_memory: int
    warn: Callable[[str], None]


@check_arguments
def index(
    *paths: str | Path,
    format: str = "auto",  # noqa: A002  as in the command line
    layout: str | None = None,
    models: Sequence[str] = ("vsm",),
    lengths: SpanLengths = _DEFAULT_LENGTHS,
    splitter: str = DEFAULT,
    vocabulary: str | Path | None = None,
    corpus: str | None = None,
    client: Elasticsearch | None = None,
    on_input: Callable[[int], None] = lambda _: None,
    **load: Unpack[LoadOptions],
) -> "LoadReport":
    """Load articles, or abstracts into their own index; what is loaded already is left alone.

    Args:
        paths: files, folders, patterns like "articles/**/*.xml", or archives.
        format: name of a reader, or "auto".
        layout: name of the layout to store articles in; None for the default one.
        models: retrieval models to index for; `vsm` is always included, in some layouts all are.
        lengths: least and greatest number of sentences in a span.
        splitter: name of what splits texts into sentences.
        vocabulary: folder of a concept store, for the field `text.umls`.
        corpus: name of the place that the paths are in; None for this machine's name.
        client: of the server. If `connect` has not made it, the processes that read can't see what
            is indexed, and loading the same again takes as long as the first time.
        on_input: called with the number of inputs that have just been dealt with.
        load: how the load is done; see `LoadOptions`.

    Returns:
        What became of every input: indexed, unchanged, replaced, skipped or quarantined. Its
        `planned` says what `delete_missing` found missing, and its `missing` what it has deleted.

    Raises:
        InputError: if a path does not exist, or an argument can't be used.
        ElasticsearchUnreachableError: if the server goes away; loading again resumes.
        ShardLimitError: if the cluster has no room for so many indices.
    """
    # Only here: what loads takes .3 s to import, and the other functions need none of it.
    from citespan.pipelines.answers.zones.zoning import LoadingZoner
    from citespan.pipelines.indexing.load import Load
    from citespan.pipelines.indexing.reading.sources import Sources

    synonyms = SynonymSource(Path(vocabulary).absolute()) if vocabulary is not None else None
    place = gethostname() if corpus is None else corpus
    settings = DocumentSettings(
        similarities(models), layout or default_layout(), lengths, splitter, synonyms, place
    )
    used = use_client(client)
    options: dict[str, Any] = {"processes": count_processors(), "zoner": LoadingZoner(), **load}
    sources = Sources([str(path) for path in paths], format)
    whole = Load(sources, settings, make_connector(client), **options)
    return whole.run(used, on_input, lambda: None)


MOST_LISTED = 10_000  # Elasticsearch's index.max_result_window


ORDERS: Final[Mapping[str, Sequence[Any]]] = {
    "article": ["article"],
    "title": [{"title.order": {"order": "asc", "unmapped_type": "keyword"}}, "article"],
    "year": [{"year": "desc"}, "article"],
    "journal": ["journal", "article"],
    "loaded": [{"loaded": "desc"}, "article"],
}
"""What lists of articles can be ordered by; by title, abstracts come last."""


@check_arguments
def articles(
    text: str | None = None,
    *,
    top: int = MOST_LISTED,
    first: int = 0,
    order: str = "",
    names: IndexNames = CITESPAN,
    client: Elasticsearch | None = None,
) -> Found[ArticleEntry]:
    """List the indexed articles, by id, or find some of them, best first.

    Abstracts are among them, except of articles whose full texts are indexed.

    Args:
        text: words of the title, an identifier or the beginning of one; None for all.
        top: how many at most, up to 10,000 together with `first`.
        first: how many to leave out before these.
        order: "article", "title", "year", "journal" or "loaded" instead; newest years and loads
            come first, and abstracts last by title.
        names: of the indices; those of experiments are `es_mappings.index_name.EXPERIMENTS`.

    Returns:
        Entries with `article` (the id), `title`, `layout`, `sentences`, `source` and more.
    """
    if order and order not in ORDERS:
        raise UnknownNameError("order", order, [*ORDERS])
    catalogue = Catalogue(use_client(client), names)
    query = MatchAll() if text is None else make_query(text)
    best = ["article"] if text is None else ["_score", "article"]
    found = catalogue.search(query, top, ORDERS[order] if order else best, first)
    return Found(found, "articles", _make_row)


def _make_row(entry: ArticleEntry) -> Row:
    notices = [str(notice) for notice in read_publication(entry).notices]
    return flatten({**describe_article(entry), "notices": notices})


def identify_article(entry: ArticleEntry) -> Row:
    """Return the columns by which rows about an article can be traced."""
    return {"article": entry.article, "pmid": entry.pmid or "", "doi": entry.doi or ""}


def count_articles(
    text: str | None = None,
    *,
    full_texts: bool = False,
    names: IndexNames = CITESPAN,
    client: Elasticsearch | None = None,
) -> int:
    """Return how many articles and abstracts there are that `articles` looks for, also those that
    it doesn't list: abstracts whose full text is indexed, and what is beyond `top`.

    Args:
        full_texts: whether to leave out abstracts.
    """
    catalogue = Catalogue(use_client(client), names)
    query = MatchAll() if text is None else make_query(text)
    return catalogue.count(query, full_texts=full_texts)


def describe_article(entry: ArticleEntry) -> dict[str, Any]:
    """Return an article as `citespan articles --json` and the API of `citespan serve` do."""
    publication = read_publication(entry)
    return {
        "article": entry.article,
        "title": entry.title or "",
        "also_known_as": [*(entry.also_known_as or ())],
        "authors": [*(entry.authors or ())],
        "year": entry.year,
        "journal": entry.journal or "",
        "pmid": entry.pmid or "",
        "pmcid": entry.pmcid or "",
        "doi": entry.doi or "",
        "notices": [notice.to_json() for notice in publication.notices],
        "notice": publication.notice,
        "abstract_only": is_abstract(entry),
        "layout": entry.layout,
        "models": [*(entry.models or ())],
        "sentences": entry.sentences,
        "spans": entry.spans,
        "characters": entry.characters,
    }


def describe_sentences(entry: ArticleEntry, sentences: Iterable[ShownSentence]) -> dict[str, Any]:
    """Return an article with some of its sentences, and their number in all as `count`, as
    `citespan show --json` and the API of `citespan serve` do."""
    shown = [sentence.to_json() for sentence in sentences]
    return describe_article(entry) | {"count": entry.sentences, "sentences": shown}


def make_query(text: str) -> Query:
    """Return the query for entries whose title has the words of a text, or which it identifies."""
    spellings = list(find_spellings(text))
    return Bool(
        should=[
            Match("title", {"query": text, "operator": "and"}),
            *(Term("article", {"value": spelling, "boost": 10}) for spelling in spellings),
            *(Term("also_known_as", {"value": spelling, "boost": 10}) for spelling in spellings),
            Prefix("article", {"value": text.strip(), "case_insensitive": True}),
        ],
        minimum_should_match=1,
    )


@check_arguments
def show(
    article: str,
    first: int | None = None,
    last: int | None = None,
    *,
    client: Elasticsearch | None = None,
) -> Found[ShownSentence]:
    """Return the sentences of an indexed article, or of an abstract with its title, in order.

    Args:
        article: any of its identifiers.
        first, last: numbers of sentences, from 0, both included; None for the first and the last.

    Raises:
        UnknownNameError: if no such article is indexed.
        InputError: if the article has no sentences of these numbers.
        CitespanError: if its documents are gone, or its sentences are not stored singly.
    """
    sentences = read_current(partial(_read_sentences, use_client(client), article, first, last))
    return Found(sentences, "sentences", lambda sentence: flatten(sentence.to_json()))


def _read_sentences(
    client: Elasticsearch, article: str, first: int | None, last: int | None
) -> list[ShownSentence]:
    entry = Catalogue(client).find(article)
    start = first if first is not None else 0
    end = min(last, entry.sentences - 1) if last is not None else entry.sentences - 1
    if not 0 <= start <= end:
        raise InputError(
            f"article '{entry.article}' has sentences 0-{entry.sentences - 1}; "
            f"{first}-{last} are none of them"
        )
    [documents] = layout_of(entry).reader.read_articles(client, [entry])
    return [
        ShownSentence.of(number, document, page=entry.find_page(document["start"]))
        for number, document in documents.items()
        if start <= number <= end
    ]


@check_arguments
def delete(
    *identifiers: str,
    kind: Kind | None = None,
    collection: str = "",
    names: IndexNames = CITESPAN,
    client: Elasticsearch | None = None,
) -> list[str]:
    """Delete indexed articles and abstracts, with all their documents.

    Args:
        identifiers: ids of articles, as `articles` lists them, and PMIDs of abstracts. Another
            name of an article is refused: repeated, it might delete another article.
        kind: of all of them; None for whichever has the identifier.
        collection: of abstracts, in which these alone are looked for.
        names: of the indices.

    Returns:
        The ids of those deleted; one that another command writes at the same time stays.

    Raises:
        CitespanError: if one is not indexed, or is another name, or of both kinds, with what to
            name instead; nothing is deleted then.
        RemainingDocumentsError: if the server refuses to delete documents of what is deleted.
        ElasticsearchUnreachableError: if the server goes away; repeat the call.
    """
    client = use_client(client)
    found = find_deletable(client, identifiers, kind, collection, names)
    return delete_found(client, found, names)

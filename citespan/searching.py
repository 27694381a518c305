"""Searching articles from Python."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast, overload

import orjson
from elasticsearch import Elasticsearch

from citespan.connecting import use_client
from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.catalogue import Catalogue
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.ranking.evidence import Evidence
from citespan.pipelines.ranking.ranker import DEFAULT, NONE, find_ranker
from citespan.pipelines.reformulation.composition import parse
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.idf import Idf, IdfSource
from citespan.pipelines.retrieval.layouts.layout import TOP, SearchRequest, request_candidates
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.search import article_context, find_passages_many

_DEFAULT_OPTIONS = Options()


@dataclass(frozen=True)
class SearchSettings:
    """How citances are searched for; the attributes are described in `search`."""

    ranker: str = DEFAULT
    reformulation: str = "baseline"
    model: str = "vsm"
    top: int = TOP
    depth: int | None = None
    merge: bool = True
    lengths: SpanLengths | None = None
    options: Options = _DEFAULT_OPTIONS
    explain: bool = False
    idf: IdfSource = "article"

    def __post_init__(self) -> None:
        """Check that there is such a ranker, and that nothing is asked of it that it has not.

        Raises:
            UnknownNameError: if there is none of that name.
            InputError: if merging, lengths or explanations of spans are asked of a ranker.
        """
        if find_ranker(self.ranker) is not None and (not self.merge or self.lengths or self.explain):
            raise InputError(
                "spans of other lengths, unmerged spans and the scores of terms are there without "
                f"a ranker only: use them with --ranker {NONE}"
            )

    def make_request(
        self, client: Elasticsearch, citance: str, entry: ArticleEntry
    ) -> SearchRequest:
        """Reformulate a citance of an article, and return what is searched for.

        Raises:
            UnknownNameError: for an unknown reformulation or model.
            InputError: if the article is not indexed for what is asked.
        """
        model = models[self.model]
        context = article_context(client, entry, self.options, model)
        terms = parse(self.reformulation).terms(citance, context)
        idf = Idf(self.idf, self.options.background)
        if self.ranker == NONE:
            return SearchRequest(
                *(entry, terms, model, self.top, self.depth, self.merge, self.lengths), idf=idf
            )
        return request_candidates(entry, terms, model, self.depth, idf)

    def to_json(self, request: SearchRequest, found: Evidence) -> dict[str, Any]:
        """Return what was found for a citance as `citespan search --json` prints it."""
        asked = self.describe_query(request.searched)
        return {"article": found.article, **asked, **found.to_json()}

    def describe(self) -> dict[str, Any]:
        """Return the settings that are not the defaults, by name, as JSON has them."""
        changed = _changed_fields(self)
        if options := _changed_fields(changed.pop("options", self.options)):
            changed["options"] = options
        return cast(dict[str, Any], orjson.loads(orjson.dumps(changed, default=str)))

    def describe_query(self, searched: Sequence[Term]) -> dict[str, Any]:
        """Return what is searched for as `citespan search --json` prints it."""
        query = [{"text": term.text, "weight": term.weight, "kind": term.kind} for term in searched]
        return {"model": self.model, "reformulation": self.reformulation, "query": query}

    def find(
        self, client: Elasticsearch, citances: Sequence[str], requests: Sequence[SearchRequest]
    ) -> Iterator[Evidence]:
        """Yield what is found for each citance.

        Args:
            requests: what `make_request` returned for them.

        Raises:
            UnknownNameError: for an unknown ranker.
            CitespanError: if an article's documents are gone.
        """
        ranker = find_ranker(self.ranker)
        if ranker is None:
            for request, passages in zip(
                requests,
                find_passages_many(client, requests, explain=self.explain),
                strict=True,
            ):
                yield Evidence(request.article.article, request.article.title or "", tuple(passages))
            return
        from citespan.pipelines.ranking.search import EvidenceRequest, find_evidence_many

        yield from find_evidence_many(
            client,
            [
                EvidenceRequest(citance, request, ranker, self.top, self.options)
                for citance, request in zip(citances, requests, strict=True)
            ],
        )


def _changed_fields(settings: SearchSettings | Options) -> dict[str, Any]:
    values = {one.name: (getattr(settings, one.name), one.default) for one in fields(settings)}
    return {name: value for name, (value, default) in values.items() if value != default}


@overload
def search(
    citance: str,
    article: str,
    *,
    ranker: str = ...,
    reformulation: str = ...,
    model: str = ...,
    top: int = ...,
    depth: int | None = ...,
    merge: bool = ...,
    lengths: SpanLengths | None = ...,
    options: Options = ...,
    explain: bool = ...,
    idf: IdfSource = ...,
    client: Elasticsearch | None = ...,
) -> Evidence: ...


@overload
def search(
    citance: list[str] | tuple[str, ...],
    article: str | Sequence[str],
    *,
    ranker: str = ...,
    reformulation: str = ...,
    model: str = ...,
    top: int = ...,
    depth: int | None = ...,
    merge: bool = ...,
    lengths: SpanLengths | None = ...,
    options: Options = ...,
    explain: bool = ...,
    idf: IdfSource = ...,
    client: Elasticsearch | None = ...,
) -> list[Evidence]: ...


def search(
    citance: str | list[str] | tuple[str, ...],
    article: str | Sequence[str],
    *,
    ranker: str = DEFAULT,
    reformulation: str = "baseline",
    model: str = "vsm",
    top: int = TOP,
    depth: int | None = None,
    merge: bool = True,
    lengths: SpanLengths | None = None,
    options: Options = _DEFAULT_OPTIONS,
    explain: bool = False,
    idf: IdfSource = "article",
    client: Elasticsearch | None = None,
) -> Evidence | list[Evidence]:
    """Find the passages of an article that a citing sentence is about, best first.

    Candidate sentences come from Elasticsearch; a ranker says which of them are evidence, how
    probable that is, and whether the article supports the sentence at all.

    Args:
        citance: the citing sentence, or many.
        article: the cited article by any of its identifiers; of many citances, one article for
            all or one for each.
        ranker: its name; "none" for the method of Cohan, Soldaini and Goharian (NAACL 2015),
            whose spans have no probability.
        reformulation: how the citance becomes a query, such as "np+umls-expand".
        model: name of the retrieval model.
        top: number of passages at most.
        depth: number of candidate sentences to rank. Without a ranker, of retrieved spans to
            merge; None for the fewest that leave three.
        merge: without a ranker, whether to merge spans into the retrieved spans that contain them.
        lengths: without a ranker, sentences in a span; None for what the article was indexed with.
        options: of the reformulation; concepts of its vocabulary count among the matched words.
        explain: without a ranker, whether passages have the score of each term.
        idf: the collection whose document frequencies the model uses: the article, the background
            of `options`, or both as one; another one than the article only in the layout
            `sentences`.

    Returns:
        A sequence of passages, with what the ranker says of the article; of many citances, one
        for each. A citance of which the reformulation leaves nothing to search for has no
        passages, if there are many.

    Raises:
        UnknownNameError: for an unknown article, ranker, reformulation or model.
        InputError: if nothing of the one citance is left to search for, or the article is not
            indexed for what is asked.
        CitespanError: if the article's documents are gone.
    """
    client = use_client(client)
    one = isinstance(citance, str)
    citances = [citance] if isinstance(citance, str) else list(citance)
    names = [article] * len(citances) if isinstance(article, str) else list(article)
    if len(names) != len(citances):
        raise InputError(
            f"{len(citances)} citances and {len(names)} articles; name one article, or one for "
            "each citance"
        )
    catalogue = Catalogue(client)
    entries = {name: catalogue.find(name) for name in dict.fromkeys(names)}
    settings = SearchSettings(
        ranker, reformulation, model, top, depth, merge, lengths, options, explain, idf
    )
    requests = [
        settings.make_request(client, text, entries[name])
        for text, name in zip(citances, names, strict=True)
    ]
    if one:
        requests[0].require_terms()
    found = list(settings.find(client, citances, requests))
    return found[0] if one else found

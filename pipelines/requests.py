"""How citances are searched for, described once: command line, Python and page derive from it.

A new option is a field of `Search`, or of `SearchAll`, and its type in the keywords beside it.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict, cast

import orjson
from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.ranking.evidence import Evidence
from citespan.pipelines.ranking.ranker import (
    DEFAULT,
    NONE,
    Ranker,
    find_ranker,
    name_ranker,
    rankers,
)
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.reformulation.reformulation import Context, parse, reformulations
from citespan.pipelines.retrieval.idf import Idf, IdfSource
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.request import (
    TOP,
    WEIGHT,
    AskedCitance,
    SearchRequest,
    request_candidates,
)
from citespan.pipelines.retrieval.search import article_context, find_passages
from citespan.pipelines.settings import About, describe_names
from citespan.pipelines.store.abstracts import is_abstract
from citespan.pipelines.store.catalogue import Catalogue, read_publication
from citespan.pipelines.store.layout import shared_layout
from citespan.pipelines.store.notices import find_notices
from citespan.pipelines.years import Years, read_years

if TYPE_CHECKING:  # a search of one article need not import that of all
    from citespan.pipelines.ranking.article_ranking import ArticleEvidence, CorpusRequest

_DEFAULT_OPTIONS = Options()
METHOD: Final = "Options of the method"
"""The heading of the options that few people need."""
NARROWING: Final = ("year", "journals", "sections", "citing")
"""Settings that a search of one article does not have."""


def _describe_rankers() -> str:
    return (
        f"{describe_names(rankers)}; the folder of a model that `citespan ranker train` has "
        f"written; {NONE}: the method of Cohan et al. (2015)"
    )


class SearchOptions(TypedDict, total=False):
    """The fields of `Search` as keywords."""

    ranker: str | Ranker
    reformulation: str
    model: str
    top: int | None
    depth: int | None
    merge: bool
    shortest: int | None
    longest: int | None
    idf: IdfSource
    explain: bool
    scores: bool
    rivals: bool
    options: Options


class SearchAllOptions(SearchOptions, total=False):
    """The fields of `SearchAll` as keywords."""

    year: str | None
    journals: Sequence[str]
    sections: Sequence[str]
    per_article: int
    citing: str | None
    citance_weight: float


@dataclass(frozen=True, kw_only=True)
class Search:
    """How the passages of an article are found that a citance is about.

    Attributes:
        options: of the reformulation; concepts of its vocabulary count among the matched words.

    Raises:
        UnknownNameError: for an unknown ranker.
        InputError: if merging, lengths or explanations of spans are asked of a ranker.
    """

    ranker: Annotated[str | Ranker, About("What finds the evidence.", names=_describe_rankers)] = (
        DEFAULT
    )
    reformulation: Annotated[
        str,
        About(
            "How the citance becomes a query; combine by +, expansions last.",
            names=lambda: describe_names(reformulations),
            heading=METHOD,
        ),
    ] = "baseline"
    model: Annotated[
        str, About("Retrieval model.", names=lambda: describe_names(models), heading=METHOD)
    ] = "vsm"
    top: Annotated[
        int | None,
        About(
            "Passages to show, weaker ones last; of all articles, articles.",
            default="the evidence, 3 at most; 3",
        ),
    ] = None
    depth: Annotated[
        int | None,
        About(
            "Number of candidate sentences to rank; without a ranker, of spans to merge; "
            "of all articles, number of articles to rank.",
            default="200; the fewest that leave three, or `top`; 3",
            heading=METHOD,
        ),
    ] = None
    merge: Annotated[
        bool,
        About(
            "Without a ranker: merge spans into the retrieved spans that contain them.",
            heading=METHOD,
        ),
    ] = True
    shortest: Annotated[
        int | None,
        About(
            "Without a ranker: sentences in the shortest span.",
            default="as indexed",
            heading=METHOD,
        ),
    ] = None
    longest: Annotated[
        int | None,
        About(
            "Without a ranker: sentences in the longest span.", default="as indexed", heading=METHOD
        ),
    ] = None
    idf: Annotated[
        IdfSource,
        About(
            "Documents in which the model counts terms: the article's spans, the documents of "
            f"`background`, or both. Only the layout {shared_layout().name} has others than the "
            "article.",
            heading=METHOD,
        ),
    ] = "article"
    explain: Annotated[
        bool, About("Without a ranker: show the score of each term.", heading=METHOD)
    ] = False
    scores: Annotated[bool, About("Show the score and probability of every sentence.")] = False
    rivals: Annotated[
        bool, About("Say whether another indexed article fits the citance better.")
    ] = False
    options: Options = _DEFAULT_OPTIONS

    def __post_init__(self) -> None:
        spans = not self.merge or self.shortest or self.longest or self.explain
        if find_ranker(self.ranker) is not None and spans:
            raise InputError(
                "spans of other lengths, unmerged spans and the scores of terms are there without "
                f"a ranker only: use them with `ranker={NONE}`"
            )
        if (self.scores or self.rivals) and self.ranker == NONE:
            raise InputError("`scores` and `rivals` are there with a ranker only; name one")

    @classmethod
    def of_one_article(cls, given: SearchAllOptions) -> "Search":
        """Return those of the settings of all articles that the search of one has."""
        known = {field.name for field in fields(Search)}
        return Search(**cast(SearchOptions, {k: v for k, v in given.items() if k in known}))

    def make_request(
        self, client: Elasticsearch, citance: str, entry: ArticleEntry
    ) -> SearchRequest:
        """Reformulate a citance of an article, and return what is searched for.

        Raises:
            UnknownNameError: for an unknown reformulation or model.
            InputError: if the article is not indexed for what is asked, or is a notice that
                retracts or doubts another one.
        """
        if not read_publication(entry).is_evidence:
            raise InputError(
                f"article '{entry.article}' is a notice about another one "
                f"({', '.join(entry.notice_of or ()) or 'it does not say which'}), and no evidence "
                "itself"
            )
        context = article_context(client, entry, self.options, models[self.model])
        return self.request_terms(entry, parse(self.reformulation).terms(citance, context))

    def request_terms(self, entry: ArticleEntry, terms: tuple[Term, ...]) -> SearchRequest:
        """Return what is searched for in an article for the terms of a citance.

        Raises:
            UnknownNameError: for an unknown model.
            InputError: if the article is not indexed for what is asked.
        """
        model = models[self.model]
        idf = Idf(self.idf, self.options.background)
        if self.ranker != NONE:
            return request_candidates(entry, terms, model, self.depth, idf)
        return SearchRequest(
            article=entry,
            terms=terms,
            model=model,
            top=TOP if self.top is None else self.top,
            depth=self.depth,
            merged=self.merge,
            spans=self._choose_lengths(entry),
            idf=idf,
        )

    def find(
        self, catalogue: Catalogue, citances: Sequence[str], requests: Sequence[SearchRequest]
    ) -> Iterator[Evidence]:
        """Yield what is found for each citance, with what is said of the articles.

        Args:
            catalogue: which knows the articles.
            requests: what `make_request` returned for them.

        Raises:
            UnknownNameError: for an unknown ranker.
            InputError: if the list of retractions can't be read.
            CitespanError: if an article's documents are gone.
        """
        searched = {
            str(request.article.article): read_publication(request.article) for request in requests
        }
        with ThreadPoolExecutor(1) as beside:  # the server does both at once
            notices = beside.submit(
                lambda: dict(
                    zip(searched, find_notices(catalogue, list(searched.values())), strict=True)
                )
            )
            for evidence in self._find(catalogue.client, citances, requests):
                yield replace(evidence, notices=notices.result()[evidence.article])

    def _find(
        self, client: Elasticsearch, citances: Sequence[str], requests: Sequence[SearchRequest]
    ) -> Iterator[Evidence]:
        ranker = find_ranker(self.ranker)
        if ranker is None:
            passages = find_passages(client, requests, explain=self.explain)
            for request, found in zip(requests, passages, strict=True):
                entry = request.article
                yield Evidence(
                    entry.article, entry.title or "", tuple(found), abstract_only=is_abstract(entry)
                )
            return
        from citespan.pipelines.ranking.search import EvidenceRequest, find_evidence

        wanted = [
            EvidenceRequest(
                citance,
                request,
                ranker,
                TOP if self.top is None else self.top,
                self.options,
                weaker=self.top is not None,
                scores=self.scores,
                compared=True,
            )
            for citance, request in zip(citances, requests, strict=True)
        ]
        found_evidence = find_evidence(client, wanted)
        if not self.rivals:
            yield from found_evidence
            return
        from citespan.pipelines.ranking.rivals import add_rival

        for asked, evidence in zip(wanted, found_evidence, strict=True):
            yield add_rival(client, asked.query, asked.candidates.article, evidence, ranker)

    def to_json(self, request: SearchRequest, found: Evidence) -> dict[str, Any]:
        """Return what was found for a citance as `citespan search --json` prints it."""
        entry = request.article
        about = {"article": found.article, "title": found.title}
        about |= {"pmid": entry.pmid or "", "doi": entry.doi or ""}
        return {**about, **self.describe_query(request.searched), **found.to_json()}

    def describe(self) -> dict[str, Any]:
        """Return the non-default settings by name, as JSON has them."""
        changed = _find_changed(self)
        if "ranker" in changed:
            changed["ranker"] = name_ranker(self.ranker)
        if options := _find_changed(changed.pop("options", self.options)):
            changed["options"] = options
        return cast(dict[str, Any], orjson.loads(orjson.dumps(changed, default=str)))

    def describe_query(self, searched: Sequence[Term]) -> dict[str, Any]:
        """Return what is searched for as `citespan search --json` prints it."""
        query = [{"text": term.text, "weight": term.weight, "kind": term.kind} for term in searched]
        return {"model": self.model, "reformulation": self.reformulation, "query": query}

    def _choose_lengths(self, entry: ArticleEntry) -> SpanLengths | None:
        if self.shortest is None and self.longest is None:
            return None
        return SpanLengths(self.shortest or entry.shortest, self.longest or entry.longest)


@dataclass(frozen=True, kw_only=True)
class SearchAll(Search):
    """How the articles are found that have evidence for a citance.

    Raises:
        UnknownNameError: for an unknown ranker.
        InputError: if something is asked that only the search of one article has.
    """

    year: Annotated[str | None, About("Of all articles, those of 2010, -2010 or 2010-2015.")] = None
    journals: Annotated[
        Sequence[str], About("Of all articles, those of a journal; repeatable.", repeated=True)
    ] = ()
    sections: Annotated[
        Sequence[str],
        About(
            "Of all articles, passages in a kind of section, such as results or abstract; "
            "repeatable.",
            repeated=True,
        ),
    ] = ()
    per_article: Annotated[
        int, About("Of all articles, number of passages of each at most.", heading=METHOD)
    ] = 1
    citing: Annotated[
        str | None,
        About(
            "Of all articles, all but the one that the citance is from, by any of its identifiers; "
            "what it says of others is left out as well.",
            default="unknown: of what others say, only this citance is left out",
            heading=METHOD,
        ),
    ] = None
    citance_weight: Annotated[
        float,
        About(
            "Of all articles, weight of what others say when they cite an article, beside its "
            "text; 0 for none. `citespan link` finds that out.",
            least=0,
            heading=METHOD,
        ),
    ] = WEIGHT

    def __post_init__(self) -> None:
        if not 0 <= self.citance_weight < inf:
            raise InputError(f"`citance_weight={self.citance_weight}`: give a number from 0")
        spans = not self.merge or self.shortest or self.longest or self.explain
        if spans or self.scores or self.rivals or self.idf != "article":
            raise InputError(
                "spans, `scores`, `rivals`, requests and `idf` are for one article; name it by "
                "`article`"
            )
        super().__post_init__()

    def make_corpus_request(self, citance: str) -> "CorpusRequest":
        """Reformulate a citance, and return what is searched for in all articles.

        Raises:
            UnknownNameError: for an unknown reformulation, model or kind of section.
            InputError: if nothing of the citance is left to search for.
        """
        from citespan.pipelines.ranking.article_ranking import (
            DEPTH,
            CorpusRequest,
            read_section_kinds,
        )
        from citespan.pipelines.retrieval.article_search import ArticleFilter

        return CorpusRequest(
            query=citance,
            terms=parse(self.reformulation).terms(citance, Context(self.options)),
            ranker=find_ranker(self.ranker),
            model=models[self.model],
            top=TOP if self.top is None else self.top,
            per_article=self.per_article,
            depth=DEPTH if self.depth is None else self.depth,
            articles=ArticleFilter(
                read_years(self.year) if self.year else Years(), tuple(self.journals)
            ),
            sections=read_section_kinds(self.sections),
            options=self.options,
            asked=AskedCitance(citance, self.citing or "", self.citance_weight),
        )

    def describe_found(
        self, request: "CorpusRequest", found: Sequence["ArticleEvidence"]
    ) -> dict[str, Any]:
        """Return what was found as `citespan search --json` prints it without `--article`."""
        passages = chain(*(article.to_json() for article in found))
        return {
            "ranker": name_ranker(self.ranker),
            **self.describe_query(request.searched),
            "results": [{**passage, "rank": rank} for rank, passage in enumerate(passages, 1)],
        }


def _find_changed(settings: Search | Options) -> dict[str, Any]:
    values = {
        field.name: (getattr(settings, field.name), field.default) for field in fields(settings)
    }
    return {name: value for name, (value, default) in values.items() if value != default}

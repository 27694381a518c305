"""What the systems of an experiment search for, citance by citance."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.errors import CitespanError, InputError
from citespan.pipelines.evaluation.specification import SearchSystem
from citespan.pipelines.indexing.documents.settings import SynonymSource
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.query_dsl import SERVER_EXPANDED
from citespan.pipelines.retrieval.search import article_context

Terms = tuple[Term, ...]


def check(
    systems: Iterable[SearchSystem], options: Options, citance: Citance, article: Article
) -> SynonymSource | None:
    """Reformulate one citance by every system, without a server.

    So whatever is missing or can't be used is known before anything is indexed.

    Returns:
        The synonyms that the articles' indices need; None if no system has the server add them.

    Raises:
        InputError: naming the system and the remedy.
    """
    expanded_for: dict[SynonymSource, str] = {}
    for system in systems:
        own = system.options(options)
        context = Context(own, lambda: article.text, lambda *_: ())
        try:
            terms = parse(system.reformulation).terms(citance.text, context)
        except CitespanError as error:
            raise InputError(f"system {system.name}: {error}") from error
        if any(term.kind in SERVER_EXPANDED for term in terms):
            if own.vocabulary is None:
                raise InputError(
                    f"system {system.name}: articles are indexed with synonyms for it; name a "
                    "vocabulary by `vocabulary` or CITESPAN_VOCABULARY, made by `citespan "
                    "vocabulary build`"
                )
            source = SynonymSource(own.vocabulary, own.scope)
            expanded_for[source] = system.name
    if len(expanded_for) > 1:
        raise InputError(
            f"systems {', '.join(expanded_for.values())}: an index has the synonyms of one "
            "vocabulary; give these systems the same vocabulary, sources and semantic types"
        )
    return next(iter(expanded_for), None)


@dataclass
class Queries:
    """Makes terms of citances; the systems share what is known of an article.

    Attributes:
        entries: of the articles that are indexed, by id.
        options: for all systems, but for what each has its own way.
    """

    client: Elasticsearch
    entries: Mapping[str, ArticleEntry]
    options: Options
    _contexts: dict[tuple[str, Options, str], Context] = field(default_factory=dict)

    def make_terms(self, system: SearchSystem, citances: Sequence[Citance]) -> list[Terms]:
        """Reformulate each citance; a result is empty where the reformulation leaves nothing.

        Raises:
            CitespanError: if a resource can't be used, or from searching.
        """
        composition = parse(system.reformulation)
        return [
            composition.terms(citance.text, self._context(system, citance.article_id))
            for citance in citances
        ]

    def _context(self, system: SearchSystem, article: str) -> Context:
        options = system.options(self.options)
        key = (article, options, system.model)
        if key not in self._contexts:
            self._contexts[key] = article_context(
                self.client, self.entries[article], options, models[system.model]
            )
        return self._contexts[key]

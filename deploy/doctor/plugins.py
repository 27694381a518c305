"""Checks of plug-ins: what other distributions add to citespan."""

from collections.abc import Iterator
from typing import Any

from citespan.deploy.doctor.finding import Finding
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.indexing.layouts.layout import layouts as indexing_layouts
from citespan.pipelines.ranking.ranker import rankers
from citespan.pipelines.reformulation.reformulation import reformulations
from citespan.pipelines.registry import Registry
from citespan.pipelines.retrieval.layouts.layout import layouts as retrieval_layouts
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.text.splitter import splitters
from citespan.pipelines.vocabulary.reader import vocabulary_readers

REGISTRIES: tuple[Registry[Any], ...] = (
    readers,
    splitters,
    vocabulary_readers,
    reformulations,
    models,
    rankers,
    measures,
    indexing_layouts,
    retrieval_layouts,
)
"""All that there are, in the order of the reference page."""


def check_plugins() -> Iterator[Finding]:
    """Load every plug-in, and say which distribution it comes from and whether it works."""
    plugins = [plugin for registry in REGISTRIES for plugin in registry.plugins()]
    for plugin in plugins:
        what = f"{plugin.kind} '{plugin.name}' of {plugin.distribution}"
        if plugin.problem:
            remedy = "update or uninstall that distribution; until then the rest works without it"
            yield Finding("plug-ins", "failure", f"{what}: {plugin.problem}", remedy)
        else:
            yield Finding("plug-ins", "ok", what)
    if not plugins:
        yield Finding("plug-ins", "ok", "none")

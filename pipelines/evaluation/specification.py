"""An experiment as its YAML file states it; `experiments/models.yml` is one to copy."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from citespan.pipelines.errors import CitespanError, InputError, UnknownNameError
from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.own_options import read_own_options
from citespan.pipelines.evaluation.published import Published, read_published
from citespan.pipelines.evaluation.sentence_bm25 import SentenceBM25
from citespan.pipelines.evaluation.yaml_keys import Keys
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.reformulation.composition import parse
from citespan.pipelines.reformulation.context import Options
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.request import TOP

YARDSTICKS = (SentenceBM25.name,)


@dataclass(frozen=True, slots=True)
class SearchSystem:
    """A system that searches the span indices.

    Attributes:
        reformulation: a composition, such as "np+umls-expand".
        top: how many spans it returns.
        depth: how many spans are merged; None for as few as leave enough of them.
        merge: whether spans inside others are merged into these (paper A, section 2.4).
        own_options: fields of the reformulation's options that this system has its own way.
    """

    name: str
    model: str
    reformulation: str
    top: int
    depth: int | None
    merge: bool
    own_options: Mapping[str, Any] = field(default_factory=dict)

    def options(self, given: Options) -> Options:
        """The options of its reformulation: those given for all systems, and its own."""
        return replace(given, **self.own_options)


@dataclass(frozen=True, slots=True)
class YardstickSystem:
    """A system that needs no index; `top` is how many sentences it returns."""

    name: str
    yardstick: str
    top: int


@dataclass(frozen=True, slots=True)
class Experiment:
    """Systems to be compared on a collection, in the order of the table.

    Attributes:
        baseline: the name of the system that the others are tested against.
        spans: how long the spans are that get indexed.
        columns: the measures of its table, each with the difference to the baseline; none for
            the table that every experiment has.
        published: figures to stand beside these columns.
    """

    name: str
    description: str
    baseline: str
    systems: tuple[SearchSystem | YardstickSystem, ...]
    spans: SpanLengths
    columns: tuple[str, ...] = ()
    published: Published | None = None


def read_experiment(path: Path) -> Experiment:
    """The experiment in a YAML file.

    Raises:
        InputError: naming the file, the key and the remedy, if anything is missing, unknown,
            of the wrong kind or out of range.
    """
    top_level = Keys.of_file(path)
    top_level.only("name", "description", "baseline", "systems", "spans", "columns", "published")
    name = top_level.name("name")
    description = top_level.text("description", default="")
    baseline = top_level.name("baseline")
    listed = top_level.list("systems")
    systems = tuple(
        _system(Keys(f"{path}: systems[{number}]", one)) for number, one in enumerate(listed)
    )
    spans = _span_lengths(top_level)
    names = [system.name for system in systems]
    for one in names:
        if names.count(one) > 1:
            raise InputError(f"{path}: systems: two are called '{one}'; give each its own name")
    if baseline not in names:
        known = ", ".join(names)
        raise InputError(f"{path}: baseline: no system '{baseline}'; choose from: {known}")
    columns = _columns(top_level)
    published = None
    if "published" in top_level:
        if not columns:
            raise top_level.error("columns", "missing; name the measures that the figures are of")
        published = read_published(top_level.below("published"), columns, names)
    return Experiment(name, description, baseline, systems, spans, columns, published)


def _system(keys: Keys) -> SearchSystem | YardstickSystem:
    if "yardstick" in keys:
        keys.only("name", "yardstick", "top")
        name, yardstick = keys.name("name"), keys.choice("yardstick", *YARDSTICKS)
        return YardstickSystem(name, yardstick, keys.number("top", TOP))
    keys.only("name", "model", "reformulation", "top", "depth", "merge", "options")
    top = keys.number("top", TOP)
    return SearchSystem(
        name=keys.name("name"),
        model=keys.known("model", models),
        reformulation=_composition(keys),
        top=top,
        depth=keys.number("depth", top, least=top) if "depth" in keys else None,
        merge=keys.take("merge", bool, "true or false", True),
        own_options=read_own_options(keys.below("options")),
    )


def _composition(keys: Keys) -> str:
    name = keys.text("reformulation")
    try:
        return parse(name).name
    except CitespanError as error:
        raise keys.error("reformulation", str(error)) from error


def _columns(top_level: Keys) -> tuple[str, ...]:
    if "columns" not in top_level:
        return ()
    columns = tuple(str(name) for name in top_level.list("columns"))
    try:
        return tuple(measures[name].name for name in columns)
    except UnknownNameError as error:
        raise top_level.error("columns", str(error)) from error


def _span_lengths(top_level: Keys) -> SpanLengths:
    default = SpanLengths()
    keys = top_level.below("spans", "shortest", "longest")
    shortest = keys.number("shortest", default.shortest)
    longest = keys.number("longest", default.longest)
    try:
        return SpanLengths(shortest, longest)
    except InputError as error:
        raise InputError(f"{keys.place}: {error}") from error

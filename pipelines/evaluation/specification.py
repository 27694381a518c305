"""An experiment as its YAML file states it; `experiments/models.yml` is one to copy."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import (
    AfterValidator,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    TypeAdapter,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.dataclasses import dataclass
from pydantic_core import PydanticKnownError

from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.published import KNOWN, Published, PublishedTable
from citespan.pipelines.evaluation.sentence_bm25 import SentenceBM25
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.ranking.features.families import find_family
from citespan.pipelines.ranking.ranker import DEFAULT, NONE, OUT_OF_FOLD, Ranker, find_ranker
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.reformulation import parse
from citespan.pipelines.requests import Search
from citespan.pipelines.retrieval.idf import IdfSource
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.request import TOP
from citespan.pipelines.settings import read_settings
from citespan.pipelines.validation import (
    KnownKeys,
    Name,
    Text,
    convert_errors,
    name_in,
    one_of,
    quote,
    required,
    validate,
)
from citespan.pipelines.yaml_file import read_yaml

YARDSTICKS = (SentenceBM25.name,)

_SystemOptions = Annotated[
    dict[str, Any],
    PlainValidator(lambda content: convert_errors(lambda: read_settings(Options, content))),
]
"""Fields of `Options`, by name, those that are set; paths are taken as they stand."""

_Count = Annotated[StrictInt, Field(ge=1)]
_Composition = Annotated[
    Text, AfterValidator(lambda name: convert_errors(lambda: parse(name).name))
]


@dataclass(frozen=True)
class _Lengths(KnownKeys):
    shortest: _Count = SpanLengths().shortest
    longest: _Count = SpanLengths().longest


def _span_lengths(content: object) -> SpanLengths:
    if isinstance(content, SpanLengths):
        return content
    lengths: _Lengths = TypeAdapter(_Lengths).validate_python({} if content is None else content)
    return convert_errors(lambda: SpanLengths(lengths.shortest, lengths.longest))


def _ranker(written: object) -> str | Ranker:
    if isinstance(written, str):
        written = " ".join(written.split())
        if written != OUT_OF_FOLD:
            convert_errors(lambda: find_ranker(written, OUT_OF_FOLD))
    elif not callable(getattr(written, "rank", None)):
        raise ValueError(f"{quote(written)} is not a text")
    return cast(str | Ranker, written)


def _family(name: str) -> str:
    return convert_errors(lambda: find_family(name).name)


@dataclass(frozen=True, config={"validate_by_name": True})
class SearchSystem(KnownKeys):
    """A system that searches articles.

    Attributes:
        reformulation: a composition, such as "np+umls-expand".
        top: how many spans it returns.
        depth: how many spans are merged; None for as few as leave enough of them.
        merge: whether spans inside others are merged into these (paper A, section 2.4).
        spans: how long the retrieved spans are.
        ranker: what selects passages among candidate sentences, by its name or, from Python, the
            ranker itself; "none" for paper A's method, to which `merge` and `spans` belong;
            "out-of-fold" for one that is trained on the other folds of the collection. `depth` is
            then how many sentences are ranked.
        without: families of features that an "out-of-fold" ranker is trained without.
        idf: the collection whose document frequencies the model uses (see `retrieval.idf`).
        system_options: fields of the reformulation's options that this system sets for itself.
    """

    name: Name = required()
    model: Annotated[Text, name_in(models)] = required()
    reformulation: _Composition = required()
    top: _Count = TOP
    depth: StrictInt | None = None
    merge: StrictBool = True
    spans: Annotated[SpanLengths, PlainValidator(_span_lengths)] = SpanLengths()
    ranker: Annotated[str | Ranker, PlainValidator(_ranker)] = NONE
    without: tuple[Annotated[Text, AfterValidator(_family)], ...] = ()
    idf: IdfSource = "article"
    system_options: _SystemOptions = Field(default={}, validation_alias="options")

    @field_validator("depth")
    @classmethod
    def _enough_for_top(cls, depth: int | None, info: ValidationInfo) -> int | None:
        top = info.data.get("top", 1)
        if depth is not None and depth < top:
            raise PydanticKnownError("greater_than_equal", {"ge": top})
        return depth

    def options(self, given: Options) -> Options:
        """Return the options given for all systems with those that this one sets."""
        return replace(given, **self.system_options)

    def make_search(self, given: Options) -> Search:
        """Return how it searches, with the default ranker in place of those out of folds.

        Args:
            given: the options for all systems.
        """
        plain = self.ranker == NONE
        return Search(
            ranker=DEFAULT if self.ranker == OUT_OF_FOLD else self.ranker,
            reformulation=self.reformulation,
            model=self.model,
            top=self.top,
            depth=self.depth,
            merge=self.merge or not plain,
            shortest=self.spans.shortest if plain else None,
            longest=self.spans.longest if plain else None,
            idf=self.idf,
            options=self.options(given),
        )


@dataclass(frozen=True)
class YardstickSystem(KnownKeys):
    """A system that needs no index.

    Attributes:
        top: how many sentences it returns.
        stem: whether it reduces words to the terms that are indexed.
    """

    name: Name = required()
    yardstick: Annotated[Text, one_of(YARDSTICKS)] = required()
    top: _Count = TOP
    stem: StrictBool = False


def _system(content: object) -> SearchSystem | YardstickSystem:
    if isinstance(content, SearchSystem | YardstickSystem):
        return content
    yardstick = isinstance(content, Mapping) and "yardstick" in content
    kind: Any = YardstickSystem if yardstick else SearchSystem
    system: SearchSystem | YardstickSystem = TypeAdapter(kind).validate_python(content)
    return system


_System = Annotated[SearchSystem | YardstickSystem, PlainValidator(_system)]


@dataclass(frozen=True)
class Experiment(KnownKeys):
    """Systems to be compared on a collection, in the order of the table.

    Attributes:
        baseline: the name of the system that the others are tested against.
        columns: the measures of its table, each with the difference to the baseline; none for
            the table that every experiment has.
        published: figures to stand beside these columns.
        seed: of the bootstrap and of the randomisation tests.
    """

    name: Name = required()
    description: Text = ""
    baseline: Name = required()
    systems: Annotated[tuple[_System, ...], Field(min_length=1)] = required()
    columns: Annotated[tuple[Text, ...], Field(min_length=1), name_in(measures)] = ()
    published: Published | None = None
    seed: Annotated[StrictInt, Field(ge=0)] = 0

    @field_validator("published", mode="plain")
    @classmethod
    def _of_columns_and_systems(cls, content: object, info: ValidationInfo) -> Published | None:
        """Read the table that the file has into figures by system and measure."""
        if content is None or isinstance(content, Published):
            return content
        table: PublishedTable = TypeAdapter(PublishedTable).validate_python(content)
        columns, systems = info.data.get("columns", ()), info.data.get("systems", ())
        if not columns:
            return Published(table.source, KNOWN[table.collection], {})
        return table.arrange(columns, [system.name for system in systems])

    @model_validator(mode="after")
    def _names_agree(self) -> "Experiment":
        names = [system.name for system in self.systems]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"systems: two are called '{name}'; give each its own name")
        if self.baseline not in names:
            known = ", ".join(names)
            raise ValueError(f"baseline: no system '{self.baseline}'; choose from: {known}")
        if self.published and not self.columns:
            raise ValueError("columns: missing; name the measures that the figures are of")
        return self


def make_experiment(systems: Sequence[object], baseline: str | None, **keys: object) -> Experiment:
    """Make an experiment of systems that are written as in YAML, but with defaults.

    Args:
        systems: mappings or systems. A mapping without `model` has "vsm", one without
            `reformulation` has "baseline", and one without `name` is called after its yardstick,
            or its model, reformulation and ranker as far as they are given.
        baseline: the name of one; None for the first.
        keys: further ones of the experiment.

    Raises:
        InputError: naming the key and the remedy of the first mistake.
    """
    whole = [_complete(system) if isinstance(system, Mapping) else system for system in systems]
    if not whole:
        raise InputError("comparison: systems: empty; give at least one")
    if baseline is None:
        first = whole[0]
        baseline = first["name"] if isinstance(first, Mapping) else getattr(first, "name", None)
    return validate(Experiment, {"systems": whole, "baseline": baseline, **keys}, "comparison")


def _complete(system: Mapping[str, object]) -> Mapping[str, object]:
    if "yardstick" in system:
        return {"name": system["yardstick"], **system}
    named = [system[key] for key in ("model", "reformulation", "ranker") if key in system]
    name = "-".join(str(getattr(part, "name", part)).replace("/", "-") for part in named)
    return {"name": name or "vsm", "model": "vsm", "reformulation": "baseline", **system}


def read_experiment(path: Path) -> Experiment:
    """Read the experiment in a YAML file.

    Raises:
        InputError: naming the file, the key and the remedy, if anything is missing, unknown,
            of the wrong kind or out of range.
    """
    return validate(Experiment, read_yaml(path), str(path))

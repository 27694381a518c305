"""An experiment as its YAML file states it; `experiments/models.yml` is one to copy."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from citespan.pipelines.errors import InputError, UnknownNameError
from citespan.pipelines.evaluation.sentence_bm25 import SentenceBM25
from citespan.pipelines.indexing.windows import SpanLengths
from citespan.pipelines.reformulation.reformulation import reformulations
from citespan.pipelines.registry import Registry
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.search import TOP

YARDSTICKS = (SentenceBM25.name,)
# System names become parts of file names and the tag of TREC runs.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


@dataclass(frozen=True, slots=True)
class SearchSystem:
    """A system that searches the span indices.

    Attributes:
        top: how many spans it returns.
        depth: how many spans are merged; None for as few as leave enough of them.
        merge: whether spans inside others are merged into these (paper A, section 2.4).
    """

    name: str
    model: str
    reformulation: str
    top: int
    depth: int | None
    merge: bool


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
    """

    name: str
    description: str
    baseline: str
    systems: tuple[SearchSystem | YardstickSystem, ...]
    spans: SpanLengths


def read_experiment(path: Path) -> Experiment:
    """The experiment in a YAML file.

    Raises:
        InputError: naming the file, the key and the remedy, if anything is missing, unknown,
            of the wrong kind or out of range.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: can't be read ({error.strerror}); check the path") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date that is none
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or error
        raise InputError(f"{path}{line}: {problem}; correct the YAML") from error
    top_level = _Keys(str(path), content)
    top_level.only("name", "description", "baseline", "systems", "spans")
    name = top_level.name("name")
    description = top_level.text("description", default="")
    baseline = top_level.name("baseline")
    listed = top_level.list("systems")
    systems = tuple(
        _system(_Keys(f"{path}: systems[{number}]", one)) for number, one in enumerate(listed)
    )
    spans = _span_lengths(top_level)
    names = [system.name for system in systems]
    for one in names:
        if names.count(one) > 1:
            raise InputError(f"{path}: systems: two are called '{one}'; give each its own name")
    if baseline not in names:
        known = ", ".join(names)
        raise InputError(f"{path}: baseline: no system '{baseline}'; choose from: {known}")
    return Experiment(name, description, baseline, systems, spans)


class _Keys:
    """The keys of one mapping, with messages that say where it stands."""

    def __init__(self, place: str, content: object) -> None:
        if not isinstance(content, Mapping):
            raise InputError(f"{place}: not a mapping; write it as 'key: value'")
        self.place = place
        self._content = content

    def only(self, *known: str) -> None:
        """Refuse any other key; to be called first, since a key that is missing may be one
        that is misspelt."""
        for key in self._content:
            if key not in known:
                raise self.error(str(key), f"unknown key; choose from: {', '.join(known)}")

    def take(self, key: str, kind: type, wanted: str, default: object = None) -> Any:
        """The value of a key, of exactly that type (True is no number here)."""
        value = self._content.get(key, default)
        if value is None:
            raise self.error(key, f"missing; give {wanted}")
        if type(value) is not kind:
            raise self.error(key, f"{value!r} is not {wanted}")
        return value

    def __contains__(self, key: str) -> bool:
        return key in self._content

    def error(self, key: str, what: str) -> InputError:
        return InputError(f"{self.place}: {key}: {what}")

    def text(self, key: str, default: str | None = None) -> str:
        text: str = self.take(key, str, "a text", default)
        return " ".join(text.split())

    def name(self, key: str) -> str:
        name: str = self.take(key, str, "a name")
        if not _NAME.fullmatch(name):
            raise self.error(
                key, f"'{name}' is not a name; use letters, digits, '.', '_', '+' and '-'"
            )
        return name

    def number(self, key: str, default: int, least: int = 1) -> int:
        number: int = self.take(key, int, "a whole number", default)
        if number < least:
            raise self.error(key, f"{number} is too small; give {least} or more")
        return number

    def list(self, key: str) -> list[object]:
        value: list[object] = self.take(key, list, "a list")
        if not value:
            raise self.error(key, "empty; give at least one")
        return value

    def known(self, key: str, registry: Registry[Any]) -> str:
        name = self.text(key)
        try:
            return str(registry[name].name)
        except UnknownNameError as error:
            raise self.error(key, str(error)) from error


def _system(keys: _Keys) -> SearchSystem | YardstickSystem:
    if "yardstick" in keys:
        keys.only("name", "yardstick", "top")
        name, yardstick = keys.name("name"), keys.text("yardstick")
        if yardstick not in YARDSTICKS:
            known = ", ".join(YARDSTICKS)
            raise keys.error("yardstick", f"unknown '{yardstick}'; choose from: {known}")
        return YardstickSystem(name, yardstick, keys.number("top", TOP))
    keys.only("name", "model", "reformulation", "top", "depth", "merge")
    top = keys.number("top", TOP)
    return SearchSystem(
        name=keys.name("name"),
        model=keys.known("model", models),
        reformulation=keys.known("reformulation", reformulations),
        top=top,
        depth=keys.number("depth", top, least=top) if "depth" in keys else None,
        merge=keys.take("merge", bool, "true or false", True),
    )


def _span_lengths(top_level: _Keys) -> SpanLengths:
    default = SpanLengths()
    keys = _Keys(f"{top_level.place}: spans", top_level.take("spans", dict, "a mapping", {}))
    keys.only("shortest", "longest")
    shortest = keys.number("shortest", default.shortest)
    longest = keys.number("longest", default.longest)
    try:
        return SpanLengths(shortest, longest)
    except InputError as error:
        raise InputError(f"{keys.place}: {error}") from error

"""Named things that a file adds by being there: readers, models, reformulations, measures.

A built-in is one module in the registry's package; another distribution adds its own through
an entry point of the registry's group, which names the class or its module. Either way nothing
else has to be edited. A plug-in that can't be loaded is reported and left out.
"""

import importlib
import inspect
import logging
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, distribution, distributions
from itertools import chain
from threading import RLock
from types import ModuleType
from typing import Any, Generic, Protocol, TypeVar

from citespan.pipelines.errors import UnknownNameError

_LOG = logging.getLogger("citespan")


class Named(Protocol):
    """Anything with a name to be registered under."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point of another distribution.

    Attributes:
        kind: of the registry, such as "model".
        name: of the entry point.
        distribution: its name and version, such as "my-models 1.2".
        problem: why it was left out, in one line; "" if it was loaded.
    """

    kind: str
    name: str
    distribution: str
    problem: str = ""


T = TypeVar("T", bound=Named)
C = TypeVar("C", bound=Callable[[], Named])


class Registry(Generic[T]):
    """The things of one kind, by name.

    Args:
        kind: what one of them is called in messages, such as "reader".
        package: the package whose modules register the built-in ones when imported.
        group: the entry-point group under which other distributions add theirs.
        protocol: the class whose members each of them has.
    """

    def __init__(self, kind: str, package: str, group: str, protocol: Any = Named) -> None:
        self.kind = kind
        self._package = package
        self.group = group
        self._members = _public_members(protocol)
        self._things: dict[str, T] = {}
        self._plugins: list[Plugin] = []
        self._lock = RLock()
        self._loading = self._loaded = False

    def register(self, cls: C) -> C:
        """Class decorator: register one instance under its name.

        Raises:
            TypeError: if it lacks a member of the registry's protocol.
            ValueError: if the name is taken.
        """
        self.add(cls())  # type: ignore[arg-type]
        return cls

    def add(self, thing: T) -> None:
        """Register `thing` under its name.

        Raises:
            TypeError: if it lacks a member of the registry's protocol.
            ValueError: if the name is taken.
        """
        if missing := sorted(self._members.difference(dir(thing))):
            raise TypeError(f"{type(thing).__name__} is no {self.kind}: no {', '.join(missing)}")
        if thing.name in self._things:
            raise ValueError(f"two {self.kind}s are called '{thing.name}'")
        self._things[thing.name] = thing

    def _load(self) -> None:
        """Import all modules of the package once; other threads wait until that is done."""
        if self._loaded:
            return
        with self._lock:
            if self._loading:  # a module that is being imported asks for a name
                return
            self._loading = True
            package = importlib.import_module(self._package)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{self._package}.{module.name}")
            for entry_point in _entry_points().select(group=self.group):
                self._plugins.append(self._load_plugin(entry_point))
            self._loaded = True

    def _load_plugin(self, entry_point: EntryPoint) -> Plugin:
        """Load what an entry point names; where that fails, keep nothing of it and warn."""
        source = entry_point.dist
        distribution = f"{source.name} {source.version}" if source else "an unknown distribution"
        plugin = Plugin(self.kind, entry_point.name, distribution)
        before = dict(self._things)
        try:
            loaded = entry_point.load()
            added = isinstance(loaded, ModuleType) and len(self._things) > len(before)
            if not added and not any(_comes_from(thing, loaded) for thing in self._things.values()):
                raise TypeError(f"{entry_point.value} registers no {self.kind}")
        except (Exception, SystemExit) as error:  # noqa: BLE001  anything may be in there
            self._things = before
            problem = " ".join(f"{type(error).__name__}: {error}".split())
            _LOG.warning(
                "the %s '%s' of %s is left out: %s", self.kind, plugin.name, distribution, problem
            )
            return replace(plugin, problem=problem)
        return plugin

    def plugins(self) -> list[Plugin]:
        """Return the entry points of other distributions, those left out too."""
        self._load()
        return list(self._plugins)

    def names(self) -> list[str]:
        """Return all names, sorted."""
        self._load()
        return sorted(self._things)

    def find(self, wanted: Callable[[T], bool]) -> T:
        """Return the first thing that is wanted; built-in ones come before those of plug-ins."""
        self._load()
        return next(filter(wanted, self._things.values()))

    def __iter__(self) -> Iterator[T]:
        for name in self.names():
            yield self._things[name]

    def __getitem__(self, name: str) -> T:
        """Return the thing of that name.

        Raises:
            UnknownNameError: naming those there are.
        """
        self._load()
        if name not in self._things:
            raise UnknownNameError(self.kind, name, self.names())
        return self._things[name]


@cache
def _entry_points() -> EntryPoints:
    """Return the entry points of the distributions of this environment that name citespan. Those of
    all others are not parsed, which would take longer than finding these."""
    names = dict.fromkeys(
        each.name
        for each in distributions()
        if "citespan." in (each.read_text("entry_points.txt") or "")
    )
    return EntryPoints(chain.from_iterable(distribution(name).entry_points for name in names))


def _public_members(protocol: type) -> frozenset[str]:
    classes = [cls for cls in protocol.__mro__ if cls not in (Protocol, Generic, object)]
    names = (name for cls in classes for name in (*inspect.get_annotations(cls), *vars(cls)))
    return frozenset(name for name in names if not name.startswith("_"))


def _comes_from(thing: object, loaded: object) -> bool:
    """Whether a registered thing is of the class, or from the module, that was loaded."""
    if isinstance(loaded, ModuleType):
        return type(thing).__module__ == loaded.__name__
    return thing is loaded or type(thing) is loaded

"""Named things that a file adds by being there: readers, models, reformulations, measures.

A built-in is one module in the registry's package; another distribution adds its own through
an entry point of the registry's group. Either way nothing else has to be edited.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Generic, Protocol, TypeVar

from citespan.pipelines.errors import UnknownNameError


class Named(Protocol):
    """Anything with a name to be registered under."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)
C = TypeVar("C", bound=Callable[[], Named])


class Registry(Generic[T]):
    """The things of one kind, by name.

    Args:
        kind: what one of them is called in messages, such as "reader".
        package: the package whose modules register the built-in ones when imported.
        group: the entry-point group under which other distributions add theirs.
    """

    def __init__(self, kind: str, package: str, group: str) -> None:
        self.kind = kind
        self._package = package
        self._group = group
        self._things: dict[str, T] = {}
        self._loaded = False

    def register(self, cls: C) -> C:
        """Class decorator: make one instance known under its name.

        Raises:
            ValueError: if the name is taken.
        """
        self.add(cls())  # type: ignore[arg-type]
        return cls

    def add(self, thing: T) -> None:
        """Make `thing` known; a ValueError if its name is taken."""
        if thing.name in self._things:
            raise ValueError(f"two {self.kind}s are called '{thing.name}'")
        self._things[thing.name] = thing

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{self._package}.{module.name}")
        for entry_point in entry_points(group=self._group):
            entry_point.load()

    def names(self) -> list[str]:
        """All names, sorted."""
        self._load()
        return sorted(self._things)

    def __iter__(self) -> Iterator[T]:
        for name in self.names():
            yield self._things[name]

    def __getitem__(self, name: str) -> T:
        """The thing of that name.

        Raises:
            UnknownNameError: naming those there are.
        """
        self._load()
        if name not in self._things:
            raise UnknownNameError(self.kind, name, self.names())
        return self._things[name]

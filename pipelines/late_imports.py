"""Parts of libraries that are imported when they are used, for commands that run for a second.

Elasticsearch's client imports every HTTP library that it finds installed, of which citespan uses
one; a module for each of forty parts of the server's interface, of which a command uses a few; and
an asynchronous half, which citespan does not use. Typer imports what shows Markdown and tracebacks
together with help. NumPy imports linear algebra, and the modules of citespan import NumPy's types.
All that takes a third of the time of a search, or half of the time of a help.
"""

import sys
from collections.abc import MutableSequence, Sequence
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, ClassVar

_INTERFACES = "elasticsearch._sync.client."
_IMPORTED_AT_ONCE = frozenset({f"{_INTERFACES}_base", f"{_INTERFACES}utils"})
_LATE = (
    _INTERFACES,
    "elastic_transport._async_transport",
    "elastic_transport._node._http_aiohttp",
    "elastic_transport._node._http_httpx",
    "elastic_transport._node._http_requests",
    "elasticsearch._async.",
    "elasticsearch.dsl._async.",
)
_LATE_MODULES = frozenset({"numpy.typing", "rich.markdown", "rich.traceback"})
_LINEAR_ALGEBRA = "numpy.linalg"
# NumPy imports these from there while it is imported itself.
_LATE_FUNCTIONS = frozenset({"eigvals", "inv", "lstsq", "matrix_power"})


def delay_imports() -> None:
    """From now on, import these parts of libraries when they are used."""
    sys.meta_path.insert(0, _Finder)


class _Finder:
    """Finds a stand-in for each module that is imported late."""

    _used: ClassVar[list[str]] = []

    @classmethod
    def find_spec(
        cls,
        name: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,  # noqa: ARG003  the finder's interface
    ) -> ModuleSpec | None:
        """Find a stand-in, or leave the module to the finders after this one."""
        if name == _LINEAR_ALGEBRA and name not in cls._used:
            folders = [f"{folder}/{name.rpartition('.')[2]}" for folder in path or ()]
            return ModuleSpec(name, _PackageLoader(folders))  # type: ignore[arg-type]
        late = name in _LATE_MODULES or name.startswith(_LATE)
        if not late or name in _IMPORTED_AT_ONCE:
            return None
        if any(f"{name}.".startswith(f"{used}.") for used in cls._used):
            return None
        return ModuleSpec(name, _Loader())  # type: ignore[arg-type]  # Loader's import is slow

    @classmethod
    def import_module(cls, name: str) -> ModuleType:
        """Import a module in place of its stand-in."""
        if name not in cls._used:
            cls._used.append(name)
            sys.modules.pop(name, None)
        return import_module(name)


class _Loader:
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module is complete."""


class _PackageLoader:
    def __init__(self, folders: list[str]) -> None:
        self._folders = folders

    def create_module(self, spec: ModuleSpec) -> None:
        """Let Python make the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Make it a package that is imported when it is used."""
        module.__class__ = _Package
        module.__path__ = self._folders  # functions are taken from it without using them


class _Package(ModuleType):
    """A package that is imported when anything of it is used, or a module within it imported."""

    def __getattr__(self, name: str) -> Any:
        if name in ("__file__", "__wrapped__"):  # asked for by what looks through all modules
            raise AttributeError(name)
        if name in _LATE_FUNCTIONS:
            return partial(_call, name)
        return getattr(_Finder.import_module(self.__name__), name)


def _call(name: str, *arguments: Any, **settings: Any) -> Any:
    """Call a function of linear algebra."""
    return getattr(_Finder.import_module(_LINEAR_ALGEBRA), name)(*arguments, **settings)


class _StandIn(ModuleType):
    """A module whose classes import the module itself when an object of them is used."""

    __path__: MutableSequence[str] = []  # noqa: RUF012  a package without modules

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        kind = _Interface if self.__name__.startswith(_INTERFACES) else _Class
        return type(name, (kind,), {"_module": self.__name__})


class _Class:
    """A class that makes objects of the class of the same name."""

    _module: ClassVar[str]

    def __new__(cls, *arguments: Any, **settings: Any) -> Any:
        return getattr(_Finder.import_module(cls._module), cls.__name__)(*arguments, **settings)

    def __class_getitem__(cls, _: Any) -> type["_Class"]:
        """Return the class itself, as a type with a parameter that nothing checks at run time."""
        return cls


class _Interface:
    """A part of the server's interface, such as `client.indices`: each client makes all of them."""

    _module: ClassVar[str]

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        cls = getattr(_Finder.import_module(self._module), type(self).__name__)
        return getattr(cls(self._client), name)

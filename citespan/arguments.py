"""Arguments of the public functions, checked before any work: one line says what is wrong."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from citespan.pipelines.errors import InputError, UnknownNameError

P = ParamSpec("P")
R = TypeVar("R")

_PLAIN = (str, bytes, int, float, complex, list, tuple, dict, set)
_CALLED: Mapping[Any, str] = {
    str: "a text",
    Path: "a path",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    NoneType: "None",
}

_PLAIN_CHECKS: Mapping[Any, Callable[[Any], bool]] = {
    str: lambda value: isinstance(value, str),
    Path: lambda value: isinstance(value, Path),
    NoneType: lambda value: value is None,
    bool: lambda value: isinstance(value, bool),
    # numbers of NumPy's are numbers too
    int: lambda value: hasattr(value, "__index__") and not isinstance(value, bool),
    float: lambda value: hasattr(value, "__float__") and not isinstance(value, bool),
}


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function raise an InputError for arguments that it does not have, or whose values are
    of another type than it says; keywords in `**settings` are those of their `TypedDict`."""
    signature = inspect.signature(function)

    @wraps(function)
    def call(*arguments: P.args, **keywords: P.kwargs) -> R:
        try:
            bound = signature.bind(*arguments, **keywords)
        except TypeError as error:
            raise InputError(f"citespan.{function.__name__}: {error}") from None
        for name, value in bound.arguments.items():
            parameter = signature.parameters[name]
            if parameter.kind is parameter.VAR_KEYWORD:
                own = [other for other in signature.parameters if other != name]
                _check_keywords(function.__name__, own, parameter.annotation, value)
                continue
            values = value if parameter.kind is parameter.VAR_POSITIONAL else [value]
            for given in values:
                _check(name, given, parameter.annotation)
        return function(*arguments, **keywords)

    return call


def _check_keywords(
    function: str, others: Sequence[str], annotation: Any, keywords: Mapping[str, Any]
) -> None:
    hints = _read_hints(get_args(annotation)[0])
    for name, value in keywords.items():
        if name not in hints:
            raise UnknownNameError(f"argument of citespan.{function}", name, [*others, *hints])
        _check(name, value, hints[name])


_read_hints = cache(get_type_hints)


def _check(name: str, value: object, hint: Any) -> None:
    if not _fits(value, hint):
        shown = repr(value)
        shown = shown if len(shown) <= 60 else f"{shown[:59]}…"
        raise InputError(f"{name}={shown}: give {_describe(hint)}")


def _fits(value: Any, hint: Any) -> bool:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _fits(value, parts[0])
    if origin in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is Literal:
        return value in parts
    if hint in _PLAIN_CHECKS:
        return _PLAIN_CHECKS[hint](value)
    if inspect.isclass(origin) and issubclass(origin, Mapping | Sequence):
        whole = isinstance(value, origin) and not isinstance(value, str | bytes)
        return whole and (origin is dict or all(_fits(part, parts[0]) for part in value))
    if parts:
        return callable(value)
    # Of other classes, whatever has their methods will do; a text or a number has not.
    return not (inspect.isclass(hint) and isinstance(value, (*_PLAIN, NoneType)))


def _describe(hint: Any) -> str:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _describe(parts[0])
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_describe, parts)))
    if origin is Literal:
        return " or ".join(repr(part) for part in parts)
    if hint in _CALLED:
        return _CALLED[hint]
    if inspect.isclass(origin) and issubclass(origin, Sequence):
        return f"a list, each of it {_describe(parts[0])}"
    if parts:
        return (
            "a mapping" if inspect.isclass(origin) and issubclass(origin, Mapping) else "a function"
        )
    return f"a {getattr(hint, '__name__', hint)}"

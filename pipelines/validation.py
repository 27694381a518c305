"""What users wrote, checked by pydantic; a mistake is one line with place, key and remedy."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StrictStr,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.dataclasses import dataclass
from pydantic_core import ErrorDetails

from citespan.pipelines.errors import InputError, UnknownNameError
from citespan.pipelines.registry import Registry

T = TypeVar("T")

_LONGEST_SHOWN = 80
_WANTED = {
    "string_type": "a text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "dataclass_type": "a mapping",
}


def validate(kind: type[T], content: object, place: str) -> T:
    """Make a `kind` of content that a file holds.

    Raises:
        InputError: naming place, key and remedy of the first mistake.
    """
    try:
        return TypeAdapter(kind).validate_python(content)
    except ValidationError as error:
        raise InputError(f"{place}: {_first_mistake(error)}") from error


def validate_json(
    adapter: TypeAdapter[T], data: bytes, place: str, expected: str, remedy: str
) -> T:
    """Make what an adapter describes of JSON.

    Args:
        expected: what the data should have been, as in "a line of spans".

    Raises:
        InputError: naming place, key and remedy of the first mistake.
    """
    try:
        return adapter.validate_json(data)
    except ValidationError as error:
        mistake = _first_mistake(error)
        if not mistake.startswith("not JSON"):
            mistake = f"not {expected} ({mistake})"
        raise InputError(f"{place}: {mistake}; {remedy}") from error


def quote(value: object) -> str:
    """Quote a value, shortened where it is long."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _first_mistake(error: ValidationError) -> str:
    """Say in one line where the first mistake is, and what."""
    mistake = error.errors(include_url=False)[0]
    where = ""
    for part in mistake["loc"]:
        where += f"[{part}]" if isinstance(part, int) else f"{': ' if where else ''}{part}"
    reason = _explain(mistake)
    return " ".join((f"{where}: {reason}" if where else reason).split())


def _explain(mistake: ErrorDetails) -> str:
    kind, value, context = mistake["type"], mistake["input"], mistake.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    if kind == "dataclass_type" and not (mistake["loc"] and isinstance(mistake["loc"][-1], str)):
        return "not a mapping; write it as 'key: value'"
    if kind in _WANTED:
        wanted = _WANTED[kind]
        return f"missing; give {wanted}" if value is None else f"{quote(value)} is not {wanted}"
    if kind == "missing":
        return kind
    if kind == "greater_than_equal":
        return f"{value} is too small; give {context['ge']} or more"
    if kind == "literal_error":
        known = ", ".join(re.findall(r"'([^']*)'", context["expected"]))
        return f"unknown {quote(value)}; choose from: {known}"
    if kind == "too_short":
        return "empty; give at least one"
    if kind == "json_invalid":
        return f"not JSON ({context['error']})"
    return mistake["msg"][:1].lower() + mistake["msg"][1:]


def required() -> Any:
    """Declare a key that has to be there.

    It may be given as None only, which no type allows: so a key that is absent, or has nothing
    after its colon, is reported as missing together with what is wanted.
    """
    return Field(default=None, validate_default=True)


@dataclass(frozen=True)
class KnownKeys:
    """A mapping whose keys are the fields of the dataclass that extends this, and no others.

    Unknown keys are reported before anything else, since a key that is missing may be one that
    is misspelt.
    """

    @model_validator(mode="before")
    @classmethod
    def _only_known(cls, content: object) -> object:
        if isinstance(content, Mapping):
            fields = cls.__pydantic_fields__.items()  # type: ignore[attr-defined]
            check_keys(content, [str(field.validation_alias or name) for name, field in fields])
        return content


def check_keys(content: Iterable[object], known: Iterable[str], place: str = "") -> None:
    """Raise a ValueError for the first key, of those in `place`, that isn't known."""
    known = list(known)
    for key in content:
        if key not in known:
            name = str(key)[:_LONGEST_SHOWN]
            where = f"{place}: {name}" if place else name
            raise ValueError(f"{where}: unknown key; choose from: {', '.join(known)}")


def one_of(known: Iterable[str]) -> AfterValidator:
    """Allow a text that is one of these, or a list of such texts."""
    known = list(known)

    def check(text: str) -> None:
        if text not in known:
            raise ValueError(f"unknown {quote(text)}; choose from: {', '.join(known)}")

    return _check_each(check)


def name_in(registry: Registry[Any]) -> AfterValidator:
    """Allow the name of one of a registry's things, or a list of such names."""
    return _check_each(lambda name: convert_errors(lambda: registry[name]))


def _check_each(check: Callable[[str], object]) -> AfterValidator:
    def check_all(value: str | Iterable[str]) -> str | Iterable[str]:
        for text in [value] if isinstance(value, str) else value:
            check(text)
        return value

    return AfterValidator(check_all)


def convert_errors(make: Callable[[], T]) -> T:
    """Call a function of ours inside a validator, where pydantic expects a ValueError."""
    try:
        return make()
    except (InputError, UnknownNameError) as error:
        raise ValueError(str(error)) from error


def _name(value: object) -> object:
    if value is None:
        raise ValueError("missing; give a name")
    if not isinstance(value, str):
        raise ValueError(f"{quote(value)} is not a name")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]*", value):
        raise ValueError(
            f"{quote(value)} is not a name; use letters, digits, '.', '_', '+' and '-'"
        )
    return value


Text = Annotated[StrictStr, AfterValidator(lambda text: " ".join(text.split()))]
"""A text, with white space as single spaces."""

Name = Annotated[str, BeforeValidator(_name)]
"""A text that can be part of a file's name and the tag of a TREC run."""

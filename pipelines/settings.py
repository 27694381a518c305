"""Settings described once: dataclasses whose fields say what they are, and what derives from them.

The command line (`cli/setting_options.py`) and the experiments' YAML (`read_settings`) derive from
the fields of such a dataclass: `requests.Search`, or `reformulation.options.Options`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, Protocol, get_args, get_origin, get_type_hints

from citespan.pipelines.errors import InputError


@dataclass(frozen=True, slots=True)
class About:
    """The description of an option for people.

    Attributes:
        help: one sentence; another setting in it is named as `spell_settings` reads it.
        default: what applies if the option is not given, if its value does not say so.
        environment: the environment variable that sets it too.
        least: the least number.
        names: describes what is registered under the names that may be given.
        repeated: whether the option is given once for each name, where names may have commas.
        heading: in a help text, of the options that few people need; "" for all others.
    """

    help: str
    default: str | None = None
    environment: str | None = None
    least: float | None = None
    names: Callable[[], str] = str
    repeated: bool = False
    heading: str = ""

    @property
    def whole_help(self) -> str:
        """The help with the names that may be given."""
        return f"{self.help} {self.names()}".rstrip()


class Option(NamedTuple):
    """One field of a class of settings.

    Attributes:
        kind: `str`, `int`, `float`, `bool`, `Path` or `tuple` (of names).
        choices: the only values of a `str`, if there are such.
    """

    name: str
    kind: type
    choices: tuple[str, ...]
    default: Any
    about: About


def describe_settings(settings: type[Any]) -> Mapping[str, Option]:
    """Return the described fields of a dataclass by name, in order."""
    hints = get_type_hints(settings, include_extras=True)
    described = {}
    for field in fields(settings):
        annotation, *extras = get_args(hints[field.name])[:2] or (None,)
        about = next((extra for extra in extras if isinstance(extra, About)), None)
        if about is None:
            continue
        if isinstance(annotation, UnionType):  # with None, for which `about.default` stands
            annotation = get_args(annotation)[0]
        choices = get_args(annotation) if get_origin(annotation) is Literal else ()
        kind = str if choices else get_origin(annotation) or annotation
        described[field.name] = Option(field.name, kind, choices, field.default, about)
    return described


def read_settings(settings: type[Any], content: object, place: str = "") -> dict[str, Any]:
    """Return the fields of a dataclass that a mapping of a YAML file has, by name.

    Args:
        content: what the file has there; paths are relative to the current folder.
        place: the file and the key of the mapping, for messages; none if the caller adds it.

    Raises:
        InputError: naming the place, the key and the remedy, if it is no mapping, a key is
            unknown, or its value of the wrong kind or out of range.
    """
    known = describe_settings(settings)
    prefix = f"{place}: " if place else ""
    if not isinstance(content, Mapping):
        raise InputError(f"{prefix}{content!r} is not a mapping")
    values = {}
    for key, value in content.items():
        if key not in known:
            raise InputError(f"{prefix}{key}: unknown key; choose from: {', '.join(known)}")
        try:
            values[key] = _read_value(known[key], value)
        except ValueError as error:
            raise InputError(f"{prefix}{key}: {error}") from error
    return values


class Described(Protocol):
    """Something that is registered under a name, with a description for people."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...


def describe_names(things: Iterable[Described]) -> str:
    """Return the names and descriptions of a registry's things, for a help text."""
    return "; ".join(f"{thing.name}: {thing.description}" for thing in things)


_SETTING = re.compile(r"`([a-z]\w{1,30})(?:=([^`]{1,200}))?`")


def spell_settings(text: str, spell: Callable[[str, str], str]) -> str:
    """Return a message or a help text with the settings that it names as a user writes them.

    Such texts name settings as Python does, `top` or `model=vsm`, and know no flags.

    Args:
        spell: returns how a setting is written, from its name and its value, or "" for none.
    """
    return _SETTING.sub(lambda found: spell(found[1], found[2] or ""), text)


_KINDS: dict[type, tuple[type, str]] = {
    str: (str, "a text"),
    Path: (str, "a text"),
    int: (int, "a whole number"),
    float: (float, "a number"),
    bool: (bool, "true or false"),
    tuple: (list, "a list"),
}
"""By kind of option, the type of its value in YAML, and what messages call it."""


def _read_value(option: Option, value: object) -> Any:
    written, wanted = _KINDS[option.kind]
    if value is None:
        raise ValueError(f"missing; give {wanted}")
    if option.kind in (Path, tuple) and isinstance(value, option.kind):
        return value  # set in Python
    if option.kind is float and type(value) is int:
        value = float(value)
    if type(value) is not written:  # True is no number here
        raise ValueError(f"{value!r} is not {wanted}")
    if isinstance(value, list):
        if not value:
            raise ValueError("empty; give at least one")
        return tuple(map(str, value))
    if isinstance(value, str):
        text = " ".join(value.split())
        if option.choices and text not in option.choices:
            raise ValueError(f"unknown '{text}'; choose from: {', '.join(option.choices)}")
        return option.kind(text)
    least = option.about.least
    if isinstance(value, int | float) and least is not None and not value >= least:
        raise ValueError(f"{value} is too small; give {least} or more")
    return value

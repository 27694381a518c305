"""The options of reformulations: their only description.

The command line (`cli/reformulation_options.py`) and the experiments' YAML (`read_system_options`)
derive from the fields of `Options`. A new option is a field here, and its use in a reformulation.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from citespan.pipelines.errors import InputError


@dataclass(frozen=True, slots=True)
class About:
    """The description of an option for people.

    Attributes:
        help: one sentence.
        default: what applies if the option is not given, if its value does not say so.
        flag: the option of the command line, if that is not the field's name.
        environment: the environment variable that sets it too.
        least: the least number.
    """

    help: str
    default: str | None = None
    flag: str | None = None
    environment: str | None = None
    least: float | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """The user's choices, the same for all citances."""

    vocabulary: Annotated[
        Path | None,
        About(
            "Concept store for the umls- reformulations, made by `citespan vocabulary build`.",
            environment="CITESPAN_VOCABULARY",
        ),
    ] = None
    sources: Annotated[
        tuple[str, ...] | None,
        About(
            "The vocabulary's sources that count, as in SNOMEDCT_US,MSH.",
            default="SNOMEDCT_US where the vocabulary has it, else all",
        ),
    ] = None
    semantic_types: Annotated[
        tuple[str, ...],
        About(
            "Semantic types of the concepts that count, as in T047,T191.",
            default="all",
            flag="types",
        ),
    ] = ()
    preferred: Annotated[
        bool, About("Whether a concept's preferred term counts whatever its source.")
    ] = True
    synonyms: Annotated[
        Literal["phrase", "conjunction"], About("What a synonym of several words becomes.")
    ] = "phrase"
    pipeline: Annotated[
        str,
        About("spaCy pipeline that finds noun phrases: citespan's own, a package or a folder."),
    ] = "citespan"
    background: Annotated[
        Path | None,
        About(
            "Document frequencies for keywords, prf and domain-terms, made by "
            "`citespan background build`.",
            default="60 articles of CRAFT with 500 abstracts of PubMedQA",
        ),
    ] = None
    general: Annotated[
        Path | None,
        About(
            "Document frequencies of the general corpus for domain-terms.",
            default="glosses of WordNet 3.0",
        ),
    ] = None
    least_idf: Annotated[
        float,
        About("The least idf of a word that keywords keeps, by the natural logarithm.", least=0),
    ] = 2.5
    phrase_terms: Annotated[
        int, About("How many terms a noun phrase that np keeps has at most.", least=1)
    ] = 3
    feedback_spans: Annotated[
        int, About("How many of the first spans prf takes terms from.", least=1)
    ] = 3
    feedback_terms: Annotated[int, About("How many terms prf takes.", least=1)] = 10


class Option(NamedTuple):
    """One field of `Options`.

    Attributes:
        kind: `str`, `int`, `float`, `bool`, `Path` or `tuple` (of names).
        choices: the only values of a `str`, if there are such.
    """

    name: str
    kind: type
    choices: tuple[str, ...]
    default: Any
    about: About


@cache
def describe_options() -> Mapping[str, Option]:
    """Return the fields of `Options` by name, in order."""
    hints = get_type_hints(Options, include_extras=True)
    described = {}
    for field in fields(Options):
        annotation, about = get_args(hints[field.name])
        if isinstance(annotation, UnionType):  # with None, for which `about.default` stands
            annotation = get_args(annotation)[0]
        choices = get_args(annotation) if get_origin(annotation) is Literal else ()
        kind = str if choices else get_origin(annotation) or annotation
        described[field.name] = Option(field.name, kind, choices, field.default, about)
    return described


def read_system_options(content: object, place: str = "") -> dict[str, Any]:
    """Return the fields of `Options` that a mapping of a YAML file has, by name.

    Args:
        content: what the file has there; paths are relative to the current folder.
        place: the file and the key of the mapping, for messages; none if the caller adds it.

    Raises:
        InputError: naming the place, the key and the remedy, if it is no mapping, a key is
            unknown, or its value of the wrong kind or out of range.
    """
    known = describe_options()
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

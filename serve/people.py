"""The file of the people who may ask, each with a token and with what they may do."""

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, StrictStr
from pydantic.dataclasses import dataclass

from citespan.pipelines.citations.decisions import LONGEST_NAME
from citespan.pipelines.errors import InputError
from citespan.pipelines.validation import KnownKeys, Text, convert_errors, required, validate
from citespan.pipelines.yaml_file import read_yaml
from citespan.serve.access import Person, Right, require_strong

_OTHERS = 0o007


def _require_name(name: str) -> str:
    if not name or not name.isprintable():
        raise ValueError("empty, or can't be printed; give a name")
    return name


def _require_token(token: str) -> str:
    convert_errors(lambda: require_strong(token, "it"))
    return token


@dataclass(frozen=True, repr=False)
class _Entry(KnownKeys):
    """A person as the file has them."""

    name: Annotated[Text, Field(max_length=LONGEST_NAME), AfterValidator(_require_name)] = (
        required()
    )
    token: Annotated[StrictStr, AfterValidator(_require_token)] = required()
    may: tuple[Right, ...] = ("read",)


def read_people(file: Path) -> tuple[Person, ...]:
    """Return the people of a YAML file, a list of mappings with `name`, `token` and `may`.

    Raises:
        InputError: if it can't be read, others on this machine can read it, a token is weak, or a
            name or a token is there twice.
    """
    try:
        is_open = bool(file.stat().st_mode & _OTHERS)
    except OSError as error:
        raise InputError(f"{file}: can't be read ({error.strerror}); check the path") from error
    if is_open:
        raise InputError(f"{file}: everybody on this machine can use it; run `chmod o= {file}`")
    people = validate(tuple[_Entry, ...], read_yaml(file), str(file))
    if not people:
        raise InputError(f"{file}: nobody is in it; list people with `name`, `token` and `may`")
    for key in ("name", "token"):
        if len({getattr(person, key) for person in people}) < len(people):
            raise InputError(f"{file}: two people have the same {key}; give each their own")
    return tuple(Person(person.name, person.token, person.may) for person in people)

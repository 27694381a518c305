"""Reading a mapping of a YAML file, with messages that say where it stands."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from citespan.pipelines.errors import InputError, UnknownNameError
from citespan.pipelines.registry import Registry

# Names become parts of file names and the tag of TREC runs.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


class Keys:
    """The keys of one mapping; whatever is wrong is an InputError naming place and key."""

    def __init__(self, place: str, content: object) -> None:
        if not isinstance(content, Mapping):
            raise InputError(f"{place}: not a mapping; write it as 'key: value'")
        self.place = place
        self._content = content

    @classmethod
    def of_file(cls, path: Path) -> "Keys":
        """The mapping that a YAML file holds."""
        try:
            return cls(str(path), yaml.safe_load(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise InputError(f"{path}: can't be read ({error.strerror}); check the path") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from error
        except (yaml.YAMLError, ValueError) as error:  # ValueError: a date that is none
            mark = getattr(error, "problem_mark", None)
            line = f":{mark.line + 1}" if mark else ""
            problem = getattr(error, "problem", None) or error
            raise InputError(f"{path}{line}: {problem}; correct the YAML") from error

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
        """For the caller to raise."""
        return InputError(f"{self.place}: {key}: {what}")

    def below(self, key: str, *known: str) -> "Keys":
        """The mapping under a key, empty where there is none; of `known` keys, if any are
        given."""
        keys = Keys(f"{self.place}: {key}", self.take(key, dict, "a mapping", {}))
        if known:
            keys.only(*known)
        return keys

    def names(self) -> tuple[str, ...]:
        """The keys themselves."""
        return tuple(str(key) for key in self._content)

    def text(self, key: str, default: str | None = None) -> str:
        """A text, white space as single spaces."""
        text: str = self.take(key, str, "a text", default)
        return " ".join(text.split())

    def name(self, key: str) -> str:
        """A text that can be part of a file's name."""
        name: str = self.take(key, str, "a name")
        if not _NAME.fullmatch(name):
            raise self.error(
                key, f"'{name}' is not a name; use letters, digits, '.', '_', '+' and '-'"
            )
        return name

    def number(self, key: str, default: int, least: int = 1) -> int:
        """A whole number."""
        number: int = self.take(key, int, "a whole number", default)
        if number < least:
            raise self.error(key, f"{number} is too small; give {least} or more")
        return number

    def list(self, key: str) -> list[object]:
        """A list that isn't empty."""
        value: list[object] = self.take(key, list, "a list")
        if not value:
            raise self.error(key, "empty; give at least one")
        return value

    def choice(self, key: str, *known: str) -> str:
        """A text that is one of these."""
        text = self.text(key)
        if text not in known:
            raise self.error(key, f"unknown '{text}'; choose from: {', '.join(known)}")
        return text

    def known(self, key: str, registry: Registry[Any]) -> str:
        """The name of one of a registry's things."""
        name = self.text(key)
        try:
            return str(registry[name].name)
        except UnknownNameError as error:
            raise self.error(key, str(error)) from error

"""Read and write the folders of trained models.

A folder contains a JSON head with the version of its layout, the model's card, `README.md`, and
possibly other files.
"""

import hashlib
import stat
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Generic, TypeVar, cast

import orjson

from citespan.pipelines.errors import InputError, MachineError

Model = TypeVar("Model")

CARD: Final = "README.md"
_MAX_BYTES: Final = 100 * 2**20
_UNSOUND: Final = (KeyError, TypeError, ValueError, AttributeError, OSError, EOFError, zlib.error)


@dataclass(frozen=True, slots=True)
class ModelKind(Generic[Model]):
    """A kind of model.

    Attributes:
        name: for messages, as in "a zone model".
        command: the command that trains one.
        version: the version of the layout that this citespan reads and writes.
        head: the name of the JSON file.
        shipped: the folder of the model that comes with citespan, or of several.
        parse: makes a model of its folder and its head; what is unsound in them may raise any of
            the errors of a wrong type or value.
    """

    name: str
    command: str
    version: int
    head: str
    shipped: Path
    parse: Callable[[Path, dict[str, Any]], Model]

    def load(self, folder: Path | None = None) -> Model:
        """Load the model in a folder, once; by default the one that comes with citespan.

        Raises:
            InputError: if it can't be read, was written by another version, or is damaged.
            MachineError: if a file of a shipped one is damaged.
        """
        return cast(Model, _load(self, folder or self.shipped))

    def read(self, folder: Path, file: str) -> bytes:
        """Return the content of a model's file.

        Raises:
            InputError: if it can't be read, is no file of this folder, or larger than any.
        """
        try:
            if Path(file).name != file or not stat.S_ISREG((folder / file).stat().st_mode):
                raise InputError(f"{folder / file}: not a file in the folder of a {self.name}")
            with (folder / file).open("rb") as opened:
                data = opened.read(_MAX_BYTES + 1)
            if len(data) > _MAX_BYTES:
                raise InputError(f"{folder / file}: larger than any {self.name}")
            return data
        except OSError as error:
            raise InputError(
                f"{folder}: no {self.name} ({error.strerror}: {file}); train one with "
                f"`{self.command}`"
            ) from error

    def read_checked(self, folder: Path, file: str, checksum: Any) -> bytes:
        """Return the content of a model's file if this is its SHA-256.

        Raises:
            InputError: if it can't be read, or is another; MachineError in a shipped model.
        """
        data = self.read(folder, file)
        if hashlib.sha256(data).hexdigest() != checksum:
            if self.shipped in (folder, folder.parent):
                raise MachineError(f"{folder / file}: damaged; install citespan again")
            raise InputError(
                f"{folder / file}: not the file that {self.head} names; copy or train it again"
            )
        return data

    def read_head(self, folder: Path) -> dict[str, Any]:
        """Return a model's head.

        Raises:
            InputError: if it can't be read, or was written by another version.
        """
        try:
            head = orjson.loads(self.read(folder, self.head))
        except orjson.JSONDecodeError as error:
            raise InputError(f"{folder / self.head}: not JSON; train the model again") from error
        version = head.get("version") if isinstance(head, dict) else None
        if version != self.version:
            raise InputError(
                f"{folder}: a {self.name} of version {version}, this citespan reads version "
                f"{self.version}; train it again with `{self.command}`"
            )
        return dict(head)

    def write(
        self,
        folder: Path,
        head: Mapping[str, Any],
        card: str,
        others: Mapping[str, bytes] | None = None,
    ) -> None:
        """Write a model's head, adding the version, its card and its other files.

        Raises:
            InputError: if they can't be written.
        """
        body = orjson.dumps({"version": self.version, **head}, option=orjson.OPT_INDENT_2) + b"\n"
        files = {**(others or {}), self.head: body, CARD: card.encode()}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, data in files.items():
                (folder / name).write_bytes(data)
        except OSError as error:
            raise InputError(f"{folder}: can't be written: {error.strerror}") from error


@lru_cache(maxsize=16)
def _load(kind: ModelKind[Any], folder: Path) -> object:
    head = kind.read_head(folder)
    try:
        return kind.parse(folder, head)
    except _UNSOUND as error:
        raise InputError(
            f"{folder}: a damaged {kind.name} ({error}); train it again with `{kind.command}`"
        ) from error

"""Read and write the folders of trained models.

A folder contains a JSON head with the version of its layout, the model's card, `README.md`, and
possibly other files.
"""

import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from citespan.pipelines.errors import InputError

CARD: Final = "README.md"
_MAX_BYTES: Final = 100 * 2**20


@dataclass(frozen=True, slots=True)
class ModelKind:
    """A kind of model.

    Attributes:
        name: for messages, as in "a zone model".
        command: the command that trains one.
        version: the version of the layout that this citespan reads and writes.
    """

    name: str
    command: str
    version: int

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

    def read_head(self, folder: Path, file: str) -> dict[str, Any]:
        """Return a model's head.

        Raises:
            InputError: if it can't be read, or was written by another version.
        """
        try:
            head = orjson.loads(self.read(folder, file))
        except orjson.JSONDecodeError as error:
            raise InputError(f"{folder / file}: not JSON; train the model again") from error
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
        file: str,
        head: Mapping[str, Any],
        card: str,
        others: dict[str, bytes] | None = None,
    ) -> None:
        """Write a model's head, adding the version, its card and its other files.

        Raises:
            InputError: if they can't be written.
        """
        body = orjson.dumps({"version": self.version, **head}, option=orjson.OPT_INDENT_2) + b"\n"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, data in ((others or {}) | {file: body, CARD: card.encode()}).items():
                (folder / name).write_bytes(data)
        except OSError as error:
            raise InputError(f"{folder}: can't be written: {error.strerror}") from error

"""Inputs whose bytes are those that were loaded, which a load passes over without reading them.

With each place that an article was read from, the catalogue keeps a digest of the bytes there, if
they hold that article and nothing else, and of all that decides how they are read: the format, the
splitter, the place, and the readers themselves.
"""

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

from citespan.pipelines.corpus import reader
from citespan.pipelines.indexing.documents.builder import DocumentBuilder, LookUp, find_absolute
from citespan.pipelines.indexing.documents.prepared import PreparedArticle

Input = tuple[str, bytes]
"""The source of a file, and its bytes."""
FindUnchanged = Callable[[Sequence[Input]], list[tuple[str, PreparedArticle | None]]]
"""Returns the digest of each input, "" for one that is always read, and its article if that is
loaded from these bytes, as one that is unchanged."""


def find_none(inputs: Sequence[Input]) -> list[tuple[str, PreparedArticle | None]]:
    """Find nothing to pass over."""
    return [("", None)] * len(inputs)


class UnchangedInputs:
    """Finds such inputs.

    Args:
        look_up: finds entries by digests.
    """

    def __init__(self, builder: DocumentBuilder, look_up: LookUp) -> None:
        self._builder = builder
        self._look_up = look_up

    def find(
        self, format_: str, inputs: Sequence[Input]
    ) -> list[tuple[str, PreparedArticle | None]]:
        """Find as `FindUnchanged` does, for inputs that are read as that format."""
        digests = [self._hash(format_, source, data) for source, data in inputs]
        entries = self._look_up(digests) if digests else {}
        return [
            (
                digest,
                self._builder.pass_over(entries[digest], source) if digest in entries else None,
            )
            for digest, (source, _) in zip(digests, inputs, strict=True)
        ]

    def _hash(self, format_: str, source: str, data: bytes) -> str:
        settings = self._builder.settings
        read_by = (_hash_readers(), format_, settings.splitter_name, settings.corpus)
        digest = hashlib.sha256(repr((*read_by, find_absolute(source))).encode())
        digest.update(data)
        return digest.hexdigest()[:32]


@cache
def _hash_readers() -> str:
    """Return what changes with whatever reads: the files of `corpus`, the version, plug-ins."""
    digest = hashlib.sha256(version("citespan").encode())
    for file in sorted(Path(reader.__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    for plugin in reader.readers.plugins():
        digest.update(repr(plugin).encode())
    return digest.hexdigest()

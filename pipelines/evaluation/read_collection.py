"""A collection by the name that users give it."""

from pathlib import Path

from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.corpus.reader import CollectionReader, readers
from citespan.pipelines.errors import InputError


def read_collection(name: str) -> Collection:
    """The collection that FORMAT:PATH names.

    Raises:
        InputError: if there is none, or the format brings no citances.
    """
    format_, separator, path = name.partition(":")
    if not separator:
        raise InputError(f"collection '{name}': write it as FORMAT:PATH, as in scisumm:data/train")
    reader = readers[format_]
    if not isinstance(reader, CollectionReader):
        known = ", ".join(r.name for r in readers if isinstance(r, CollectionReader))
        raise InputError(f"format '{format_}' has no citances; use one of: {known}")
    if not Path(path).exists():
        raise InputError(f"{path}: no such file or folder")
    return reader.collection(Path(path))


def absolute(name: str) -> str:
    """The same FORMAT:PATH, which holds in any working folder."""
    format_, _, path = name.partition(":")
    return f"{format_}:{Path(path).resolve()}"

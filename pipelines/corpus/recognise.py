"""`--format auto`: the reader for what lies at a path."""

from pathlib import Path

from citespan.pipelines.corpus.files import STANDARD_INPUT
from citespan.pipelines.corpus.reader import Reader, readers
from citespan.pipelines.errors import InputError


def recognise(path: Path) -> Reader:
    """The one reader that recognises `path`.

    Raises:
        InputError: if there is nothing at `path`, or none or several recognise it.
    """
    if path != STANDARD_INPUT and not path.exists():
        raise InputError(f"{path}: no such file or folder")
    found = [reader for reader in readers if reader.recognises(path)]
    if len(found) == 1:
        return found[0]
    if found:
        names = " and ".join(reader.name for reader in found)
        raise InputError(f"{path}: looks like {names}; say which with --format")
    names = ", ".join(readers.names())
    raise InputError(f"{path}: of no known format; known are {names}; say which with --format")

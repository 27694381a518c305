"""The sample data that ships with citespan."""

from importlib.resources import files
from pathlib import Path

from citespan.pipelines.errors import UnknownNameError

_NAMES = ("jats", "tac2014")


def sample(name: str) -> Path:
    """Return the folder of the sample called `name`, to be read by the reader of that name.

    Raises:
        UnknownNameError: if there is none.
    """
    if name not in _NAMES:
        raise UnknownNameError("sample", name, list(_NAMES))
    return Path(str(files("citespan.pipelines.corpus"))) / "sample" / name

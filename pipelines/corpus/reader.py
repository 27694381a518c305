"""What a reader of one format is, and the registry of all of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.registry import Registry


class Reader(Protocol):
    """Reads articles of one format.

    Attributes:
        name: as in `--format`.
        description: one line for `--help`.
    """

    name: str
    description: str

    def recognises(self, path: Path) -> bool:
        """Whether the file or folder looks like this format, judged by its first bytes or
        its layout, never by reading it all. Never raises for a path that exists."""
        ...

    def find(self, path: Path) -> Iterator[Path]:
        """The units below `path` that `read` takes one by one, sorted; `path` itself where
        it is one. A unit may be read in another process."""
        ...

    def count(self, unit: Path) -> int:
        """About how many inputs `read` will give for a unit, to show progress by and to see
        whether there is room for them; 0 where that can't be told beforehand, as for standard
        input. Never raises for a unit that can't be read, which is one input."""
        ...

    def read(self, unit: Path) -> Iterator[Article | Rejected]:
        """The articles of one unit, streaming. Each input ends as an Article or a Rejected:
        bad input never raises."""
        ...


@runtime_checkable
class CollectionReader(Protocol):
    """A reader whose format also brings citances and annotations."""

    def collection(self, path: Path) -> Collection:
        """All topics below `path`.

        Raises:
            InputError: if there is no topic there.
        """
        ...


readers: Registry[Reader] = Registry(
    "format", "citespan.pipelines.corpus.readers", "citespan.readers"
)

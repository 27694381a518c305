"""What a load is divided into, and what comes out of it."""

from dataclasses import dataclass
from pathlib import Path

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.indexing.documents.prepared import Prepared

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Unit:
    """A file, or a folder that is read as a whole.

    Attributes:
        key: tells it from all other units of the load.
        reader: name of the format; "auto" where that is to be seen when it is read.
        archive: whether its members are what is read.
        size, modified: by which one sees that it has changed; -1 where that can't be seen.
        done: how many readings of it an earlier run has dealt with.
        finished: whether that was all of them.
    """

    key: str
    reader: str
    path: Path
    archive: bool = False
    size: int = -1
    modified: int = -1
    done: int = 0
    finished: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """What has come out of a unit: an article, an input that is none, or, None, its end."""

    unit: Unit
    reading: Prepared | Rejected | None

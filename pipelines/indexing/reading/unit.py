"""What a load is divided into, and what is read from it."""

from dataclasses import dataclass
from pathlib import Path

from citespan.pipelines.corpus.abstract import Abstract, Deletion
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.indexing.documents.prepared import PreparedArticle

AUTO = "auto"

Reading = PreparedArticle | Abstract | Deletion | Rejected
"""One input, or the deletion of one."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A file, or a folder that is read as a whole.

    Attributes:
        key: distinguishes it from all other units of the load.
        reader: name of the format; "auto" if the format is recognised when the unit is read.
        archive: whether its members are what is read.
        size, modified: change when the unit changes; -1 if that can't be seen.
        done: how many of its readings an earlier run has dealt with.
        finished: whether these were all.
        lost: sources of the records among them that a process has died of.
    """

    key: str
    reader: str
    path: Path
    archive: bool = False
    size: int = -1
    modified: int = -1
    done: int = 0
    finished: bool = False
    lost: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Event:
    """One reading of a unit; None is the end of the unit."""

    unit: Unit
    reading: Reading | None

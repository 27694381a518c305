"""What a load is about to write, noted before it does, so that it can be put right."""

from dataclasses import asdict, dataclass

import orjson

from citespan.pipelines.indexing.census import Outcome
from citespan.pipelines.indexing.documents.prepared import Place


@dataclass(frozen=True, slots=True)
class Intent:
    """An article that is about to be written.

    Attributes:
        content: hash of what is indexed of it.
        outcome: what it counts as once it is written.
        loaded: of the entry that is to be written; tells it from those of other loads.
        new: where its documents go.
        old: where those of its earlier content are; None if it is new.
    """

    article: str
    content: str
    outcome: Outcome
    loaded: str
    new: Place
    old: Place | None

    def to_json(self) -> bytes:
        """As checkpoints keep it."""
        return orjson.dumps(asdict(self))

    @classmethod
    def from_json(cls, data: bytes) -> "Intent":
        """The reverse of `to_json`."""
        body = orjson.loads(data)
        body["new"] = Place(**body["new"])
        body["old"] = Place(**body["old"]) if body["old"] else None
        return cls(**body)


DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class AbstractIntent:
    """What is about to be done with an abstract.

    Attributes:
        content: hash of what is indexed of it; "" where it is deleted.
        outcome: what it counts as then; `DELETED` for what is no input.
    """

    pmid: str
    content: str
    outcome: str

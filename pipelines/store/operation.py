"""Operations of bulk requests, ready to be sent."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from citespan.pipelines.errors import InputError
from citespan.pipelines.store.layout import shared_layout

PIECE_BYTES = 64 * 1024
"""How large pieces of several operations are at most: what fits into the smallest request."""
MOST_BYTES = 64 * 2**20
"""Of the documents of one article, of which a load has several in memory."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a bulk request, or several that are sent together for speed.

    Attributes:
        key: identifies the operation if the server refuses it.
        body: the action, and the source on a second line if it has any; of several
            operations, an action and a source each.
        count: the number of operations.
    """

    index: str
    key: str
    body: bytes
    count: int = 1

    def split(self) -> "list[Operation]":
        """Return the operations one by one."""
        if self.count == 1:
            return [self]
        lines = self.body.split(b"\n")
        pairs = zip(lines[::2], lines[1::2], strict=True)
        return [Operation(self.index, self.key, b"\n".join(pair)) for pair in pairs]


def replace_document(
    index: str,
    key: str,
    name: str,
    document: Mapping[str, Any] | None,
    version: tuple[int, int] | None,
) -> Operation:
    """Return the writing of a document in place of a certain one alone, or its deletion.

    Args:
        name: the id of both.
        document: None to delete.
        version: the sequence number and the primary term of the one in its place; None for none.
    """
    address: dict[str, Any] = {"_id": name}
    if version is not None:
        address |= {"if_seq_no": version[0], "if_primary_term": version[1]}
    if document is None:
        return Operation(index, key, orjson.dumps({"delete": address}))
    action = "create" if version is None else "index"
    body = orjson.dumps({action: address}) + b"\n" + orjson.dumps(document)
    return Operation(index, key, body)


def write_operations(index: str, key: str, pieces: Iterable[bytes]) -> Iterator[Operation]:
    """Yield the operations that write documents.

    Args:
        pieces: as `join_pieces` returns them.
    """
    for body in pieces:
        yield Operation(index, key, body, (body.count(b"\n") + 1) // 2)


def join_pieces(pairs: Iterable[bytes]) -> Iterator[bytes]:
    """Join the actions of one article, each with its source, into pieces of up to 64 KB.

    Raises:
        InputError: if they take more than `MOST_BYTES`.
    """
    piece: list[bytes] = []
    size = total = 0
    for pair in pairs:
        total += len(pair)
        if total > MOST_BYTES:
            raise InputError(
                f"its documents take more than {MOST_BYTES >> 20} MB; split it, or if it is not "
                f"too long for that, load it with `layout={shared_layout().name}`"
            )
        if piece and size + len(pair) > PIECE_BYTES:
            yield b"\n".join(piece)
            piece, size = [], 0
        piece.append(pair)
        size += len(pair) + 1
    if piece:
        yield b"\n".join(piece)

"""Operations of bulk requests, ready to be sent."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citespan.pipelines.indexing.writing.batch_size import LEAST


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a bulk request, or several that are sent together for speed.

    Attributes:
        key: what is told by if the server refuses it.
        body: the action, and the source on a second line where there is one; of several, an
            action and a source each.
        count: how many there are.
    """

    index: str
    key: str
    body: bytes
    count: int = 1

    def each(self) -> "list[Operation]":
        """The operations one by one."""
        if self.count == 1:
            return [self]
        lines = self.body.split(b"\n")
        pairs = zip(lines[::2], lines[1::2], strict=True)
        return [Operation(self.index, self.key, b"\n".join(pair)) for pair in pairs]


def documents(index: str, key: str, pieces: Iterable[bytes]) -> Iterator[Operation]:
    """Documents to be written, by pieces as `pieces` makes them."""
    for body in pieces:
        yield Operation(index, key, body, (body.count(b"\n") + 1) // 2)


def pieces(pairs: Iterable[bytes]) -> Iterator[bytes]:
    """Actions with their sources, as many together as fit into the smallest request."""
    piece: list[bytes] = []
    size = 0
    for pair in pairs:
        if piece and size + len(pair) > LEAST:
            yield b"\n".join(piece)
            piece, size = [], 0
        piece.append(pair)
        size += len(pair) + 1
    if piece:
        yield b"\n".join(piece)

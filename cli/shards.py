"""The option `--shard`, by which several machines share a work."""

from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.reading.sources import Shard


def parse_shard(written: str | None) -> Shard | None:
    """Return the part that is written as "2/3", the second of three.

    Raises:
        InputError: if it is written otherwise, or there is no such part.
    """
    if written is None:
        return None
    number, _, of = written.partition("/")
    try:
        return Shard(int(number), int(of))
    except ValueError as error:
        raise InputError(
            f"--shard {written}: write it as 2/3, the second of three parts"
        ) from error

"""What the index's analyzer makes of texts, by asking the server where that is not known here."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from elasticsearch import Elasticsearch

from citespan.es_mappings.analysis import ANALYZER
from citespan.pipelines.text import lucene
from citespan.pipelines.text.lucene import Token

_MOST_CHARACTERS = 8_000  # a token has at least one; index.analyze.max_token_count is 10,000


def analysed(client: Elasticsearch, index: str, texts: Sequence[str]) -> list[list[Token]]:
    """The tokens of each text.

    Args:
        index: any that has the analyzer.
    """
    found = [lucene.tokenise(text) if lucene.covers(text) else None for text in texts]
    unknown = [text for text, known in zip(texts, found, strict=True) if known is None]
    told = iter(server_tokens(client, index, unknown))
    return [next(told) if known is None else known for known in found]


def server_lengths(client: Elasticsearch, index: str, texts: Sequence[str]) -> list[int]:
    """How many terms each text has, by the server."""
    return [len(tokens) for tokens in server_tokens(client, index, texts)]


def server_tokens(client: Elasticsearch, index: str, texts: Sequence[str]) -> list[list[Token]]:
    """The tokens of each text, by the server, in as few requests as it takes."""
    found: list[list[Token]] = []
    for batch in _batches(texts):
        found += _told(client, index, batch)
    return found


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and size + len(text) > _MOST_CHARACTERS:
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def _told(client: Elasticsearch, index: str, texts: list[str]) -> list[list[Token]]:
    response = client.indices.analyze(index=index, analyzer=ANALYZER, text=texts)
    # The server counts in UTF-16, and puts one character between texts.
    sizes = [len(text.encode("utf-16-le", "surrogatepass")) // 2 for text in texts]
    starts = [0, *accumulate(size + 1 for size in sizes)]
    found: list[list[Token]] = [[] for _ in texts]
    first_positions: dict[int, int] = {}
    for token in response["tokens"]:
        number = bisect_right(starts, token["start_offset"]) - 1
        places = [token[name] - starts[number] for name in ("start_offset", "end_offset")]
        if sizes[number] > len(texts[number]):
            places = [_characters(texts[number], place) for place in places]
        first = first_positions.setdefault(number, token["position"])
        found[number].append(Token(token["token"], token["position"] - first, *places))
    return found


def _characters(text: str, units: int) -> int:
    """How many characters so many UTF-16 units are."""
    return len(
        text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "replace")
    )

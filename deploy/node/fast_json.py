"""The server's answers, read by orjson: those of searches are long lists of numbers."""

from typing import Any

import orjson
from elasticsearch import JsonSerializer


class FastJson(JsonSerializer):
    """The client's own serializer, but for reading."""

    def loads(self, data: bytes) -> Any:
        """The value; what orjson refuses, as half of a surrogate pair, is left to the client."""
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError:
            return super().loads(data)

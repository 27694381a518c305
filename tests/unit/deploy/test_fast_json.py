"""The client's JSON, read faster."""

import pytest
from elastic_transport import SerializationError
from elasticsearch import Elasticsearch, JsonSerializer
from hypothesis import given
from hypothesis import strategies as st

from citespan.deploy.client import FastJson, client_of
from citespan.deploy.node.state import NodeState

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text() | st.floats(-1e9, 1e9),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(_VALUES)
def test_reads_what_the_client_reads(value: object) -> None:
    data = JsonSerializer().dumps([value])
    assert FastJson().loads(data) == JsonSerializer().loads(data)


def test_what_orjson_refuses_is_left_to_the_client() -> None:
    assert FastJson().loads(rb'"\ud800"') == "\ud800"
    with pytest.raises(SerializationError):
        FastJson().loads(b"{broken")


def test_the_client_uses_it_for_its_own_type_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITESPAN_ES_URL", "http://127.0.0.1:9200")
    client: Elasticsearch = client_of(NodeState("url", "http://127.0.0.1:9200"))
    serializers = client.transport.serializers
    for mimetype in ("application/json", "application/vnd.elasticsearch+json"):
        assert isinstance(serializers.get_serializer(mimetype), FastJson)

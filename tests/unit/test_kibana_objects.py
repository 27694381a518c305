"""Kibana's saved objects, and their import, as far as they go without Kibana.

Kibana itself can't be run where these tests run. That every field exists and every query runs
on Elasticsearch is tested in tests/integration/test_kibana.py.
"""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from citespan.deploy.kibana import importer
from citespan.es_mappings.kibana.objects import SPANS, SavedSearch, export, saved_objects


def test_ids_are_unique_and_references_come_first() -> None:
    seen: set[tuple[str, str]] = set()
    for thing in saved_objects():
        assert (thing["type"], thing["id"]) not in seen
        assert all((r["type"], r["id"]) in seen for r in thing["references"])
        seen.add((thing["type"], thing["id"]))


def test_export_is_one_json_object_a_line() -> None:
    assert [json.loads(line) for line in export().splitlines()] == saved_objects()


def test_a_search_that_names_an_unknown_field_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="names no field of the mapping: .'txt'"):
        SavedSearch("x", "x", "", SPANS, "txt:p53", ("article",))


class Answering(BaseHTTPRequestHandler):
    """Answers as Kibana's documentation says its import API does, and keeps what came."""

    status = 200
    answer: bytes = b'{"success": true, "successCount": 7}'
    received: tuple[str, dict[str, str], bytes] | None = None

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        type(self).received = (self.path, dict(self.headers.items()), body)
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(self.answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def kibana() -> Iterator[tuple[str, type[Answering]]]:
    handler = type("Handler", (Answering,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", handler
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_request_is_what_the_import_api_asks_for(
    kibana: tuple[str, type[Answering]], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, handler = kibana
    monkeypatch.setenv(importer.API_KEY, "secret")
    assert importer.import_objects(url + "/", "my space") == 7
    assert handler.received is not None
    path, headers, body = handler.received
    assert path == "/s/my%20space/api/saved_objects/_import?overwrite=true"
    assert headers["Authorization"] == "ApiKey secret"
    assert headers["kbn-xsrf"]
    assert headers["Content-Type"].startswith("multipart/form-data; boundary=")
    assert b'name="file"; filename="citespan.ndjson"' in body
    assert export() in body


def test_the_default_space_has_no_prefix(kibana: tuple[str, type[Answering]]) -> None:
    url, handler = kibana
    importer.import_objects(url, "default")
    assert handler.received is not None
    assert handler.received[0] == "/api/saved_objects/_import?overwrite=true"


@pytest.mark.parametrize(
    ("status", "answer", "message"),
    [
        (401, b"{}", "refused the credentials .401.; put an API key"),
        (404, b"", "has no space 'default'"),
        (200, b'{"success": false, "errors": [{"id": "x"}]}', "refused the import .200.*'id': 'x'"),
        (500, b"not json", "refused the import .500.*not json"),
    ],
)
def test_refusals_are_told(
    kibana: tuple[str, type[Answering]], status: int, answer: bytes, message: str
) -> None:
    url, handler = kibana
    handler.status, handler.answer = status, answer
    with pytest.raises(importer.KibanaError, match=message):
        importer.import_objects(url, "default")


def test_nobody_there() -> None:
    with pytest.raises(importer.KibanaError, match=r"no Kibana answers at http://127\.0\.0\.1:9 "):
        importer.import_objects("http://127.0.0.1:9", "default")

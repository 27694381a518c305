"""Kibana's saved objects, and their import, as far as they go without Kibana.

Kibana itself can't be run where these tests run. That every field exists and every query runs
on Elasticsearch is tested in tests/integration/test_kibana.py.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from kibana_objects import MAPPINGS, Object, find_fields, read_panels, read_searches

from citespan.deploy.kibana import API_KEY, OBJECTS, KibanaError, import_objects, read_objects

VERSIONS = {
    "index-pattern": "8.0.0",
    "search": "8.0.0",
    "visualization": "8.5.0",
    "dashboard": "10.3.0",
}
"""By type, the newest version of an object that every Kibana since 8.8 migrates: it refuses newer
ones than its own."""


def find_problems(objects: list[Object]) -> list[str]:
    """What Kibana's import would take, although the objects don't work: it looks at references
    to data views and searches alone."""
    problems: list[str] = []
    seen: set[tuple[str, str]] = set()
    for thing in objects:
        name = (thing["type"], thing["id"])
        problems += [f"{name} is there twice"] * (name in seen)
        problems += [
            f"{name} refers to {reference['id']}, which does not come before it"
            for reference in thing["references"]
            if (reference["type"], reference["id"]) not in seen
        ]
        seen.add(name)
        if thing["coreMigrationVersion"] != "8.8.0":
            problems.append(f"{name} has another core version")
        if thing["typeMigrationVersion"] != VERSIONS[thing["type"]]:
            problems.append(f"{name} has another version of its type")
        problems += [f"{name} {problem}" for problem in _CHECKS[thing["type"]](thing)]
    return problems or [
        f"{shown.id} names no field of the mapping: {sorted(unknown)}"
        for shown in (*read_searches(objects), *read_panels(objects))
        if (unknown := shown.fields - find_fields(shown.pattern))
    ]


def find_in_view(thing: Object) -> Iterator[str]:
    if thing["attributes"]["title"] not in MAPPINGS:
        yield "shows no index of citespan"


def find_in_search(thing: Object) -> Iterator[str]:
    source = json.loads(thing["attributes"]["kibanaSavedObjectMeta"]["searchSourceJSON"])
    if source["indexRefName"] not in [reference["name"] for reference in thing["references"]]:
        yield "has no data view"
    if not source["query"]["query"]:
        yield "has no query"


def find_in_visualization(thing: Object) -> Iterator[str]:
    state = json.loads(thing["attributes"]["visState"])
    assert (state["type"], state["title"]) == ("vega", thing["attributes"]["title"])
    source = json.loads(state["params"]["spec"])["data"]
    if not source["url"]["body"].get("aggs"):
        yield "has no query"
    first = source["format"]["property"].split(".")[1]
    if first not in source["url"]["body"].get("aggs", {}):
        yield f"shows {first}, for which it does not ask"


def find_in_dashboard(thing: Object) -> Iterator[str]:
    panels = json.loads(thing["attributes"]["panelsJSON"])
    expected = {f"{panel['panelIndex']}:{panel['panelRefName']}" for panel in panels}
    if expected != {reference["name"] for reference in thing["references"]}:
        yield "has panels and references that differ"
    if len({panel["panelIndex"] for panel in panels}) < len(panels):
        yield "has two panels of one index"
    places = [panel["gridData"] for panel in panels]
    if any(place["x"] + place["w"] > 48 for place in places):
        yield "is wider than Kibana's grid"
    if len({(place["x"], place["y"]) for place in places}) < len(places):
        yield "has two panels in one place"


_CHECKS: dict[str, Callable[[Object], Iterable[str]]] = {
    "index-pattern": find_in_view,
    "search": find_in_search,
    "visualization": find_in_visualization,
    "dashboard": find_in_dashboard,
}


def test_our_objects_work() -> None:
    assert find_problems(read_objects()) == []
    assert {saved["type"] for saved in read_objects()} == set(VERSIONS)


def change_spec(thing: Object, old: str, new: str) -> None:
    state = json.loads(thing["attributes"]["visState"])
    assert old in state["params"]["spec"]
    state["params"]["spec"] = state["params"]["spec"].replace(old, new)
    thing["attributes"]["visState"] = json.dumps(state)


@pytest.mark.parametrize(
    ("type_", "spoil", "expected"),
    [
        ("dashboard", lambda saved: saved["references"][0].update(id="gone"), "refers to gone"),
        (
            "dashboard",
            lambda saved: saved["references"][0].update(name="1"),
            "references that differ",
        ),
        (
            "dashboard",
            lambda saved: saved.update(typeMigrationVersion="10.4.0"),
            "another version of",
        ),
        ("visualization", lambda saved: change_spec(saved, '"aggs"', '"agg"'), "has no query"),
        (
            "visualization",
            lambda saved: change_spec(saved, '"field": "year"', '"field": "age"'),
            "'age'",
        ),
        ("search", lambda saved: saved["attributes"]["columns"].append("txt"), "'txt'"),
        ("index-pattern", lambda saved: saved["attributes"].update(title="others"), "no index of"),
        ("search", lambda saved: saved["references"].clear(), "has no data view"),
        ("index-pattern", lambda saved: saved.update(id="citespan-articles"), "is there twice"),
    ],
)
def test_a_broken_object_is_found(
    type_: str, spoil: Callable[[Object], None], expected: str
) -> None:
    objects = read_objects()
    spoil(next(saved for saved in objects if saved["type"] == type_))
    assert any(expected in problem for problem in find_problems(objects))


def test_every_panel_stands_on_a_dashboard() -> None:
    on_dashboards = [
        reference["id"]
        for thing in read_objects()
        if thing["type"] == "dashboard"
        for reference in thing["references"]
    ]
    assert on_dashboards == [panel.id for panel in read_panels()]


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
    monkeypatch.setenv(API_KEY, "secret")
    assert import_objects(url + "/", "my space") == 7
    assert handler.received is not None
    path, headers, body = handler.received
    assert path == "/s/my%20space/api/saved_objects/_import?overwrite=true"
    assert headers["Authorization"] == "ApiKey secret"
    assert headers["kbn-xsrf"]
    assert headers["Content-Type"].startswith("multipart/form-data; boundary=")
    assert b'name="file"; filename="citespan.ndjson"' in body
    assert OBJECTS.read_bytes() in body


def test_the_default_space_has_no_prefix(kibana: tuple[str, type[Answering]]) -> None:
    url, handler = kibana
    import_objects(url, "default")
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
    with pytest.raises(KibanaError, match=message):
        import_objects(url, "default")


def test_nobody_there() -> None:
    with pytest.raises(KibanaError, match=r"no Kibana answers at http://127\.0\.0\.1:9 "):
        import_objects("http://127.0.0.1:9", "default")

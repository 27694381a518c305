"""Servers that don't answer as they should: one line each, and never an API key in it."""

import os
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from citespan.deploy import client, kibana
from citespan.deploy.client import read_api_key
from citespan.pipelines.errors import CitespanError, InputError

SECRET = "c2VjcmV0OmtleQ=="
MALFORMED = (
    "https://[::1",
    "http://[::1]:port",
    "http://:9200",
    "https://host:99999",
    "http://ho st:9200",
    "http://host\x00:9200",
    "//host:9200",
    "host",
)


def citespan(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command with these environment variables."""
    return subprocess.run(
        [sys.executable, "-m", "citespan.cli.main", *arguments],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )


@contextmanager
def answering(status: int, content_type: str, body: bytes) -> Iterator[str]:
    """A server that gives one answer to everything; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            if b"9.4.3" in body:
                self.send_header("X-Elastic-Product", "Elasticsearch")
                self.send_header("Warning", '299 Elasticsearch-9.4.3 "a system index"')
            if 300 <= status < 400:
                self.send_header("Location", "/elsewhere")
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def connect(url: str, patch: pytest.MonkeyPatch) -> str:
    """Connect to Elasticsearch; what the error says."""
    patch.setenv("CITESPAN_ES_URL", url)
    with pytest.raises(CitespanError) as raised:
        client.connect()
    return one_line(raised.value)


def import_objects(url: str) -> str:
    """Import Kibana's objects; what the error says."""
    with pytest.raises(CitespanError) as raised:
        kibana.import_objects(url, "default")
    return one_line(raised.value)


def one_line(error: CitespanError) -> str:
    """The message, which is one short line without an object's address in it."""
    said = str(error)
    assert "\n" not in said
    assert " at 0x" not in said
    assert "ConnectionPool" not in said
    assert len(said) < 400
    return said


@pytest.mark.parametrize("url", [url for url in MALFORMED if "\x00" not in url])
def test_a_malformed_address_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "CITESPAN_ES_URL is no address" in connect(url, monkeypatch)


@pytest.mark.parametrize("url", MALFORMED)
def test_a_malformed_address_of_kibana_is_refused(url: str) -> None:
    assert "`url` is no address" in import_objects(url)


def test_an_address_loses_white_space_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "http://127.0.0.1:9 can't be reached" in connect(" http://127.0.0.1:9\n", monkeypatch)


def test_nobody_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "refused" in connect("http://127.0.0.1:9", monkeypatch)
    assert "refused" in import_objects("http://127.0.0.1:9")


def test_a_host_without_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "can't be reached" in connect("http://no-such-host.invalid:9200", monkeypatch)
    assert "no Kibana answers at" in import_objects("http://no-such-host.invalid:5601")


def test_a_server_without_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(200, "text/plain", b"") as url:
        secure = url.replace("http:", "https:")
        assert secure in connect(secure, monkeypatch)
        assert "no Kibana answers at" in import_objects(secure)


def test_a_server_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_PING_SECONDS", 0.2)
    monkeypatch.setattr(kibana, "_TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        assert "doesn't answer within" in connect(url, monkeypatch)
        assert "no Kibana answers at" in import_objects(url)


@pytest.mark.parametrize(
    ("status", "content_type", "body"),
    [
        (200, "text/html", b"<!DOCTYPE html>\n<html>\n<title>Sign in</title></html>"),
        (200, "application/json", b"[]"),
        (200, "application/json", b"{}"),
        (200, "text/plain", b"welcome"),
        (302, "text/html", b"<html>\nmoved</html>"),
        (407, "text/html", b"<html>\nproxy</html>"),
        (502, "text/html", b"<html>\nbad gateway</html>"),
        (504, "text/html", b""),
    ],
)
def test_answers_of_something_else(
    status: int, content_type: str, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering(status, content_type, body) as url:
        assert url in connect(url, monkeypatch)
        said = import_objects(url)
        assert "Kibana" in said


def test_what_a_server_warns_clients_of_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(200, "application/json", b'{"version": {"number": "9.4.3"}}') as url:
        monkeypatch.setenv("CITESPAN_ES_URL", url)
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            client.connect().close()
    assert shown == []


def test_a_key_loses_white_space_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITESPAN_ES_API_KEY", f" {SECRET}\r\n")
    assert read_api_key("CITESPAN_ES_API_KEY") == SECRET
    monkeypatch.setenv("CITESPAN_ES_URL", "http://127.0.0.1:9")
    server = client.find_server()
    assert server.api_key == SECRET


@pytest.mark.parametrize("inside", ["\n", "\r\nX-Header: 1", "\x1b[2J", " ", "é", "\u2028"])
def test_a_key_with_anything_else_inside_is_refused_and_not_shown(
    inside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = SECRET[:6] + inside + SECRET[6:]
    for variable in ("CITESPAN_ES_API_KEY", kibana.API_KEY):
        monkeypatch.setenv(variable, broken)
    for said in (connect("http://127.0.0.1:9", monkeypatch), import_objects("http://127.0.0.1:9")):
        assert "API_KEY is no API key" in said
        assert SECRET[:6] not in said
        assert SECRET[6:] not in said


def test_no_command_shows_a_key(tmp_path: Path) -> None:
    with answering(200, "text/plain", b"") as url:
        variables = {"CITESPAN_ES_URL": url, "CITESPAN_HOME": str(tmp_path)}
        for key in (f"{SECRET}\n", f"{SECRET}\nmore"):
            for arguments in (
                ["node", "status"],
                ["search", "a", "--article", "b"],
                ["--debug", "link"],
                ["kibana", "import", "--url", url],
            ):
                done = citespan(
                    *arguments, **variables, CITESPAN_ES_API_KEY=key, CITESPAN_KIBANA_API_KEY=key
                )
                assert done.returncode in (2, 3), done
                assert SECRET not in done.stdout + done.stderr


def test_a_certificate_of_kibanas_that_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "empty").write_text("")
    for name in ("gone", "empty"):
        monkeypatch.setenv(kibana.CA, str(tmp_path / name))
        with pytest.raises((InputError, kibana.KibanaError)) as raised:
            kibana.import_objects("https://127.0.0.1:9", "default")
        one_line(raised.value)


def test_a_state_folder_that_takes_no_files(tmp_path: Path) -> None:
    (tmp_path / "state" / "node.lock").mkdir(parents=True)
    done = citespan("node", "up", CITESPAN_HOME=str(tmp_path), CITESPAN_ES_URL="")
    assert done.returncode == 2
    assert "node.lock: Is a directory; " in done.stderr
    assert "CITESPAN_HOME" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("url", "key", "warned"),
    [
        ("http://search.invalid:1", "a2V5", "http://search.invalid:1"),
        ("http://me:secret@search.invalid:1", "", "http://search.invalid:1"),
        ("https://search.invalid:1", "a2V5", ""),
        ("http://127.0.0.1:1", "a2V5", ""),
        ("http://[::1]:1,http://localhost:1", "a2V5", ""),
        ("http://search.invalid:1", "", ""),
    ],
)
def test_credentials_in_plain_text_are_warned_of(
    url: str, key: str, warned: str, tmp_path: Path
) -> None:
    own = {"CITESPAN_ES_URL": url, "CITESPAN_ES_API_KEY": key, "CITESPAN_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "citespan.cli.main", "node", "status"],
        env=os.environ | own,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    lines = done.stderr.splitlines()
    assert len(lines) == 1 + bool(warned)
    if warned:
        assert lines[0].startswith(f"citespan: the credentials for {warned} are sent in plain text")
    assert "secret" not in done.stderr and "a2V5" not in done.stderr

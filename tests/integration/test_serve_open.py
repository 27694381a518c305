"""The real `citespan serve` where others reach it: silent connections, proxies, sessions, log."""

import http.client
import json
import os
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest
from served import served, serving

TOKEN = "k7Qm2xWf9Ld4Rt8Zb1Vn"
WITH_TOKEN = {"authorization": f"Bearer {TOKEN}"}
SILENT = 305


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Of a server with a token, and without Elasticsearch."""
    return os.environ | {
        "CITESPAN_ES_URL": "http://127.0.0.1:9",
        "CITESPAN_SERVE_TOKEN": TOKEN,
        "TMPDIR": str(tmp_path),
    }


def client_of(url: str, address: str = "127.0.0.1") -> httpx.Client:
    transport = httpx.HTTPTransport(local_address=address)
    return httpx.Client(base_url=url, timeout=10, transport=transport, headers=WITH_TOKEN)


def open_socket(url: str, first: bytes = b"") -> socket.socket:
    parsed = httpx.URL(url)
    connection = socket.create_connection((parsed.host, parsed.port or 80), 5)
    connection.sendall(first)
    return connection


def is_closed(connection: socket.socket) -> bool:
    connection.settimeout(0.01)
    try:
        return connection.recv(1000) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2"])
def test_silent_connections_keep_nobody_out(environment: dict[str, str], address: str) -> None:
    held = {}
    with ExitStack() as servers:  # one wait for both kinds
        for first in (b"", b"GET / HTTP/1.1\r\nhost: x"):
            url = servers.enter_context(serving(environment))
            client = servers.enter_context(client_of(url, address))
            held[first] = [open_socket(url, first) for _ in range(SILENT)]
            waits = []
            for _ in range(30):
                before = time.monotonic()
                assert client.get("/check", headers={"connection": "close"}).status_code == 200
                waits.append(time.monotonic() - before)
            assert sorted(waits)[28] < 1
        time.sleep(11)
        for first, sockets in held.items():
            assert all(map(is_closed, sockets)), first


def test_the_next_request_of_a_connection_has_a_deadline_too(environment: dict[str, str]) -> None:
    with serving(environment) as url:
        asked = b"GET /assets/page.css HTTP/1.1\r\nhost: localhost\r\n\r\n"
        connection = open_socket(url, asked)
        assert connection.recv(1000).startswith(b"HTTP/1.1 200")
        connection.sendall(asked[:20])
        time.sleep(7)  # uvicorn has forgotten that the connection is idle
        connection.settimeout(6)
        while connection.recv(100_000):
            pass


@contextmanager
def proxy(target: str, host: str | None, folder: Path) -> Iterator[str]:
    """The address of a proxy with TLS, which passes the Host header through or sends another."""
    key, certificate = folder / "proxy.key", folder / "proxy.crt"
    new = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost")
    subprocess.run(
        ["openssl", *new, "-keyout", key, "-out", certificate], check=True, capture_output=True
    )
    passed_to = httpx.URL(target)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            sent = {name.title(): value for name, value in self.headers.items()}
            if host is not None:
                sent["Host"] = host
            before = sent.get("X-Forwarded-For")
            sent["X-Forwarded-For"] = ", ".join(filter(None, (before, self.client_address[0])))
            connection = http.client.HTTPConnection(passed_to.host, passed_to.port or 80)
            connection.request(self.command, self.path, body, sent)
            answer = connection.getresponse()
            content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                    self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            connection.close()

        do_GET = do_POST = forward  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"https://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize("is_rewritten", [False, True])
def test_behind_a_proxy_with_tls(
    environment: dict[str, str], tmp_path: Path, is_rewritten: bool
) -> None:
    public = "https://evidence.example.org"
    with served(environment, "--public-url", public) as server:
        host = httpx.URL(server.url).netloc.decode() if is_rewritten else None
        with proxy(server.url, host, tmp_path) as address:
            said = {"host": "evidence.example.org", "origin": public}
            said["sec-fetch-site"] = "same-origin"
            with httpx.Client(base_url=address, verify=False, headers=said) as client:
                assert client.get("/check").status_code == 303
                entered = client.post("/login", data={"token": TOKEN, "to": "/check"})
                assert entered.status_code == 303
                cookie = entered.headers["set-cookie"]
                assert cookie.startswith("__Host-citespan=")
                assert {"Secure", "HttpOnly", "Path=/"} <= set(cookie.split("; "))
                kept = {"cookie": cookie.split(";")[0]}
                assert client.get("/check", headers=kept).status_code == 200
                for name, value in (("origin", "https://evil.example"), ("origin", "http://[")):
                    refused = client.post("/check", headers=kept | {name: value})
                    assert refused.status_code == 403
                for number in range(3):
                    client.get("/check", headers=kept | {"x-forwarded-for": f"10.0.0.{number}"})
            # whoever is no proxy on this machine may say what it likes
            direct = client_of(server.url)
            with direct:
                assert direct.get("/check", headers={"host": "evil.example"}).status_code == 421
    addresses = {json.loads(line).get("address") for line in server.log if "GET" in line}
    assert addresses == {"127.0.0.1", "10.0.0.0", "10.0.0.1", "10.0.0.2"}


def test_rates_are_those_of_the_client_behind_the_proxy(environment: dict[str, str]) -> None:
    with (
        serving(environment, "--public-url", "https://evidence.example.org") as url,
        client_of(url) as client,
    ):
        flood = {"x-forwarded-for": "198.51.100.1"}
        guess = {"token": "wrong"}
        answers = [client.post("/login", data=guess, headers=flood) for _ in range(60)]
        assert {answer.status_code for answer in answers} == {401, 429}
        other = {"x-forwarded-for": "198.51.100.1, 198.51.100.2"}
        assert client.get("/check", headers=other).status_code == 200


def test_sessions_end(environment: dict[str, str]) -> None:
    with serving(environment) as url, httpx.Client(base_url=url) as client:
        first = client.post("/login", data={"token": TOKEN}).cookies["citespan"]
        client.cookies.clear()
        second = client.post("/login", data={"token": TOKEN}).cookies["citespan"]
        assert first != second
        page = client.get("/check")
        assert "Log out" in page.text
        assert client.post("/logout").headers["location"] == "/login"
        client.cookies.clear()
        for session, status in ((second, 303), (first, 200), ("guessed", 303)):
            answer = client.get("/check", headers={"cookie": f"citespan={session}"})
            assert answer.status_code == status


def test_the_log_has_requests_and_no_secrets(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "serve.log"
    with serving(environment, "--log", str(file)) as url, client_of(url) as client:
        client.get("/evidence?citance=a+private+sentence")
        sent = client.post("/api/check", files=[("files", ("a.md", b"# A"))]).json()["id"]
        client.get(f"/api/check/{sent}/progress")
        client.get("/nowhere", headers={"authorization": "Bearer wrong-token"})
        assert client.post("/check", headers={"origin": "http://["}).status_code == 403
    assert file.stat().st_mode & 0o777 == 0o600
    text = file.read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    for secret in (TOKEN, "wrong-token", "private", sent, "Traceback"):
        assert secret not in text
    asked = [(line["method"], line["path"], line["status"]) for line in lines if "path" in line]
    assert ("GET", "/evidence", 503) in asked
    assert ("GET", "/api/check/…/progress", 200) in asked
    assert ("POST", "/check", 403) in asked
    assert {"time", "level", "address", "bytes", "seconds"} <= set(lines[0])
    assert {line["level"] for line in lines} >= {"info", "warning", "error"}


def test_other_sites_may_only_link(environment: dict[str, str]) -> None:
    with serving(environment) as url, client_of(url) as client:
        cross = {"sec-fetch-site": "cross-site"}
        for mode, dest, status in (
            ("navigate", "document", 200),
            ("navigate", "iframe", 403),
            ("no-cors", "image", 403),
            ("cors", "empty", 403),
        ):
            said = cross | {"sec-fetch-mode": mode, "sec-fetch-dest": dest}
            assert client.get("/check", headers=said).status_code == status


def test_methods_and_words_of_errors(environment: dict[str, str]) -> None:
    with serving(environment) as url, client_of(url) as client:
        refused = client.put("/api/check/some")
        assert (refused.status_code, refused.headers["allow"]) == (405, "DELETE, GET")
        long = client.get("/api/search", params={"article": "a", "citance": "a" * 10_001})
        assert long.json()["error"]["message"] == "citance has more than 10,000 characters"
        page = client.get("/evidence", params={"citance": "kept as it was", "year": "soon" * 9})
        assert page.status_code == 422
        assert "Year has more than 20 characters" in page.text
        assert ">kept as it was</textarea>" in page.text
        assert client.get("/api/articles", params={"q": ""}).status_code == 503


@pytest.mark.parametrize("token", ["a" * 30, "abcdefghijklmnopqrstuvwxyz", "0123456789" * 3])
def test_weak_tokens_are_refused(environment: dict[str, str], token: str) -> None:
    weak = environment | {"CITESPAN_SERVE_TOKEN": token}
    with pytest.raises(AssertionError, match="is easy to guess"), serving(weak):
        pytest.fail("it listens")

"""Folders, ports, disk space, settings and addresses: what is taken and what is refused."""

import os
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
import yaml

from citespan.deploy import client
from citespan.deploy.node.assemble import find_reason
from citespan.deploy.node.configure import (
    check_port,
    find_free_port,
    find_free_ports,
    make_settings,
    read_heap_size,
    write_config,
)
from citespan.deploy.node.errors import ClosedFolderError, DiskSpaceError, PortTakenError
from citespan.deploy.node.paths import folders, make_folder, require_space
from citespan.deploy.node.process import Account, change_owner, read_error_lines, require_access
from citespan.pipelines.errors import ElasticsearchUnreachableError, InputError


def test_home_moves_all_folders_and_cache_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITESPAN_HOME", str(tmp_path))
    monkeypatch.delenv("CITESPAN_CACHE", raising=False)
    found = folders()
    assert (found.cache, found.data, found.state) == (
        tmp_path / "cache",
        tmp_path / "data",
        tmp_path / "state",
    )
    monkeypatch.setenv("CITESPAN_CACHE", str(tmp_path / "shared"))
    assert folders().cache == tmp_path / "shared"
    assert folders().data == tmp_path / "data"


def test_new_folders_can_be_entered_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        made = make_folder(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    assert [f.stat().st_mode & 0o777 for f in (made, made.parent)] == [0o755, 0o755]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"can't make the folder .*file.*set CITESPAN_HOME"):
        make_folder(tmp_path / "file" / "below")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_what_is_given_away_and_what_can_be_entered(tmp_path: Path) -> None:
    nobody = Account("nobody", 65534, 65534)
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "file").write_text("")
    (inner / "link").symlink_to("/etc/hostname")
    owner = Path("/etc/hostname").stat().st_uid
    change_owner(inner, nobody)
    assert (inner / "file").stat().st_uid == nobody.uid
    assert Path("/etc/hostname").stat().st_uid == owner
    tmp_path.chmod(0o700)
    with pytest.raises(ClosedFolderError, match="'nobody', who can't enter /"):
        require_access(nobody, [Path("/usr"), inner])
    require_access(nobody, [Path("/usr/bin")])
    require_access(None, [inner])


def test_ports() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PortTakenError, match=f"port {port} of 127.0.0.1 is in use"):
            check_port(port)
    assert check_port(port) == port
    free = [check_port(0), find_free_port(), *find_free_ports(6)]
    assert all(1023 < port < 32768 for port in free)  # the others are for outgoing connections
    assert len(set(free[2:])) == 6
    for wrong in (-1, 65536):
        with pytest.raises(InputError, match="is no port"):
            check_port(wrong)


def test_disk_space(tmp_path: Path) -> None:
    require_space(tmp_path, 1, "a test")
    with pytest.raises(DiskSpaceError, match=r"a test needs 1000000000\.0 GB and .*CITESPAN_HOME"):
        require_space(tmp_path, 10**18, "a test")


@pytest.mark.parametrize("heap", ["1", "0g", "1 g", "1t", "-Xmx1g", "1g -XX:+X"])
def test_a_heap_that_is_no_size(heap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITESPAN_ES_HEAP", heap)
    with pytest.raises(InputError, match="CITESPAN_ES_HEAP"):
        read_heap_size()


def test_the_configuration_is_the_distributions_with_our_settings(tmp_path: Path) -> None:
    distribution, target = tmp_path / "es", tmp_path / "config"
    for folder in ("config/jvm.options.d", "config/certs", "config/analysis"):
        (distribution / folder).mkdir(parents=True)
    for file in ("jvm.options", "elasticsearch.yml", "elasticsearch.keystore", "analysis/words"):
        (distribution / "config" / file).write_text("theirs")
    target.mkdir()
    (target / "left-over").write_text("")

    plain = make_settings(distribution, port=1, transport_port=2, data=tmp_path, logs=tmp_path)
    assert "xpack.security.enabled" not in plain
    (distribution / "modules" / "x-pack-security").mkdir(parents=True)
    chosen = make_settings(distribution, port=1, transport_port=2, data=tmp_path, logs=tmp_path)
    assert chosen["xpack.security.enabled"] is True
    write_config(distribution, target, chosen, "2g", "a password")
    users = (target / "users").read_text(encoding="ascii")
    assert users.startswith("citespan:{PBKDF2}10000$") and "a password" not in users

    written = {str(f.relative_to(target)) for f in target.rglob("*") if f.is_file()}
    assert written == {
        "analysis/words",
        "elasticsearch.yml",
        "users",
        "users_roles",
        "jvm.options",
        "jvm.options.d/citespan.options",
    }
    assert yaml.safe_load((target / "elasticsearch.yml").read_text()) == chosen
    assert (target / "jvm.options.d/citespan.options").read_text() == "-Xms2g\n-Xmx2g\n"


@pytest.mark.parametrize(
    "url", ["localhost:9200", "ftp://localhost", "http://", "http://h:99999", "http://h:x"]
)
def test_an_address_that_is_none(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITESPAN_ES_URL", url)
    with pytest.raises(InputError, match="CITESPAN_ES_URL is no address"):
        client.connect()


def test_a_certificate_that_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CITESPAN_ES_URL", "https://localhost:1")
    (tmp_path / "empty").write_text("")
    for name in ("gone", "empty"):
        monkeypatch.setenv("CITESPAN_ES_CA", str(tmp_path / name))
        with pytest.raises(InputError, match=f"{name}, which can't be read as a certificate"):
            client.connect()


class _OlderServer(BaseHTTPRequestHandler):
    """Answers as servers of version 8 and before do: with a version of their own, or not at all
    to what a newer client asks."""

    number = "8.19.0"
    status = 200

    def do_GET(self) -> None:
        body = f'{{"version": {{"number": "{self.number}"}}}}'.encode()
        self.send_response(self.status)
        self.send_header("X-Elastic-Product", "Elasticsearch")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture
def older() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _OlderServer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (200, "is Elasticsearch 8.19.0; citespan needs version 9"),
        (400, "doesn't speak like Elasticsearch 9"),
        (503, "answers with an error"),
    ],
)
def test_another_version(
    older: str, status: int, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_OlderServer, "status", status)
    monkeypatch.setenv("CITESPAN_ES_URL", older)
    with pytest.raises(ElasticsearchUnreachableError, match=expected):
        client.connect()


def test_the_telling_lines_of_a_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(
        "[2026-01-01T00:00:00,000][INFO ][o.e.n.Node] [citespan] starting\n"
        "[2026-01-01T00:00:01,000][ERROR][o.e.b.Elasticsearch] [citespan] fatal exception\n"
        "\tat a.b.C(C.java:1)\n"
        "\t... 12 more\n"
        "Caused by: java.net.BindException: Address already in use\n"
        "\n"
        "[2026-01-01T00:00:02,000][INFO ][o.e.n.Node] [citespan] closed\n"
    )
    assert [line.rpartition("] ")[2] for line in read_error_lines(log)] == [
        "fatal exception",
        "Caused by: java.net.BindException: Address already in use",
    ]
    assert read_error_lines(tmp_path / "gone") == []


def test_the_reason_in_mavens_output() -> None:
    log = (
        "\x1b[0m[INFO] Scanning for projects...\n[ERROR] Failed to execute goal a:b:1:get "
        "(default-cli) on project standalone-pom: Couldn't download -> [Help 1]\n[ERROR] \n"
    )
    assert find_reason(log) == "Couldn't download"
    assert find_reason("The JAVA_HOME variable is wrong\n") == "The JAVA_HOME variable is wrong"
    assert find_reason("") == "it said nothing"

"""A server with security and TLS on, as CITESPAN_ES_URL names one: API key, CA, refusals."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from elasticsearch import AuthenticationException, AuthorizationException, Elasticsearch
from places import ROOT, TEST_DATA
from real_node import as_user_of, environment_of, new_home, run_citespan
from served import serving

from citespan.deploy.client import connect
from citespan.deploy.node import compose, configure, process, silent
from citespan.deploy.node.assemble import assemble
from citespan.deploy.node.configure import find_free_port
from citespan.deploy.node.jdk import find_jdk
from citespan.deploy.node.paths import folders
from citespan.deploy.node.process import Launch, change_owner, find_account
from citespan.es_mappings import spans
from citespan.pipelines.errors import ElasticsearchUnreachableError

PASSWORD = "only-for-this-test"


@dataclass(frozen=True)
class SecureNode:
    """A running server.

    Attributes:
        url: https address.
        ca: certificate of the authority that signed the server's.
        stranger: certificate of another authority.
        api_key: a valid one, encoded.
        home: an empty CITESPAN_HOME.
    """

    url: str
    ca: Path
    stranger: Path
    api_key: str
    home: Path


@pytest.fixture(scope="module")
def secure() -> Iterator[SecureNode]:
    """The same distribution, with security and TLS on."""
    home = new_home()
    with as_user_of(home):
        distribution = assemble(folders().cache, silent)
    config, data, logs, scratch = (home / name for name in ("config", "data", "logs", "scratch"))
    for folder in (data, logs, scratch):
        folder.mkdir()
    port = find_free_port()
    chosen = configure.make_settings(
        distribution, port=port, transport_port=find_free_port(), data=data, logs=logs
    )
    tls = {
        "xpack.security.enabled": True,
        "xpack.security.http.ssl.enabled": True,
        "xpack.security.http.ssl.key": "server.key",
        "xpack.security.http.ssl.certificate": "server.crt",
    }
    configure.write_config(distribution, config, chosen | tls, "512m")
    ca = make_authority(home, "ca")
    make_certificate(home, config)
    account = find_account()
    for folder in (config, data, logs, scratch):
        change_owner(folder, account)
    launch = Launch(distribution, find_jdk().home, config, scratch, home / "console.log", account)
    set_password(launch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ES_JAVA_OPTS", "-XX:TieredStopAtLevel=1")
        launcher = process.spawn(launch)
        server = process.wait_until_up(launcher, launch, silent)
    try:
        url = f"https://localhost:{port}"
        with Elasticsearch(url, basic_auth=("elastic", PASSWORD), ca_certs=str(ca)) as client:
            wait_for_users(client)
            api_key = client.security.create_api_key(name="tests")["encoded"]
        yield SecureNode(url, ca, make_authority(home, "stranger"), api_key, home)
    finally:
        process.end(server)
        shutil.rmtree(home)


def wait_for_users(client: Elasticsearch) -> None:
    """A server refuses every user for a moment after it is up."""
    for _ in range(100):
        try:
            client.cluster.health(wait_for_status="yellow")
            return
        except AuthenticationException:
            time.sleep(0.1)
    pytest.fail("the server knows no user")


def openssl(*arguments: str | Path) -> None:
    """Run openssl; without it this test can't make certificates."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificates, isn't installed")
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def make_authority(folder: Path, name: str) -> Path:
    """A certificate authority; the path of its certificate."""
    key, certificate = folder / f"{name}.key", folder / f"{name}.crt"
    new = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2")
    usage = ("-addext", "keyUsage=critical,keyCertSign,cRLSign")
    openssl(*new, *usage, "-subj", f"/CN={name}", "-keyout", key, "-out", certificate)
    return certificate


def make_certificate(folder: Path, target: Path) -> None:
    """The server's key and certificate, signed by the authority `ca`, into `target`."""
    request, extensions = folder / "server.csr", folder / "server.ext"
    extensions.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    key = target / "server.key"
    new = ("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost")
    openssl(*new, "-keyout", key, "-out", request)
    signer = ("-CA", folder / "ca.crt", "-CAkey", folder / "ca.key", "-CAcreateserial")
    signing = ("x509", "-req", "-in", request, *signer, "-days", "2", "-extfile", extensions)
    openssl(*signing, "-out", target / "server.crt")


def set_password(launch: Launch) -> None:
    """Put the password of `elastic` in a new keystore."""
    account = launch.account
    tool = launch.distribution / "bin" / "elasticsearch-keystore"
    for arguments, given in ((["create"], ""), (["add", "-x", "bootstrap.password"], PASSWORD)):
        subprocess.run(
            [tool, *arguments],
            input=given,
            text=True,
            env=launch.environment(),
            check=True,
            capture_output=True,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )


def test_api_key_and_certificate_of_the_authority(
    secure: SecureNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITESPAN_ES_URL", secure.url)
    monkeypatch.setenv("CITESPAN_ES_API_KEY", secure.api_key)
    monkeypatch.setenv("CITESPAN_ES_CA", str(secure.ca))

    with connect() as es:
        assert es.security.authenticate()["authentication_type"] == "api_key"


def test_a_new_api_key_of_ours_ends_the_one_before_and_no_other(secure: SecureNode) -> None:
    ca = str(secure.ca)
    with Elasticsearch(secure.url, basic_auth=("elastic", PASSWORD), ca_certs=ca) as client:
        first = compose.make_api_key(client)
        second = compose.make_api_key(client)
    for key, accepted in ((first, False), (second, True), (secure.api_key, True)):
        with Elasticsearch(secure.url, api_key=key, ca_certs=ca) as client:
            try:
                assert client.info()["version"]["number"] and accepted
            except AuthenticationException:
                assert not accepted


def test_an_api_key_of_ours_is_for_citespans_indices_and_expires(secure: SecureNode) -> None:
    with administrator(secure) as client:
        encoded = compose.make_api_key(client)
        [key] = client.security.get_api_key(name=compose.KEY_NAME, active_only=True)["api_keys"]
    assert key["expiration"] - key["creation"] == compose.KEY_DAYS * 24 * 3600 * 1000
    with Elasticsearch(secure.url, api_key=encoded, ca_certs=str(secure.ca)) as limited:
        limited.indices.create(index="citespan-of-this-test")
        limited.indices.delete(index="citespan-of-this-test")
        for forbidden in (
            lambda: limited.indices.create(index="of-others"),
            lambda: limited.security.create_api_key(name="more"),
            lambda: limited.cluster.put_settings(
                persistent={"indices.recovery.max_bytes_per_sec": None}
            ),
        ):
            with pytest.raises(AuthorizationException):
                forbidden()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"CITESPAN_ES_API_KEY": ""}, "refuses the credentials; set CITESPAN_ES_API_KEY"),
        ({"CITESPAN_ES_API_KEY": "bm90OnZhbGlk"}, "refuses the credentials"),
        ({"CITESPAN_ES_CA": ""}, "set CITESPAN_ES_CA to the certificate of the authority"),
        ({"CITESPAN_ES_CA": "{stranger}"}, "gives no certificate to trust"),
    ],
)
def test_refusals(secure: SecureNode, change: dict[str, str], expected: str) -> None:
    right = {
        "CITESPAN_ES_URL": secure.url,
        "CITESPAN_ES_API_KEY": secure.api_key,
        "CITESPAN_ES_CA": str(secure.ca),
    }
    changed = {name: value.format(stranger=secure.stranger) for name, value in change.items()}

    done = run_citespan("node", "up", env=environment_of(secure.home, **(right | changed)))

    assert done.returncode == 3
    assert not done.stdout
    [line] = done.stderr.splitlines()
    assert expected in line


def test_plain_http_to_a_tls_port(secure: SecureNode) -> None:
    env = environment_of(secure.home, CITESPAN_ES_URL=secure.url.replace("https", "http"))
    done = run_citespan("node", "up", env=env)
    assert done.returncode == 3
    [line] = done.stderr.splitlines()
    assert "check CITESPAN_ES_URL" in line


def test_a_key_without_the_right_to_look(
    secure: SecureNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = {"nothing": {"cluster": [], "indices": []}}
    ca = str(secure.ca)
    with Elasticsearch(secure.url, basic_auth=("elastic", PASSWORD), ca_certs=ca) as client:
        key = client.security.create_api_key(name="weak", role_descriptors=nothing)["encoded"]
    monkeypatch.setenv("CITESPAN_ES_URL", secure.url)
    monkeypatch.setenv("CITESPAN_ES_API_KEY", key)
    monkeypatch.setenv("CITESPAN_ES_CA", ca)
    with pytest.raises(ElasticsearchUnreachableError, match="cluster privilege monitor"):
        connect()


def test_credentials_in_the_address_work_and_are_never_shown(secure: SecureNode) -> None:
    address = secure.url.replace("://", f"://elastic:{PASSWORD}@")
    env = environment_of(secure.home, CITESPAN_ES_URL=address, CITESPAN_ES_CA=str(secure.ca))
    up = run_citespan("node", "up", "--json", env=env)
    assert json.loads(up.stdout)["url"] == secure.url
    down = run_citespan("node", "down", env=env)
    assert down.returncode == 2
    assert PASSWORD not in up.stdout + up.stderr + down.stdout + down.stderr


ROLES = ROOT / "deploy" / "roles"
SAMPLE = ROOT / "pipelines" / "corpus" / "sample" / "jats"
MANUSCRIPT = SAMPLE.parent / "manuscript"
MEDLINE = TEST_DATA / "readers" / "medline"
CITANCE = "When DNA is damaged, p53 is stabilised and stops the cell cycle"
NOT_ANALYSED_HERE = "p53 细胞周期 stops the cell cycle"
"""In a script that only the server's own analyzer takes apart for sure."""


@pytest.fixture(scope="module")
def keys(secure: SecureNode) -> Mapping[str, Mapping[str, str]]:
    """The environment of a user with an API key of each role of `deploy/roles`."""
    found = {}
    with administrator(secure) as client:
        for file in ROLES.glob("*.json"):
            role = json.loads(file.read_text(encoding="utf-8"))
            made = client.security.create_api_key(
                name=file.stem, role_descriptors={file.stem: role}
            )
            key = {"CITESPAN_ES_API_KEY": made["encoded"]}
            server = {"CITESPAN_ES_URL": secure.url, "CITESPAN_ES_CA": str(secure.ca)}
            found[file.stem] = environment_of(secure.home, **server, **key)
    return found


def administrator(secure: SecureNode) -> Elasticsearch:
    return Elasticsearch(
        secure.url, basic_auth=("elastic", PASSWORD), ca_certs=str(secure.ca), request_timeout=60
    )


@pytest.fixture(scope="module")
def loaded(keys: Mapping[str, Mapping[str, str]]) -> None:
    """The sample, in both layouts, and abstracts, loaded with the key for loading."""
    article = str(SAMPLE / "p53-dna-damage.xml")
    other = str(SAMPLE / "insulin-glut4.xml")
    loads = [
        (article, "--layout", "sentences"),
        (other,),
        (other, "--longest", "3"),  # made again
        (str(MEDLINE), "--no-zones", "--finish"),
    ]
    for load in loads:
        done = run_citespan("index", *load, "--json", env=keys["load"])
        assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["merged"] is not None


def test_a_key_for_searching_searches(loaded: None, keys: Mapping[str, Mapping[str, str]]) -> None:
    for article, citance in (
        ("p53-dna-damage", CITANCE),
        ("p53-dna-damage", NOT_ANALYSED_HERE),
        ("insulin-glut4", CITANCE),
    ):
        found = run_citespan("search", citance, "--article", article, "--json", env=keys["search"])
        assert found.returncode == 0, found.stderr
        assert json.loads(found.stdout)["results"]
    done = run_citespan("answers", "find", "Does walking lower blood pressure?", env=keys["search"])
    assert done.returncode == 0, done.stderr


def test_a_key_for_searching_is_enough_for_the_page_and_for_checks(
    loaded: None, keys: Mapping[str, Mapping[str, str]]
) -> None:
    manuscript = (MANUSCRIPT / "signals.md", MANUSCRIPT / "signals.bib")
    done = run_citespan("check", str(manuscript[0]), "--json", env=keys["search"])
    assert done.returncode == 0, done.stderr
    expected = [citation["status"] for citation in json.loads(done.stdout)["citations"]]
    assert "found" in expected
    asked = {"citance": CITANCE, "article": "p53-dna-damage"}
    with (
        serving(keys["search"]) as url,
        httpx.Client(base_url=url, timeout=60, follow_redirects=True) as client,
    ):
        for path, parameters in (
            ("/", {}),
            ("/article", {"article": "insulin-glut4"}),
            ("/api/cited", {"article": "insulin-glut4"}),
            ("/evidence", {"citance": CITANCE}),
            ("/api/search", asked),
            ("/api/search-all", {"citance": CITANCE}),
            ("/api/answers", {"question": "Does walking lower blood pressure?"}),
        ):
            answer = client.get(path, params=parameters)
            assert answer.status_code == 200, answer.text
        files = [("files", (file.name, file.read_bytes())) for file in manuscript]
        key = client.post("/api/check", files=files).json()["id"]
        while (answer := client.get(f"/api/check/{key}")).status_code == 202:
            time.sleep(0.2)
        assert [citation["status"] for citation in answer.json()["citations"]] == expected


def test_a_key_for_linking_links(loaded: None, keys: Mapping[str, Mapping[str, str]]) -> None:
    manuscript = (str(MANUSCRIPT), "--layout", "sentences")
    done = run_citespan("index", *manuscript, "--json", env=keys["load"])
    assert done.returncode == 0, done.stderr
    linked = run_citespan("link", "--json", env=keys["link"])
    assert linked.returncode == 0, linked.stderr
    assert json.loads(linked.stdout)["linked"] == 3
    cited = run_citespan("cited", "insulin-glut4", "--json", env=keys["search"])
    assert json.loads(cited.stdout)["citations"] == 2
    asked = ("search", "insulin moves GLUT4", "--citing", "signals", "--json")
    found = run_citespan(*asked, env=keys["search"])
    assert found.returncode == 0, found.stderr
    assert {result["cited_by"] for result in json.loads(found.stdout)["results"]} == {0}
    done = run_citespan("delete", "signals", "--yes", env=keys["load"])
    assert done.returncode == 0, done.stderr
    cited = run_citespan("cited", "insulin-glut4", "--json", env=keys["search"])
    assert json.loads(cited.stdout)["citations"] == 0


@pytest.mark.parametrize(
    ("role", "arguments"),
    [
        ("search", ("link",)),
        ("search", ("index", str(SAMPLE))),
        ("search", ("index", str(SAMPLE), "--layout", "sentences")),
        ("search", ("index", str(MEDLINE), "--no-zones")),
        ("load", ("search", CITANCE, "--article", "p53-dna-damage")),
        ("load", ("search", CITANCE, "--article", "insulin-glut4")),
    ],
)
def test_each_key_is_for_one_thing(
    loaded: None, keys: Mapping[str, Mapping[str, str]], role: str, arguments: tuple[str, ...]
) -> None:
    done = run_citespan(*arguments, env=keys[role])
    assert done.returncode == 2, done.stdout + done.stderr
    [line] = done.stderr.splitlines()
    assert "unauthorized" in line
    assert not done.stdout


def test_a_key_for_operating_finds_an_index_of_another_version(
    secure: SecureNode, loaded: None, keys: Mapping[str, Mapping[str, str]]
) -> None:
    with administrator(secure) as client:
        [index] = client.indices.get(index="citespan-spans-*")
        client.indices.put_mapping(index=index, meta={"citespan_mapping": spans.VERSION - 1})
        before = run_citespan("doctor", "--json", env=keys["operate"])
        client.indices.put_mapping(index=index, meta={"citespan_mapping": spans.VERSION})
    assert "--rebuild" in before.stdout
    after = run_citespan("doctor", "--thorough", "--json", env=keys["operate"])
    assert after.returncode == 0, after.stdout
    assert {f["state"] for f in json.loads(after.stdout)["findings"]} == {"ok"}


def test_a_doctor_who_may_not_look_everywhere(
    loaded: None, keys: Mapping[str, Mapping[str, str]]
) -> None:
    done = run_citespan("doctor", "--json", env=keys["search"])
    report = json.loads(done.stdout)
    states = {finding["check"]: finding["state"] for finding in report["findings"]}
    assert states["cluster"] == "ok"
    assert "warning" in states.values()
    assert any("won't tell" in finding["found"] for finding in report["findings"])

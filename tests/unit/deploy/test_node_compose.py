"""compose.yml, which can't be run without a Docker engine: what it says, and what uses it."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from places import ROOT
from typer.testing import CliRunner

from citespan.cli.app import app
from citespan.deploy.node import compose
from citespan.deploy.node.assemble import VERSION

TEXT = (files("citespan.deploy") / "compose.yml").read_text(encoding="utf-8")


@pytest.fixture
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(TEXT)["services"]
    return found


def test_both_programs_have_the_version_of_the_local_node(services: dict[str, Any]) -> None:
    images = {name: service["image"] for name, service in services.items() if "image" in service}
    assert {name: image.partition("@")[0] for name, image in images.items()} == {
        "elasticsearch": f"elasticsearch:{VERSION}",
        "setup": f"elasticsearch:{VERSION}",
        "kibana": f"kibana:{VERSION}",
    }


def test_security_is_on_and_no_password_has_a_default(services: dict[str, Any]) -> None:
    assert services["elasticsearch"]["environment"]["xpack.security.enabled"] == "true"
    uses = re.findall(r"\$\{(\w+)(:?[-?]?)", TEXT)
    passwords = [(name, how) for name, how in uses if "PASSWORD" in name]
    assert {name for name, _ in passwords} == set(compose.SECRETS)
    assert {how for _, how in passwords} == {":?"}
    for service in services.values():
        for name, value in service["environment"].items():
            if "PASSWORD" in name:
                assert value.startswith("${")


def test_ports_are_of_loopback(services: dict[str, Any]) -> None:
    ports = [port for service in services.values() for port in service.get("ports", [])]
    assert len(ports) == 3
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_each_waits_for_the_one_before(services: dict[str, Any]) -> None:
    assert services["setup"]["depends_on"] == {"elasticsearch": {"condition": "service_healthy"}}
    assert services["kibana"]["depends_on"] == {
        "setup": {"condition": "service_completed_successfully"}
    }
    assert services["setup"]["restart"] == "no"
    for name in ("elasticsearch", "kibana", "page"):
        assert services[name]["healthcheck"]["test"][0] == "CMD-SHELL"


def test_the_page_is_built_here_and_started_only_when_it_is_asked_for(
    services: dict[str, Any],
) -> None:
    assert [name for name, service in services.items() if "profiles" in service] == ["page"]
    page = services["page"]
    folder = ROOT / "deploy" / page["build"]["context"]
    assert (folder / page["build"]["dockerfile"]).is_file()
    assert folder.resolve() == ROOT
    assert page["depends_on"] == {"elasticsearch": {"condition": "service_healthy"}}
    assert "${ELASTIC_PASSWORD:?}@elasticsearch:9200" in page["environment"]["CITESPAN_ES_URL"]
    asked = re.search(r"localhost:8765/(assets/[\w.]+)", page["healthcheck"]["test"][1])
    assert asked is not None
    assert (ROOT / "serve" / asked[1]).is_file()
    served = re.search(r"exec citespan serve (.*)", page["command"][2])
    assert served is not None
    assert CliRunner().invoke(app, ["serve", *served[1].split(), "--help"]).exit_code == 0


def test_what_is_stored_is_in_named_volumes(services: dict[str, Any]) -> None:
    used = {
        volume.partition(":")[0]
        for service in services.values()
        for volume in service.get("volumes", [])
    }
    assert used == set(yaml.safe_load(TEXT)["volumes"])


def test_secrets_are_random_kept_and_for_their_owner_alone(tmp_path: Path) -> None:
    file, other = tmp_path / "compose.env", tmp_path / "other.env"
    made = compose.keep_secrets(file)
    assert tuple(made) == compose.SECRETS
    assert compose.keep_secrets(file) == made
    assert file.stat().st_mode & 0o777 == 0o600
    # the setup service puts them into JSON and a shell as they are
    assert all(re.fullmatch(r"[\w-]{20,}", password) for password in made.values())
    assert set(made.values()).isdisjoint(compose.keep_secrets(other).values())


def test_it_is_not_chosen_without_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    assert compose.is_available() is False
    monkeypatch.setenv("PATH", "/nowhere")
    assert compose.is_available() is False

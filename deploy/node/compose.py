"""Elasticsearch and Kibana by Docker Compose, with security on."""

import json
import os
import secrets
import shutil
import subprocess
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

from elasticsearch import Elasticsearch

from citespan.deploy.node import Progress
from citespan.deploy.node.configure import LOOPBACK, check_port, read_heap_size
from citespan.deploy.node.errors import ComposeError
from citespan.deploy.node.state import NodeState

PROJECT = "citespan"
KEY_NAME = "citespan"
KEY_DAYS = 90
SECRETS = ("ELASTIC_PASSWORD", "KIBANA_PASSWORD")
_SECRETS_FILE = "compose.env"
_PROBE_SECONDS = 20


def is_available() -> bool:
    """Return whether a Docker engine answers and has the Compose plugin."""
    docker = shutil.which("docker")
    if docker is None:
        return False
    for probe in (["version", "--format", "{{.Server.Version}}"], ["compose", "version"]):
        try:
            answer = subprocess.run(  # noqa: S603  no shell; the arguments are ours
                [docker, *probe], capture_output=True, timeout=_PROBE_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        if answer.returncode:
            return False
    return True


def start(state_folder: Path, port: int, progress: Progress) -> NodeState:
    """Start Elasticsearch and Kibana, and create an API key for our client.

    Raises:
        ComposeError: if Compose fails.
    """
    port = check_port(port)
    passwords = keep_secrets(state_folder / _SECRETS_FILE)
    progress("starting Elasticsearch and Kibana with Docker Compose", None)
    settings = {"ES_PORT": str(port), "CITESPAN_ES_HEAP": read_heap_size()}
    _compose(state_folder, ["up", "--detach"], settings)
    url = f"http://{LOOPBACK}:{port}"
    with Elasticsearch(url, basic_auth=("elastic", passwords["ELASTIC_PASSWORD"])) as client:
        return NodeState("compose", url, api_key=make_api_key(client))


def stop(state_folder: Path, *, delete_data: bool) -> None:
    """Stop both, and delete their volumes if `delete_data`.

    Raises:
        ComposeError: if Compose fails.
    """
    _compose(state_folder, ["down", *(["--volumes"] if delete_data else [])], {})


def read_logs(state_folder: Path, lines: int) -> list[str]:
    """Return the last lines of the server's log, oldest first.

    Raises:
        ComposeError: if Compose fails.
    """
    command = ["logs", "--no-color", "--no-log-prefix", "--tail", str(lines), "elasticsearch"]
    return _compose(state_folder, command, {}).splitlines()


def keep_secrets(file: Path) -> dict[str, str]:
    """Return the passwords in `file`; if there is no file, write random ones, readable by its owner
    only."""
    if not file.exists():
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as output:
            output.writelines(f"{name}={secrets.token_urlsafe(24)}\n" for name in SECRETS)
    pairs = (line.partition("=") for line in file.read_text(encoding="ascii").splitlines())
    return {name: value for name, _, value in pairs}


def make_api_key(client: Elasticsearch) -> str:
    """Create an API key for all that citespan does, and nothing else, and return it encoded.

    It expires after `KEY_DAYS`; `citespan node up` then creates another. Earlier keys of the same
    name are invalidated.
    """
    client.security.invalidate_api_key(name=KEY_NAME, owner=True)
    role = json.loads((files("citespan.deploy") / "roles" / "operate.json").read_text("utf-8"))
    created = client.security.create_api_key(
        name=KEY_NAME, role_descriptors={KEY_NAME: role}, expiration=f"{KEY_DAYS}d"
    )
    return str(created["encoded"])


def _compose(state_folder: Path, arguments: Sequence[str], settings: dict[str, str]) -> str:
    with as_file(files("citespan.deploy") / "compose.yml") as file:
        project = ["docker", "compose", "--project-name", PROJECT, "--file", str(file)]
        passwords = ["--env-file", str(state_folder / _SECRETS_FILE)]
        done = subprocess.run(  # noqa: S603  no shell; the arguments are ours
            [*project, *passwords, *arguments],
            env=os.environ | settings,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no reason given"]
        raise ComposeError(
            f"docker compose {arguments[0]} failed ({said[-1]}); see docker compose "
            f"--project-name {PROJECT} logs, or set ES_HOME or CITESPAN_ES_URL to use no Docker"
        )
    return done.stdout

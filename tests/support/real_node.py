"""What tests need to act as the user of a node: folders, environment, the command line."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from forking_server import start_server

from citespan.deploy.node.lifecycle import down, up
from citespan.deploy.node.paths import folders
from citespan.deploy.node.state import USER, NodeState

_SERVER_VARIABLES = ("CITESPAN_ES_URL", "CITESPAN_ES_API_KEY", "CITESPAN_ES_CA")
_SOON_READY = {"ES_JAVA_OPTS": "-XX:TieredStopAtLevel=1"}  # a test ends before the rest pays
_MEMORY, _ROOM = Path("/dev/shm"), 4 * 2**30
_NO_DOCKER = {"DOCKER_HOST": "unix:///nowhere/docker.sock"}  # a developer's volumes are theirs


def new_home() -> Path:
    """An empty folder for CITESPAN_HOME that other accounts can enter, unlike tmp_path.

    It is in memory if there is room: to create and to delete indices, a server waits for the disk.
    """
    has_room = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM
    home = Path(tempfile.mkdtemp(prefix="citespan-tests-", dir=_MEMORY if has_room else None))
    home.chmod(0o755)
    return home


def environment_of(home: Path, **more: str) -> dict[str, str]:
    """The environment of a user whose files are below `home`, but for the distribution, which
    is shared so that it is assembled once."""
    kept = {k: v for k, v in os.environ.items() if k not in _SERVER_VARIABLES}
    own = {"CITESPAN_HOME": str(home), "CITESPAN_CACHE": str(folders().cache)}
    return kept | _NO_DOCKER | _SOON_READY | own | more


def become_user_of(home: Path, patch: pytest.MonkeyPatch) -> None:
    """Give this process that environment until `patch` is undone."""
    wanted = environment_of(home)
    for name in _SERVER_VARIABLES:
        patch.delenv(name, raising=False)
    for name, value in wanted.items():
        patch.setenv(name, value)


@contextmanager
def as_user_of(home: Path) -> Iterator[None]:
    """This process with that environment."""
    with pytest.MonkeyPatch.context() as patch:
        become_user_of(home, patch)
        yield


@contextmanager
def running_node() -> Iterator[Path]:
    """CITESPAN_HOME of a node that is started, and stopped at the end."""
    home = new_home()
    try:
        with as_user_of(home):
            up(port=0)
        yield home
    finally:
        with as_user_of(home):
            down()
        shutil.rmtree(home)


def address_of(state: NodeState) -> str:
    """The addresses of a node or cluster with the password in them, as CITESPAN_ES_URL and any
    client take them."""
    login = f"://{USER}:{state.password}@" if state.password else "://"
    return state.addresses.replace("://", login)


@contextmanager
def using(url: str) -> Iterator[None]:
    """This process with CITESPAN_ES_URL and nothing else about a server."""
    with pytest.MonkeyPatch.context() as patch:
        for name in _SERVER_VARIABLES:
            patch.delenv(name, raising=False)
        patch.setenv("CITESPAN_ES_URL", url)
        yield


def empty_node(es: Elasticsearch) -> None:
    """Delete all indices of citespan."""
    names = list(
        es.indices.get(index="citespan-*", expand_wildcards="all", filter_path="*.aliases")
    )
    for at in range(0, len(names), 50):
        es.indices.delete(index=names[at : at + 50], ignore_unavailable=True)


def run_citespan(
    *arguments: str, env: Mapping[str, str] | None = None, typed: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the real command line in a process of its own; `typed` is its standard input."""
    return subprocess.run(
        [*start_server(), *arguments],
        env=env,
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )

"""A real Elasticsearch for the integration tests, started the way that users start theirs."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from real_node import address_of, as_user_of, empty_node, run_citespan, running_node, using

from citespan.deploy.client import connect
from citespan.deploy.node.lifecycle import up

# Processes that read import what makes their client from the tests.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(Path(__file__).parents[1] / "support"), os.environ.get("PYTHONPATH")])
)
Citespan = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def environment_is_restored() -> Iterator[None]:
    """Fails a test that leaves the next one in another environment: variables that are patched
    twice come back wrong when the patches are undone in the wrong order."""
    before = _own_variables()
    yield
    after = _own_variables()
    after.pop("CITESPAN_ES_URL", None)  # a test that asks for `node` late starts it for the rest
    before.pop("CITESPAN_ES_URL", None)
    assert after == before


def _own_variables() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith("CITESPAN_")}


@pytest.fixture(scope="session")
def node_home() -> Iterator[Path]:
    """CITESPAN_HOME of a running node: one per worker of pytest-xdist, since tests change what
    holds for a whole cluster."""
    with running_node() as home:
        yield home


@pytest.fixture(scope="session")
def node_address(node_home: Path) -> Iterator[str]:
    """The address of a running node, with its password, which CITESPAN_ES_URL names for the rest of
    the session."""
    with as_user_of(node_home):
        url = address_of(up())
    with using(url):
        yield url


@pytest.fixture(scope="module")
def node(node_address: str) -> str:
    """The address of the node, which is empty when a file of tests begins: what another file has
    left would make a test pass or fail by the order of the files."""
    with connect() as client:
        empty_node(client)
    return node_address


@pytest.fixture
def es(node: str) -> Iterator[Elasticsearch]:
    """A client of the node, as all commands get theirs."""
    with connect() as client:
        yield client


@pytest.fixture
def citespan(node: str) -> Citespan:
    """Runs the real command line on the node: citespan("search", "a citance", ...)."""
    return run_citespan

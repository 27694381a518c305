"""A real Elasticsearch for the integration tests, started the way that users start theirs."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from real_node import as_user_of, new_home, run_citespan, using

from citespan.deploy.node import down, up
from citespan.deploy.node.client import connect

Citespan = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def node_home() -> Iterator[Path]:
    """CITESPAN_HOME of a running node: one per worker of pytest-xdist, since tests change what
    holds for a whole cluster."""
    home = new_home()
    try:
        with as_user_of(home):
            up(port=0)
        yield home
    finally:
        with as_user_of(home):
            down()
        shutil.rmtree(home)


@pytest.fixture(scope="session")
def node(node_home: Path) -> Iterator[str]:
    """The address of a running node, which CITESPAN_ES_URL names for the rest of the session."""
    with as_user_of(node_home):
        url = up().url
    with using(url):
        yield url


@pytest.fixture
def es(node: str) -> Iterator[Elasticsearch]:
    """A client of the node, as all commands get theirs."""
    with connect() as client:
        yield client


@pytest.fixture
def citespan(node: str) -> Citespan:
    """Runs the real command line on the node: citespan("search", "a citance", ...)."""
    return run_citespan

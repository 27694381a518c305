"""A node for benchmarks alone, started and stopped as users do, and commands run against it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from citespan.deploy.client import connect, find_server
from citespan.deploy.node.paths import folders
from citespan.deploy.node.state import USER
from citespan.es_mappings import articles, citations
from citespan.es_mappings.sentences import SENTENCES
from citespan.es_mappings.spans import ALL_SPANS

_SETTLING = 4  # seconds; files of deleted indices are removed in the background


@contextmanager
def own_node(nodes: int = 1, home: Path | None = None) -> Iterator[str]:
    """The address of a new, empty node, or those of a cluster, with the password; CITESPAN_ES_URL
    names it meanwhile.

    Args:
        home: the folder of all that is stored, which stays; None for a temporary one.
    """
    kept, home = home is not None, home or Path(tempfile.mkdtemp(prefix="citespan-bench-node-"))
    home.mkdir(exist_ok=True)
    home.chmod(0o755)
    cache = folders().cache
    os.environ.pop("CITESPAN_ES_URL", None)
    os.environ |= {"CITESPAN_HOME": str(home), "CITESPAN_CACHE": str(cache)}
    try:
        citespan("node", "up", "--port", "0", "--nodes", str(nodes))
        state = find_server()
        url = state.addresses.replace("://", f"://{USER}:{state.password}@")
        os.environ["CITESPAN_ES_URL"] = url
        yield url
    finally:
        os.environ.pop("CITESPAN_ES_URL", None)
        citespan("node", "down")
        if not kept:
            shutil.rmtree(home)


def citespan(*arguments: str) -> dict[str, Any]:
    """What the real command line prints with --json.

    Raises:
        RuntimeError: if it fails.
    """
    print("citespan", *arguments, file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "citespan.cli.main", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def server_process() -> psutil.Process:
    """The process that listens at the port of CITESPAN_ES_URL."""
    port = urlsplit(os.environ["CITESPAN_ES_URL"]).port
    return next(
        psutil.Process(connection.pid)
        for connection in psutil.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
        and connection.laddr
        and connection.laddr.port == port
        and connection.pid
    )


def naive(folder: Path) -> float:
    """Seconds that the naive loader takes for a folder of JATS files."""
    command = [sys.executable, "-m", "benchmarks.naive_loader", str(folder)]
    started = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - started


def wipe() -> None:
    """Delete all articles, and give the server time to be done with it."""
    client = connect()
    patterns = [ALL_SPANS, f"{SENTENCES}-*"]
    names = list(client.indices.get(index=patterns, filter_path="*.aliases"))
    for at in range(0, len(names), 50):
        client.indices.delete(index=names[at : at + 50])
    client.indices.delete(index=[articles.INDEX, citations.INDEX], ignore_unavailable=True)
    time.sleep(_SETTLING)

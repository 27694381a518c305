"""The configuration of a local node, written at each start, its one user, and its ports."""

import base64
import hashlib
import os
import re
import secrets
import shutil
import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from random import SystemRandom

import yaml

from citespan.deploy.node.errors import NodeError, PortTakenError
from citespan.deploy.node.state import USER
from citespan.pipelines.errors import InputError

LOOPBACK = "127.0.0.1"
_HIGHEST = 65535
_OFFERED = range(10_000, 32_768)  # Linux gives outgoing connections those from 32768 on


def find_free_port() -> int:
    """Return a port that nobody listens on at this moment."""
    return find_free_ports(1)[0]


def find_free_ports(count: int) -> list[int]:
    """Return different ports that nobody listens on at this moment. They are lower than those that
    systems give to outgoing connections, which could take a port before a server listens on it.

    Raises:
        NodeError: if there are not so many.
    """
    free: list[int] = []
    with ExitStack() as stack:
        for port in SystemRandom().sample(_OFFERED, len(_OFFERED)):
            if len(free) == count:
                return free
            probe = stack.enter_context(socket.socket())
            with suppress(OSError):
                probe.bind((LOOPBACK, port))
                free.append(port)
    raise NodeError(f"no {count} ports from {_OFFERED[0]} to {_OFFERED[-1]} are free; name one")


def check_port(port: int) -> int:
    """Return the port if it is free, or a free one for 0.

    Raises:
        InputError: if it is no port, or one that this user may not listen on.
        PortTakenError: if another program listens on it.
    """
    if not 0 <= port <= _HIGHEST:
        raise InputError(f"{port} is no port: `port` takes 1 to {_HIGHEST}, or 0 for a free one")
    if port == 0:
        return find_free_port()
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except PermissionError as error:
            raise InputError(
                f"this user may not listen on port {port}; choose one above 1023 with `port`"
            ) from error
        except OSError as error:
            raise PortTakenError(port) from error
    return port


DEFAULT_HEAP = "1g"
LEAST_SPACE = 2_000_000_000
"""Free bytes below which the server, as configured here, allocates no new indices."""

_NAME = "citespan"
_OWN_FILES = ("elasticsearch.yml", "elasticsearch.keystore*", "certs")


def make_settings(
    distribution: Path,
    *,
    port: int,
    transport_port: int,
    data: Path,
    logs: Path,
    cluster: Sequence[int] = (),
    is_new: bool = True,
) -> dict[str, object]:
    """Return the settings of a node that only this machine can reach.

    Args:
        cluster: transport ports of all nodes of its cluster; none for a single node.
        is_new: whether the nodes of the cluster start together, and have to find each other; a
            node that joins the others when they are running must not found a cluster of its own.
    """
    chosen: dict[str, object] = {
        "cluster.name": _NAME,
        **_name_node(transport_port, cluster, is_new=is_new),
        "network.host": LOOPBACK,
        "http.port": port,
        "transport.port": transport_port,
        # by default a server waits without end for running requests before it stops
        "http.shutdown_grace_period": "5s",
        "path.data": str(data),
        "path.logs": str(logs),
        "path.repo": [str(snapshots_folder(data))],
        # by default a percentage of the disk: too much on a large disk that is nearly full
        "cluster.routing.allocation.disk.watermark.low": f"{LEAST_SPACE}b",
        "cluster.routing.allocation.disk.watermark.high": f"{LEAST_SPACE // 2}b",
        "cluster.routing.allocation.disk.watermark.flood_stage": f"{LEAST_SPACE // 4}b",
    }
    # a server stops at a setting that none of its modules knows
    if has_security(distribution):
        chosen["xpack.security.enabled"] = True
        # nothing leaves the machine, and no authority has signed a certificate for it
        chosen["xpack.security.http.ssl.enabled"] = False
        chosen["xpack.security.transport.ssl.enabled"] = False
    return chosen


def has_security(distribution: Path) -> bool:
    """Return whether a distribution can refuse those who have no password."""
    return (distribution / "modules" / "x-pack-security").is_dir()


def _name_node(transport_port: int, cluster: Sequence[int], *, is_new: bool) -> dict[str, object]:
    if not cluster:
        return {"node.name": _NAME, "discovery.type": "single-node"}
    names = {port: f"{_NAME}-{number}" for number, port in enumerate(cluster, 1)}
    return {
        "node.name": names[transport_port],
        "discovery.seed_hosts": [f"{LOOPBACK}:{port}" for port in cluster],
        **({"cluster.initial_master_nodes": list(names.values())} if is_new else {}),
    }


def snapshots_folder(data: Path) -> Path:
    """Return where the node may keep snapshots: beside its data, so that deleting the data keeps
    them."""
    return data.parent / "snapshots"


def read_heap_size() -> str:
    """Return CITESPAN_ES_HEAP, or the default.

    Raises:
        InputError: if it isn't a size such as 2g or 512m.
    """
    heap = os.environ.get("CITESPAN_ES_HEAP") or DEFAULT_HEAP
    if not re.fullmatch(r"[1-9]\d*[mgMG]", heap):
        raise InputError(f"CITESPAN_ES_HEAP is '{heap}'; give a size such as 2g or 512m")
    return heap


def write_config(
    distribution: Path, target: Path, chosen: Mapping[str, object], heap: str, password: str = ""
) -> None:
    """Write a configuration to the folder `target`: the distribution's files with our settings.

    The user's settings, certificates and keystore are not copied: they are for another node.

    Args:
        distribution: an unpacked Elasticsearch.
        target: made anew.
        chosen: what `make_settings` returned.
        heap: such as "1g".
        password: of `USER`, the only one who may ask; "" for no user.
    """
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(
        distribution / "config",
        target,
        ignore=shutil.ignore_patterns(*_OWN_FILES),
        copy_function=shutil.copyfile,
    )
    (target / "elasticsearch.yml").write_text(yaml.safe_dump(dict(chosen)), encoding="utf-8")
    if password:
        (target / "users").write_text(f"{USER}:{_hash(password)}\n", encoding="ascii")
        (target / "users_roles").write_text(f"superuser:{USER}\n", encoding="ascii")
    options = target / "jvm.options.d"
    options.mkdir(exist_ok=True)
    (options / "citespan.options").write_text(f"-Xms{heap}\n-Xmx{heap}\n", encoding="utf-8")


_ROUNDS = 10_000


def _hash(password: str) -> str:
    """Return what the server's file of users has of a password."""
    salt = secrets.token_bytes(32)
    key = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ROUNDS, 32)
    salted, hashed = (base64.b64encode(part).decode() for part in (salt, key))
    return f"{{PBKDF2}}{_ROUNDS}${salted}${hashed}"

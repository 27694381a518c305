"""The configuration of a local node, written afresh at each start."""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import yaml

from citespan.deploy.node.ports import LOOPBACK
from citespan.pipelines.errors import InputError

DEFAULT_HEAP = "1g"
LEAST_SPACE = 2_000_000_000
"""Bytes free below which the server, as set up here, gives no room to new indices."""

_NAME = "citespan"
_OWN_FILES = ("elasticsearch.yml", "elasticsearch.keystore*", "certs")


def settings(
    distribution: Path, *, port: int, transport_port: int, data: Path, logs: Path
) -> dict[str, object]:
    """The settings of a single node that only this machine can reach."""
    chosen: dict[str, object] = {
        "cluster.name": _NAME,
        "node.name": _NAME,
        "discovery.type": "single-node",
        "network.host": LOOPBACK,
        "http.port": port,
        "transport.port": transport_port,
        # by default a server that is to stop waits for ever for a request that is under way
        "http.shutdown_grace_period": "5s",
        "path.data": str(data),
        "path.logs": str(logs),
        "path.repo": [str(snapshots_folder(data))],
        # by default a percentage of the disk, which closes a full but large one to all writing
        "cluster.routing.allocation.disk.watermark.low": f"{LEAST_SPACE}b",
        "cluster.routing.allocation.disk.watermark.high": f"{LEAST_SPACE // 2}b",
        "cluster.routing.allocation.disk.watermark.flood_stage": f"{LEAST_SPACE // 4}b",
    }
    # a server stops at a setting that none of its modules knows
    if (distribution / "modules" / "x-pack-core").is_dir():
        chosen["xpack.security.enabled"] = False
    return chosen


def snapshots_folder(data: Path) -> Path:
    """Where the node may keep snapshots: beside its data, so that deleting that leaves them."""
    return data.parent / "snapshots"


def heap_size() -> str:
    """CITESPAN_ES_HEAP, or the default.

    Raises:
        InputError: if it isn't a size such as 2g or 512m.
    """
    heap = os.environ.get("CITESPAN_ES_HEAP") or DEFAULT_HEAP
    if not re.fullmatch(r"[1-9]\d*[mgMG]", heap):
        raise InputError(f"CITESPAN_ES_HEAP is '{heap}'; give a size such as 2g or 512m")
    return heap


def write_config(distribution: Path, target: Path, chosen: Mapping[str, object], heap: str) -> None:
    """Make the folder `target` a configuration: the distribution's own files, but our settings.

    The user's settings, certificates and keystore stay behind: they are for another node.
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
    options = target / "jvm.options.d"
    options.mkdir(exist_ok=True)
    (options / "citespan.options").write_text(f"-Xms{heap}\n-Xmx{heap}\n", encoding="utf-8")

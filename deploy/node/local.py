"""A node that runs as a process of this machine."""

from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from citespan.deploy.node import process, state
from citespan.deploy.node.account import Account, give, node_account, require_reach
from citespan.deploy.node.configure import (
    LEAST_SPACE,
    heap_size,
    settings,
    snapshots_folder,
    write_config,
)
from citespan.deploy.node.jdk import Jdk, find_jdk
from citespan.deploy.node.paths import Folders, make_folder
from citespan.deploy.node.ports import LOOPBACK, free_port, usable_port
from citespan.deploy.node.process import Launch
from citespan.deploy.node.progress import Progress
from citespan.deploy.node.space import require_space
from citespan.deploy.node.state import NodeState
from citespan.pipelines.errors import InputError


def unpacked_distribution(home: Path) -> Path:
    """Check that ES_HOME is an unpacked distribution.

    Raises:
        InputError: if it isn't.
    """
    home = home.expanduser().absolute()
    for part in ("bin/elasticsearch", "config/jvm.options", "lib", "modules"):
        if not (home / part).exists():
            raise InputError(
                f"ES_HOME={home} is no unpacked Elasticsearch distribution: it has no {part}; "
                "correct or unset it"
            )
    return home


@dataclass(frozen=True)
class Plan:
    """What a start needs, found to be there.

    Attributes:
        folders: where its files go.
        jdk: the Java to run on.
        account: whom to run as; None for ourselves.
        port: a free port for HTTP.
        heap: such as "1g".
    """

    folders: Folders
    jdk: Jdk
    account: Account | None
    port: int
    heap: str


def prepare(folders: Folders, port: int, distribution: Path) -> Plan:
    """Check all that a start needs but the distribution itself, which may take long to fetch.

    Args:
        folders: citespan's folders; made here.
        port: HTTP port; 0 for any free one.
        distribution: where the distribution is or will be.

    Raises:
        NodeError, InputError: for whatever would keep the node from starting.
    """
    heap = heap_size()
    jdk = find_jdk(distribution / "jdk")
    account = node_account()
    work, data = work_folder(folders), data_folder(folders)
    for folder in (folders.cache, work, data):
        make_folder(folder)
    require_space(data, LEAST_SPACE, "a node")
    there = distribution if distribution.exists() else distribution.parent
    require_reach(account, [there, jdk.home / "bin", work, data.parent])
    return Plan(folders, jdk, account, usable_port(port), heap)


def start(source: str, distribution: Path, plan: Plan, progress: Progress) -> NodeState:
    """Start a node of the distribution, with its own data, configuration and logs.

    Args:
        source: "distribution" or "assembled", for the state.
        distribution: an unpacked Elasticsearch; nothing is written to it.
        plan: as prepared.
        progress: told what is going on.

    Raises:
        NodeCrashedError: if it ends at once.
    """
    account, state_folder = plan.account, plan.folders.state
    work, data = work_folder(plan.folders), data_folder(plan.folders)
    config, logs, scratch = work / "config", work / "logs", work / "scratch"
    snapshots = snapshots_folder(data)
    for folder in (logs, scratch, snapshots):
        make_folder(folder)
    chosen = settings(
        distribution, port=plan.port, transport_port=free_port(), data=data, logs=logs
    )
    write_config(distribution, config, chosen, plan.heap)
    for folder in (config, logs, scratch, data, snapshots):
        folder.chmod(0o700)
        give(folder, account)
    launch = Launch(distribution, plan.jdk.home, config, scratch, work / "console.log", account)
    log = logs / "citespan.log"
    node = NodeState(source, f"http://{LOOPBACK}:{plan.port}", data=str(data), log=str(log))
    launcher = process.spawn(launch)
    # now, so that a node is found again whose `up` was killed while it waited
    starting = replace(_with_process(node, psutil.Process(launcher.pid)), starting=True)
    state.write(state_folder, starting)
    try:
        return _with_process(node, process.wait_until_up(launcher, launch, progress))
    except BaseException:
        state.forget(state_folder)
        raise


def adopted(node: NodeState, folders: Folders, account: Account | None) -> NodeState | None:
    """The node with its live process, or None if it has ended; waits for one that is starting."""
    if not node.starting:
        return node if node.process() else None
    if launcher := node.process():
        psutil.wait_procs([launcher], timeout=process.START_SECONDS)
    server = process.running_server(work_folder(folders) / "scratch" / "pid", account)
    return replace(_with_process(node, server), starting=False) if server else None


def _with_process(node: NodeState, server: psutil.Process) -> NodeState:
    return replace(node, pid=server.pid, started=server.create_time())


def work_folder(folders: Folders) -> Path:
    """The node's configuration, logs and temporary files."""
    return folders.state / "node"


def data_folder(folders: Folders) -> Path:
    """The node's indices."""
    return folders.data / "node"

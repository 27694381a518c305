"""Nodes that run as processes of this machine: a single one, or a cluster."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from citespan.deploy.node import Progress, process, state
from citespan.deploy.node.configure import (
    LEAST_SPACE,
    LOOPBACK,
    check_port,
    find_free_port,
    find_free_ports,
    has_security,
    make_settings,
    read_heap_size,
    snapshots_folder,
    write_config,
)
from citespan.deploy.node.jdk import Jdk, find_jdk
from citespan.deploy.node.paths import Folders, make_folder, require_space
from citespan.deploy.node.process import Account, Launch, change_owner, find_account, require_access
from citespan.deploy.node.state import NodeState
from citespan.pipelines.errors import InputError


def check_distribution(home: Path) -> Path:
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
    """What a start needs, after all checks.

    Attributes:
        distribution: an unpacked Elasticsearch, or where one will be; nothing is written to it.
        jdk: the Java to run on.
        account: the account to run as; None for this one.
        nodes: those to start; none of them runs.
        cluster: transport ports of all nodes of the cluster; none for a single node.
        is_new: whether `nodes` are all of the cluster.
        heap: of each, such as "1g".
    """

    distribution: Path
    jdk: Jdk
    account: Account | None
    nodes: tuple[NodeState, ...]
    cluster: tuple[int, ...]
    is_new: bool
    heap: str


def prepare(folders: Folders, source: str, distribution: Path, port: int, count: int = 1) -> Plan:
    """Check all that a start needs except the distribution itself, which may take long to fetch.

    Args:
        folders: citespan's folders; made here.
        source: "distribution" or "assembled", for the state.
        distribution: where the distribution is or will be.
        port: HTTP port of the first node, those of the others follow; 0 for any free ones.
        count: how many nodes there are to be.

    Raises:
        NodeError, InputError: if the nodes could not start.
    """
    make_folder(folders.cache)
    free = find_free_ports(2 * count)
    ports = [check_port(port + number) if port else free[number] for number in range(count)]
    cluster = tuple(free[count:]) if count > 1 else ()
    nodes = tuple(
        NodeState(
            source,
            f"http://{LOOPBACK}:{its_port}",
            data=str(folders.data / _name(number, count)),
            log=str(log_file(folders, number, count)),
            transport=free[count + number - 1],
        )
        for number, its_port in enumerate(ports, 1)
    )
    return _check(Plan(distribution, *_find_java(distribution), nodes, cluster, True, ""))


def prepare_again(distribution: Path, cluster: NodeState) -> Plan:
    """Check all that it takes to start those nodes of a cluster again that have ended.

    Raises:
        NodeError, InputError: as `prepare`.
    """
    ended = tuple(node for node in cluster.nodes if node.pid is None)
    for node in ended:
        check_port(_port_of(node))
    ports = tuple(node.transport for node in cluster.nodes if node.transport is not None)
    return _check(Plan(distribution, *_find_java(distribution), ended, ports, False, ""))


def _find_java(distribution: Path) -> tuple[Jdk, Account | None]:
    return find_jdk(distribution / "jdk"), find_account()


def _check(plan: Plan) -> Plan:
    heap = read_heap_size()
    there = plan.distribution if plan.distribution.exists() else plan.distribution.parent
    for node in plan.nodes:
        work, data = _work_of(node), Path(node.data or "")
        for folder in (work, data):
            make_folder(folder)
        require_space(data, LEAST_SPACE, "a node")
        require_access(plan.account, [there, plan.jdk.home / "bin", work, data.parent])
    return replace(plan, heap=heap)


def start(plan: Plan, known: NodeState | None, state_folder: Path, progress: Progress) -> NodeState:
    """Start the nodes of a plan, each with its own data, configuration and logs.

    Args:
        plan: what `prepare` or `prepare_again` returned.
        known: the cluster whose nodes are started again; None for a new one, which gets the
            password of this state folder if the distribution has security.
        state_folder: where the state is written.
        progress: called with each step.

    Returns:
        The node, or the cluster of all nodes.

    Raises:
        NodeCrashedError: if one ends at once.
    """
    if known is None and has_security(plan.distribution):
        password = state.keep_password(state_folder)
        plan = replace(plan, nodes=tuple(replace(node, password=password) for node in plan.nodes))
    launches = [_configure(plan, node) for node in plan.nodes]
    launchers: list[subprocess.Popen[bytes]] = []
    try:
        launchers += map(process.spawn, launches)
        # written now, so that they are found again if `up` is killed while it waits
        starting = [
            replace(_add_process(node, psutil.Process(launcher.pid)), starting=True)
            for node, launcher in zip(plan.nodes, launchers, strict=True)
        ]
        state.write(state_folder, _join(known, starting))
        servers = [
            process.wait_until_up(launcher, launch, progress)
            for launcher, launch in zip(launchers, launches, strict=True)
        ]
    except BaseException:
        for launch, launcher in zip(launches, launchers, strict=False):
            process.end_start(launcher, launch)
        if known is None:
            state.forget(state_folder)
        else:
            state.write(state_folder, known)
        raise
    return _join(known, list(map(_add_process, plan.nodes, servers)))


def _configure(plan: Plan, node: NodeState) -> Launch:
    """Write the configuration of a node, and give its folders to the account it runs as."""
    work, data = _work_of(node), Path(node.data or "")
    config, logs, scratch = work / "config", work / "logs", work / "scratch"
    snapshots = snapshots_folder(data)
    for folder in (logs, scratch, snapshots):
        make_folder(folder)
    chosen = make_settings(
        plan.distribution,
        port=_port_of(node),
        transport_port=node.transport or find_free_port(),
        data=data,
        logs=logs,
        cluster=plan.cluster,
        is_new=plan.is_new,
    )
    write_config(plan.distribution, config, chosen, plan.heap, node.password)
    for folder in (config, logs, scratch, data, snapshots):
        folder.chmod(0o700)
        change_owner(folder, plan.account)
    console = work / "console.log"
    return Launch(plan.distribution, plan.jdk.home, config, scratch, console, plan.account)


def _join(known: NodeState | None, nodes: Sequence[NodeState]) -> NodeState:
    """Return the cluster of all nodes, in their order."""
    started = {node.url: node for node in nodes}
    before = known.nodes if known is not None else nodes
    first, *others = (started.get(node.url, node) for node in before)
    return replace(first, others=tuple(others))


def adopt(known: NodeState, account: Account | None) -> NodeState | None:
    """Return the node, or the cluster, with its live processes, or None if it has ended; wait for
    one that is starting. A node of a cluster that has ended has no process."""
    nodes = [_adopt(node, account) for node in known.nodes]
    return _join(None, nodes) if any(node.pid for node in nodes) else None


def _adopt(node: NodeState, account: Account | None) -> NodeState:
    ended = replace(node, pid=None, started=None, starting=False)
    if not node.starting:
        return node if node.process() else ended
    if launcher := node.process():
        psutil.wait_procs([launcher], timeout=process.START_SECONDS)
    server = process.find_server_process(_work_of(node) / "scratch" / "pid", account)
    return replace(_add_process(node, server), starting=False) if server else ended


def _add_process(node: NodeState, server: psutil.Process) -> NodeState:
    return replace(node, pid=server.pid, started=server.create_time())


def _port_of(node: NodeState) -> int:
    return int(node.url.rpartition(":")[2])


def _work_of(node: NodeState) -> Path:
    """Return the folder of a node's configuration, logs and temporary files."""
    return Path(node.log or "").parents[1]


def log_file(folders: Folders, number: int = 1, count: int = 1) -> Path:
    """Return the log of a node."""
    return folders.state / _name(number, count) / "logs" / "citespan.log"


def data_folders(folders: Folders, count: int) -> list[Path]:
    """Return the folders of all indices of a server of so many nodes. A cluster of another size has
    others, since each node of a cluster has only a part of them."""
    return [folders.data / _name(number, count) for number in range(1, count + 1)]


def _name(number: int, count: int) -> str:
    return "node" if count == 1 else f"node-{number}-of-{count}"

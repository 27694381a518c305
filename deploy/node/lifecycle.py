"""Up, down, status and logs of the server that citespan works with."""

import os
import shutil
import time
from dataclasses import dataclass, replace
from pathlib import Path

from citespan.deploy import client
from citespan.deploy.node import Progress, compose, local, process, silent
from citespan.deploy.node import state as state_file
from citespan.deploy.node.assemble import assemble, distribution_folder
from citespan.deploy.node.paths import Folders, folders, make_folder, translate_os_errors
from citespan.deploy.node.process import find_account, read_last_lines
from citespan.deploy.node.state import NodeState, hold_lock
from citespan.pipelines.errors import ElasticsearchUnreachableError, InputError

_ANSWER_SECONDS = 60
_SHOWN_LINES = 10


@dataclass(frozen=True)
class NodeStatus:
    """The state of the server in use.

    Attributes:
        running: whether it answers.
        node: the server, if one is known; nodes of a cluster that have ended have no process.
        problem: one line on why it doesn't answer, or which nodes of a cluster have ended; empty if
            all is well.
        last_lines: the last lines of the log, if the process ended unexpectedly.
    """

    running: bool
    node: NodeState | None
    problem: str = ""
    last_lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class StoppedNode:
    """The result of `down`.

    Attributes:
        node: the server that was stopped; None if none was running.
        deleted: the data that was deleted; empty if none was.
    """

    node: NodeState | None
    deleted: str = ""


def up(port: int | None = None, progress: Progress = silent, nodes: int | None = None) -> NodeState:
    """Find or start a server, and return how to reach it.

    In this order: CITESPAN_ES_URL; the one that an earlier `up` started; a distribution at
    ES_HOME; Docker Compose, if an engine answers and one node is enough; a node assembled with
    Maven. Of a cluster that an earlier `up` started, nodes that have ended are started again, at
    their old addresses, even if all of them have.

    Args:
        port: HTTP port of the first node that has to be started, those of the others follow; None
            or 0 for any free ones.
        progress: called with each step.
        nodes: of the cluster; None for one, or as many as run already.

    Raises:
        ElasticsearchUnreachableError: if the server at CITESPAN_ES_URL doesn't answer.
        NodeError, InputError: if a new one can't start.
    """
    if named := client.read_environment():
        if nodes is not None and nodes > 1:
            raise InputError(
                f"`nodes` starts nodes on this machine, and CITESPAN_ES_URL names {named.url}; "
                "unset one of the two"
            )
        return _ask_version(replace(named, found=True))
    place = folders()
    make_folder(place.state)
    with translate_os_errors(), hold_lock(place.state / "node.lock", progress):
        if running := _find_running(place):
            running = replace(running, found=True)
        elif port is None:
            running = _find_ended_cluster(place, nodes)
        if running:
            if nodes not in (None, len(running.nodes)):
                raise InputError(
                    f"a server of {len(running.nodes)} nodes runs at {running.addresses}; stop it "
                    "with `citespan node down` to start one of another size"
                )
            whole = _restart_ended(place, running, progress)
            node = _wait_for_answer(whole, progress)
        else:
            node = _wait_for_answer(_start(place, port or 0, nodes or 1, progress), progress)
        state_file.write(place.state, replace(node, found=False))
        return node


def down(delete_data: bool = False) -> StoppedNode:
    """Stop the server that `up` started; its data is kept unless `delete_data`.

    Raises:
        InputError: if the server in use is one that CITESPAN_ES_URL names.
        ComposeError: if Docker Compose fails.
    """
    _refuse_foreign("stop")
    place = folders()
    if not place.state.is_dir():
        return StoppedNode(None)
    with translate_os_errors(), hold_lock(place.state / "node.lock", silent):
        known = state_file.read(place.state)
        running = _find_running(place)
        if known and known.source == "compose":
            compose.stop(place.state, delete_data=delete_data)
            deleted = "the volumes of Docker Compose" if delete_data else ""
        else:
            if running:
                process.end(*(server for node in running.nodes if (server := node.process())))
            count = len(known.nodes) if known else 1
            deleted = _delete_data(local.data_folders(place, count)) if delete_data else ""
        state_file.forget(place.state)
        return StoppedNode(running, deleted)


def check_status() -> NodeStatus:
    """Return the state of the server in use.

    Raises:
        InputError: if CITESPAN_ES_URL or CITESPAN_ES_CA is malformed.
    """
    try:
        node = client.find_server()
    except ElasticsearchUnreachableError as error:
        return NodeStatus(False, None, str(error))
    if node.source in ("distribution", "assembled"):
        if node.starting and node.process():
            return NodeStatus(False, node, f"the node at {node.url} is still starting")
        alive = local.adopt(node, find_account())
        if alive is None:
            problem = (
                f"the node at {node.addresses} has ended by itself; start it again with "
                "`citespan node up`"
            )
            lines = read_last_lines(Path(node.log), _SHOWN_LINES) if node.log else []
            return NodeStatus(False, node, problem, tuple(lines))
        node = alive
    try:
        answered = _ask_version(node)
        return NodeStatus(True, answered, _describe_ended(answered))
    except ElasticsearchUnreachableError as error:
        return NodeStatus(False, node, str(error))


def read_logs(lines: int) -> list[str]:
    """Return the last lines of the log of the server that `up` started, oldest first.

    Raises:
        InputError: if the server isn't ours, or none was ever started.
        ComposeError: if Docker Compose fails.
    """
    _refuse_foreign("show logs of")
    place = folders()
    node = state_file.read(place.state)
    if node and node.source == "compose":
        return compose.read_logs(place.state, lines)
    known = [Path(started.log) for started in node.nodes if started.log] if node else []
    logs = known or [local.log_file(place)]
    found = [
        line
        for log in logs
        for line in read_last_lines(log, lines)
        or read_last_lines(log.parents[1] / "console.log", lines)
    ]
    if not found:
        raise InputError(
            f"there is no log at {logs[0]}: no node was started; see `citespan node up`"
        )
    return found


def _start(place: Folders, port: int, nodes: int, progress: Progress) -> NodeState:
    if home := os.environ.get("ES_HOME"):
        distribution = local.check_distribution(Path(home))
        plan = local.prepare(place, "distribution", distribution, port, nodes)
    elif nodes == 1 and compose.is_available():
        return compose.start(place.state, port, progress)
    else:
        plan = local.prepare(place, "assembled", distribution_folder(place.cache), port, nodes)
        assemble(place.cache, progress)
    return local.start(plan, None, place.state, progress)


def _restart_ended(place: Folders, running: NodeState, progress: Progress) -> NodeState:
    """Start those nodes of a cluster again that have ended."""
    if not _describe_ended(running):
        return running
    if running.source == "distribution":
        distribution = local.check_distribution(Path(os.environ.get("ES_HOME", "")))
    else:
        distribution = assemble(place.cache, progress)
    plan = local.prepare_again(distribution, running)
    return local.start(plan, running, place.state, progress)


def _describe_ended(cluster: NodeState) -> str:
    """Return in one line which nodes of a cluster that runs have ended; "" if none has."""
    ended = [node.url for node in cluster.nodes if node.pid is None]
    if not cluster.others or not ended:
        return ""
    return (
        f"{len(ended)} of {len(cluster.nodes)} nodes have ended by themselves: {', '.join(ended)}; "
        "start them again with `citespan node up`"
    )


def _find_running(place: Folders) -> NodeState | None:
    """Return the server that an earlier `up` started, if it is still running."""
    node = state_file.read(place.state)
    if node is None:
        return None
    if node.source == "compose":
        try:
            return _ask_version(node)
        except ElasticsearchUnreachableError:
            return None
    return local.adopt(node, find_account())


def _find_ended_cluster(place: Folders, nodes: int | None) -> NodeState | None:
    """Return the cluster that an earlier `up` started, if all its nodes have ended by themselves.

    Args:
        nodes: how many it is to have; None for any number.
    """
    known = state_file.read(place.state)
    if known is None or not known.others or nodes not in (None, len(known.nodes)):
        return None
    first, *others = (
        replace(started, pid=None, started=None, starting=False) for started in known.nodes
    )
    return replace(first, others=tuple(others))


def _ask_version(node: NodeState) -> NodeState:
    """Return the state with the server's version, once it has answered."""
    connected, info = client.reach(node)
    connected.close()
    return replace(node, version=str(info["version"]["number"]))


def _wait_for_answer(node: NodeState, progress: Progress) -> NodeState:
    """Do as `_ask_version`, and wait until earlier indices can be searched again."""
    until = time.monotonic() + _ANSWER_SECONDS
    while True:
        try:
            connected, info = client.reach(node)
            break
        except ElasticsearchUnreachableError:
            if time.monotonic() > until:
                raise
        progress("waiting for Elasticsearch to answer", None)
        time.sleep(0.3)
    progress("waiting for the indices of Elasticsearch", None)
    with connected:
        # 408: there are many indices, or damaged ones; the server is up nevertheless
        patient = connected.options(ignore_status=408)
        patient.cluster.health(
            wait_for_status="yellow",
            wait_for_nodes=f">={len(node.nodes)}",
            timeout=f"{_ANSWER_SECONDS}s",
        )
    return replace(node, version=str(info["version"]["number"]))


def _refuse_foreign(action: str) -> None:
    if named := client.read_environment():
        raise InputError(
            f"{named.url} isn't citespan's to {action}: CITESPAN_ES_URL names it; unset that to "
            "act on a node that `citespan node up` started"
        )


def _delete_data(data: list[Path]) -> str:
    present = [folder for folder in data if folder.exists()]
    for folder in present:
        shutil.rmtree(folder)
    return ", ".join(map(str, present))

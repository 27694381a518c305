"""Up, down, status and logs of the server that citespan works with."""

import os
import shutil
import time
from dataclasses import dataclass, replace
from pathlib import Path

from citespan.deploy.node import client, compose, local, process
from citespan.deploy.node import state as state_file
from citespan.deploy.node.account import node_account
from citespan.deploy.node.assemble import assembled, distribution_folder
from citespan.deploy.node.lock import locked
from citespan.deploy.node.log import last_lines
from citespan.deploy.node.paths import Folders, folders, make_folder
from citespan.deploy.node.progress import Progress, silent
from citespan.deploy.node.state import NodeState
from citespan.pipelines.errors import ElasticsearchUnreachableError, InputError

DEFAULT_PORT = 9200
_ANSWER_SECONDS = 60
_SHOWN_LINES = 10


@dataclass(frozen=True)
class NodeStatus:
    """How the server in use is.

    Attributes:
        running: whether it answers.
        node: the server, if one is known.
        problem: one line on why it doesn't answer; empty if it does.
        last_lines: the last lines of its log if its process has ended by itself.
    """

    running: bool
    node: NodeState | None
    problem: str = ""
    last_lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stopped:
    """What `down` did.

    Attributes:
        node: the server that was stopped; None if none ran.
        deleted: the data that was deleted; empty if none was.
    """

    node: NodeState | None
    deleted: str = ""


def up(port: int | None = None, progress: Progress = silent) -> NodeState:
    """A running server, found or started.

    In this order: CITESPAN_ES_URL; the one that an earlier `up` started; a distribution at
    ES_HOME; Docker Compose, if an engine answers; a node assembled with Maven.

    Args:
        port: HTTP port of a server that has to be started; 0 for any free one.
        progress: told what is going on.

    Raises:
        ElasticsearchUnreachableError: if the server at CITESPAN_ES_URL doesn't answer.
        NodeError, InputError: for whatever keeps a new one from starting.
    """
    if named := client.from_environment():
        return _answering(replace(named, found=True))
    place = folders()
    make_folder(place.state)
    with locked(place.state / "node.lock", progress):
        if running := _running(place):
            node = _wait_for_answer(replace(running, found=True), progress)
        else:
            wanted = DEFAULT_PORT if port is None else port
            node = _wait_for_answer(_start(place, wanted, progress), progress)
        state_file.write(place.state, replace(node, found=False))
        return node


def down(delete_data: bool = False) -> Stopped:
    """Stop the server that `up` started; its data stays unless told otherwise.

    Raises:
        InputError: if the server in use is one that CITESPAN_ES_URL names.
        ComposeError: if Docker Compose fails.
    """
    _refuse_foreign("stop")
    place = folders()
    if not place.state.is_dir():
        return Stopped(None)
    with locked(place.state / "node.lock", silent):
        known = state_file.read(place.state)
        running = _running(place)
        if known and known.source == "compose":
            compose.stop(place.state, delete_data=delete_data)
            deleted = "the volumes of Docker Compose" if delete_data else ""
        else:
            if running and (server := running.process()):
                process.end(server)
            deleted = _delete(local.data_folder(place)) if delete_data else ""
        state_file.forget(place.state)
        return Stopped(running, deleted)


def status() -> NodeStatus:
    """How the server in use is.

    Raises:
        InputError: if CITESPAN_ES_URL or CITESPAN_ES_CA is malformed.
    """
    try:
        node = client.in_use()
    except ElasticsearchUnreachableError as error:
        return NodeStatus(False, None, str(error))
    place = folders()
    if node.source in ("distribution", "assembled"):
        if node.starting and node.process():
            return NodeStatus(False, node, f"the node at {node.url} is only starting")
        alive = local.adopted(node, place, node_account())
        if alive is None:
            problem = (
                f"the node at {node.url} has ended by itself; start it again with "
                "`citespan node up`"
            )
            lines = last_lines(Path(node.log), _SHOWN_LINES) if node.log else []
            return NodeStatus(False, node, problem, tuple(lines))
        node = alive
    try:
        return NodeStatus(True, _answering(node))
    except ElasticsearchUnreachableError as error:
        return NodeStatus(False, node, str(error))


def logs(lines: int) -> list[str]:
    """The last lines of the log of the server that `up` started, oldest first.

    Raises:
        InputError: if the server isn't ours, or nothing was ever started.
        ComposeError: if Docker Compose fails.
    """
    _refuse_foreign("show logs of")
    place = folders()
    node = state_file.read(place.state)
    if node and node.source == "compose":
        return compose.logs(place.state, lines)
    work = local.work_folder(place)
    log = work / "logs" / "citespan.log"
    found = last_lines(log, lines) or last_lines(work / "console.log", lines)
    if not found:
        raise InputError(f"there is no log at {log}: no node was started; see `citespan node up`")
    return found


def _start(place: Folders, port: int, progress: Progress) -> NodeState:
    if home := os.environ.get("ES_HOME"):
        distribution = local.unpacked_distribution(Path(home))
        plan = local.prepare(place, port, distribution)
        return local.start("distribution", distribution, plan, progress)
    if compose.available():
        return compose.start(place.state, port, progress)
    plan = local.prepare(place, port, distribution_folder(place.cache))
    return local.start("assembled", assembled(place.cache, progress), plan, progress)


def _running(place: Folders) -> NodeState | None:
    """The server that an earlier `up` started, if it still runs."""
    node = state_file.read(place.state)
    if node is None:
        return None
    if node.source == "compose":
        try:
            return _answering(node)
        except ElasticsearchUnreachableError:
            return None
    return local.adopted(node, place, node_account())


def _answering(node: NodeState) -> NodeState:
    """The state with the server's version filled in, once it has answered."""
    connected, info = client.reach(node)
    connected.close()
    return replace(node, version=str(info["version"]["number"]))


def _wait_for_answer(node: NodeState, progress: Progress) -> NodeState:
    """As `_answering`, and wait until earlier indices can be searched again."""
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
        # 408: indices are many or damaged; the server is up all the same
        patient = connected.options(ignore_status=408)
        patient.cluster.health(wait_for_status="yellow", timeout=f"{_ANSWER_SECONDS}s")
    return replace(node, version=str(info["version"]["number"]))


def _refuse_foreign(what: str) -> None:
    if named := client.from_environment():
        raise InputError(
            f"{named.url} isn't citespan's to {what}: CITESPAN_ES_URL names it; unset that to act "
            "on a node that `citespan node up` started"
        )


def _delete(data: Path) -> str:
    if not data.exists():
        return ""
    shutil.rmtree(data)
    return str(data)

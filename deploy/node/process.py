"""Starting and ending the server's process."""

import contextlib
import os
import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from citespan.deploy.node.account import Account
from citespan.deploy.node.errors import NodeCrashedError
from citespan.deploy.node.log import telling_lines
from citespan.deploy.node.progress import Progress

START_SECONDS = 300
"""How long a server may take to come up."""

_END_SECONDS = 60
_OPEN_FILES = 65_535
"""What Elasticsearch asks for; an index per article needs it."""


@dataclass(frozen=True)
class Launch:
    """What a start needs.

    Attributes:
        distribution: unpacked Elasticsearch, only read.
        java_home: the JDK.
        config: configuration folder, for the server to write its keystore to.
        scratch: folder for temporary files and the process id.
        console: file for what the server says before its log is open.
        account: whom to run as; None for ourselves.
    """

    distribution: Path
    java_home: Path
    config: Path
    scratch: Path
    console: Path
    account: Account | None

    @property
    def pid_file(self) -> Path:
        """Where the server writes its process id."""
        return self.scratch / "pid"

    def environment(self) -> dict[str, str]:
        """The server's environment: ours, without what is meant for citespan alone."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("CITESPAN_") and name not in ("JAVA_HOME", "ES_HOME")
        }
        kept["ES_JAVA_HOME"] = str(self.java_home)
        kept["ES_PATH_CONF"] = str(self.config)
        kept["ES_TMPDIR"] = str(self.scratch)
        if self.account:
            kept["HOME"] = str(self.scratch)
        return kept


def spawn(launch: Launch) -> subprocess.Popen[bytes]:
    """Start the launcher: it starts the server, stays until that is up, and fails if that does."""
    launch.pid_file.unlink(missing_ok=True)
    _allow_open_files()
    account = launch.account
    with launch.console.open("wb") as console:
        return subprocess.Popen(  # noqa: S603  no shell; the arguments are ours
            [launch.distribution / "bin" / "elasticsearch", "-d", "-p", launch.pid_file],
            env=launch.environment(),
            cwd=launch.distribution,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )


def wait_until_up(
    launcher: subprocess.Popen[bytes], launch: Launch, progress: Progress
) -> psutil.Process:
    """The server, once the launcher has seen it come up; nothing stays of one that doesn't.

    Raises:
        NodeCrashedError: if it ends at once, or isn't up within minutes.
    """
    began = time.monotonic()
    try:
        while launcher.poll() is None:
            waited = time.monotonic() - began
            progress(f"starting Elasticsearch ({waited:.0f} s)", None)
            if waited > START_SECONDS:
                raise _crash(launch, f"Elasticsearch isn't up after {START_SECONDS} s")
            time.sleep(0.2)
    finally:
        if launcher.poll() is None:
            end(psutil.Process(launcher.pid))
    if launcher.returncode:
        raise _crash(launch, f"Elasticsearch ended while starting (status {launcher.returncode})")
    server = running_server(launch.pid_file, launch.account)
    if server is None:
        raise _crash(launch, "Elasticsearch ended right after its start")
    return server


def running_server(pid_file: Path, account: Account | None) -> psutil.Process | None:
    """The server that wrote the file, if it is alive.

    The file lies where the server can write, so a process of another account is refused.
    """
    try:
        process = psutil.Process(int(pid_file.read_text(encoding="ascii")))
        expected = account.uid if account else os.geteuid()
        ours = process.uids().effective == expected and process.status() != psutil.STATUS_ZOMBIE
        # an id used again belongs to a process younger than the file
        if ours and process.create_time() <= pid_file.stat().st_mtime + 1:
            return process
    except (OSError, ValueError, psutil.Error):
        return None
    return None


def end(process: psutil.Process) -> None:
    """Ask a process and its children to end, and make them after a minute."""
    try:
        family = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.terminate()
    _, alive = psutil.wait_procs(family, timeout=_END_SECONDS)
    for member in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    psutil.wait_procs(alive, timeout=_END_SECONDS)


def _allow_open_files() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if os.geteuid() == 0 and hard != resource.RLIM_INFINITY and hard < _OPEN_FILES:
        # in a container root may be refused; the server then runs with what there is, and warns
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))


def _crash(launch: Launch, what: str) -> NodeCrashedError:
    return NodeCrashedError(what, launch.console, telling_lines(launch.console))

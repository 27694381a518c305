"""Starting and ending the server's process, the account it runs as, and its log."""

import contextlib
import os
import pwd
import re
import resource
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from citespan.deploy.node import Progress
from citespan.deploy.node.errors import ClosedFolderError, NodeCrashedError, NodeError

_CAN_ENTER = 'for folder in "$@"; do [ -x "$folder" ] || { echo "$folder"; exit 1; }; done'


@dataclass(frozen=True)
class Account:
    """An unprivileged account of this machine."""

    name: str
    uid: int
    gid: int


def find_account() -> Account | None:
    """Return the account to run the server as: `elasticsearch`, else `nobody`; None if we aren't
    root.

    Raises:
        NodeError: if there is neither.
    """
    if os.geteuid() != 0:
        return None
    for name in ("elasticsearch", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise NodeError(
        "Elasticsearch refuses to run as root, and there is no account to drop to: make one "
        "with useradd --system elasticsearch, or run citespan as a plain user"
    )


def change_owner(folder: Path, account: Account | None) -> None:
    """Make the account the owner of the folder and everything in it, unless it already is."""
    if account is None or folder.stat().st_uid == account.uid:
        return
    for parent, names, files in os.walk(folder):
        for name in (*names, *files):
            os.chown(Path(parent, name), account.uid, account.gid, follow_symlinks=False)
    # last, so that an interrupted walk is repeated
    os.chown(folder, account.uid, account.gid)


def require_access(account: Account | None, targets: Sequence[Path]) -> None:
    """Check that the account can enter every folder and the folders above it.

    Raises:
        ClosedFolderError: names the first folder that it can't enter.
    """
    if account is None:
        return
    for target in targets:
        steps = [str(folder) for folder in (*reversed(target.parents), target)]
        tried = subprocess.run(  # noqa: S603  no shell; the arguments are ours
            ["/bin/sh", "-c", _CAN_ENTER, "sh", *steps],
            user=account.uid,
            group=account.gid,
            extra_groups=[],
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
        if tried.returncode:
            raise ClosedFolderError(Path(tried.stdout.strip()), account.name, target)


_STACK_FRAME = re.compile(r"\s+(at |\.\.\. \d+ more|Suppressed: )")
_CHATTER = re.compile(r"\[[^\]]*\]\[(INFO|DEBUG|TRACE) ?\]")


def read_last_lines(file: Path, count: int) -> list[str]:
    """Return the last lines of a log file, oldest first; none if there is no file."""
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            return [line.rstrip("\n") for line in deque(lines, maxlen=count)]
    except FileNotFoundError:
        return []


def read_error_lines(file: Path, count: int = 12) -> list[str]:
    """Return the last lines that say what went wrong, oldest first: without stack frames, and
    without routine messages unless there is nothing else."""
    kept = [
        line
        for line in read_last_lines(file, 2000)
        if line.strip() and not _STACK_FRAME.match(line)
    ]
    telling = [line for line in kept if not _CHATTER.match(line)]
    return (telling or kept)[-count:]


START_SECONDS = 300
"""How long a server may take to come up."""

_END_SECONDS = 60
_OPEN_FILES = 65_535
"""What Elasticsearch requires; an index for each article needs it."""


@dataclass(frozen=True)
class Launch:
    """What a start needs.

    Attributes:
        distribution: unpacked Elasticsearch, only read.
        java_home: the JDK.
        config: configuration folder, for the server to write its keystore to.
        scratch: folder for temporary files and the process id.
        console: file for the server's output before its log is open.
        account: the account to run as; None for this one.
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
        """Return the server's environment: ours, without the variables of citespan."""
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
    """Start the launcher, which starts the server and ends when that is up or has failed."""
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
    """Wait until the launcher reports that the server is up, and return the server's process;
    end all of a server that doesn't come up.

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
    server = find_server_process(launch.pid_file, launch.account)
    if server is None:
        raise _crash(launch, "Elasticsearch ended right after its start")
    return server


def end_start(launcher: subprocess.Popen[bytes], launch: Launch) -> None:
    """End a launcher that is still waiting, and the server that it has started."""
    server = find_server_process(launch.pid_file, launch.account)
    waiting = [psutil.Process(launcher.pid)] if launcher.poll() is None else []
    end(*waiting, *([server] if server else []))


def find_server_process(pid_file: Path, account: Account | None) -> psutil.Process | None:
    """Return the server that wrote the file, if it is alive.

    The server can write to that file, so a process of another account is not accepted.
    """
    try:
        process = psutil.Process(int(pid_file.read_text(encoding="ascii")))
        expected = account.uid if account else os.geteuid()
        ours = process.uids().effective == expected and process.status() != psutil.STATUS_ZOMBIE
        # a process younger than the file has reused the id
        if ours and process.create_time() <= pid_file.stat().st_mtime + 1:
            return process
    except (OSError, ValueError, psutil.Error):
        return None
    return None


def end(*processes: psutil.Process) -> None:
    """Ask processes and their children to end, and kill them after a minute."""
    family = []
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            family += [process, *process.children(recursive=True)]
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
        # in a container even root may be refused; the server then runs with fewer, and warns
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))


def _crash(launch: Launch, fault: str) -> NodeCrashedError:
    return NodeCrashedError(fault, launch.console, read_error_lines(launch.console))

"""Starts commands of citespan as forks of a process that has imported what they import, which takes
longer than most of them do. Each imports the command line itself, which looks at the terminal and
the environment. `forked_command.py` is what asks for one.
"""

import atexit
import gc
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

COMMAND = (sys.executable, "-m", "citespan.cli.main")
_COMMAND_LINE = "citespan.cli"
_AT_START = ("PYTHON", "LANG", "LC_")  # beginnings of the variables that Python reads once
_LARGEST = 2**20  # bytes of arguments and environment


@cache
def start_server() -> list[str]:
    """Start the server, which ends with this process, and return what runs a command by it."""
    address = f"{tempfile.mkdtemp(prefix='citespan-forks-')}/socket"
    server = subprocess.Popen(
        [sys.executable, __file__, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert server.stdin
    assert server.stdout
    atexit.register(server.stdin.close)
    assert server.stdout.readline() == b"ready\n"
    client = Path(__file__).with_name("forked_command.py")
    return [sys.executable, "-I", "-S", str(client), address]


def _serve(address: str) -> None:
    """Fork for each request, until standard input ends."""
    _import_libraries()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen(64)
    print("ready", flush=True)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while 0 not in select.select([0, listening.fileno()], [], [])[0]:
        connection, _ = listening.accept()
        if not os.fork():
            listening.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _answer(connection)
            os._exit(0)  # what Python does at its end would free all modules
        connection.close()
    Path(address).unlink()
    Path(address).parent.rmdir()


def _import_libraries() -> None:
    from citespan.pipelines.quick_start import start_quickly

    start_quickly()
    for module in pkgutil.walk_packages(import_module("citespan").__path__, "citespan."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    for name in [name for name in sys.modules if name.startswith(f"{_COMMAND_LINE}.")]:
        del sys.modules[name]
    gc.freeze()


def _answer(connection: socket.socket) -> None:
    """Run a command in a fork of this process, and send its exit status; kill it if nobody waits
    for that any more."""
    message, files, _, _ = socket.recv_fds(connection, _LARGEST, 3)
    arguments, env, folder = json.loads(message)
    process = os.fork()
    if not process:
        connection.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        os.chdir(folder)
        _become_command(arguments, env)
        return
    for file in files:
        os.close(file)
    ended = os.pidfd_open(process)
    if ended not in select.select([ended, connection.fileno()], [], [])[0]:
        os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def _become_command(arguments: Sequence[str], env: Mapping[str, str]) -> None:
    """Run a command; what Python does at its end comes without the freeing of all modules."""
    if _choose(env) != _choose(os.environ):
        os.execve(COMMAND[0], [*COMMAND, *arguments], env)
    os.environ.clear()
    os.environ.update(env)
    status = 1
    atexit.register(lambda: (sys.stdout.flush(), sys.stderr.flush(), os._exit(status)))
    sys.argv = ["citespan", *arguments]
    try:
        import_module(f"{_COMMAND_LINE}.main").main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else bool(end.code)
        raise


def _choose(env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables by which Python starts in one way or another."""
    return {name: value for name, value in env.items() if name.startswith(_AT_START)}


if __name__ == "__main__":
    _serve(sys.argv[1])

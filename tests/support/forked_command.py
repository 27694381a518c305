"""Runs a command by the server whose address is the first argument, and ends as it does."""

import json
import os
import signal
import socket
import sys

address, *arguments = sys.argv[1:]
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(address)
    request = json.dumps([arguments, dict(os.environ), os.getcwd()]).encode()  # noqa: PTH109  pathlib takes longer to import than all this
    socket.send_fds(connection, [request], [0, 1, 2])
    status = int(connection.recv(16))
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
sys.exit(status)

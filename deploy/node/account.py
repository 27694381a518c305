"""Whom the server runs as: Elasticsearch refuses to run as root."""

import os
import pwd
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from citespan.deploy.node.errors import ClosedFolderError, NodeError

_CAN_ENTER = 'for folder in "$@"; do [ -x "$folder" ] || { echo "$folder"; exit 1; }; done'


@dataclass(frozen=True)
class Account:
    """An unprivileged account of this machine."""

    name: str
    uid: int
    gid: int


def node_account() -> Account | None:
    """The account to drop to: `elasticsearch`, else `nobody`; None if we aren't root.

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


def give(folder: Path, account: Account | None) -> None:
    """Make the account the owner of the folder and all below, where it isn't yet."""
    if account is None or folder.stat().st_uid == account.uid:
        return
    for parent, names, files in os.walk(folder):
        for name in (*names, *files):
            os.chown(Path(parent, name), account.uid, account.gid, follow_symlinks=False)
    # last, so that a walk cut short is done again
    os.chown(folder, account.uid, account.gid)


def require_reach(account: Account | None, targets: Sequence[Path]) -> None:
    """Check that the account can enter every folder and the folders above it.

    Raises:
        ClosedFolderError: names the first that it can't.
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

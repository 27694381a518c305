"""Where citespan keeps what it downloads, stores and remembers."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from citespan.deploy.node.errors import DiskSpaceError
from citespan.pipelines.errors import InputError


@dataclass(frozen=True)
class Folders:
    """citespan's folders, which need not exist.

    Attributes:
        cache: the assembled distribution, which can be fetched again.
        data: the indices of the local node.
        state: the state file, configuration and logs of the node.
    """

    cache: Path
    data: Path
    state: Path


def folders() -> Folders:
    """Return the folders of this user.

    CITESPAN_HOME puts all three below one folder; CITESPAN_CACHE moves only the cache, so
    that several homes can share one distribution.
    """
    base = _standard()
    if home := os.environ.get("CITESPAN_HOME"):
        top = Path(home).expanduser().absolute()
        base = Folders(top / "cache", top / "data", top / "state")
    if cache := os.environ.get("CITESPAN_CACHE"):
        base = Folders(Path(cache).expanduser().absolute(), base.data, base.state)
    return base


def _standard() -> Folders:
    if os.geteuid() == 0:
        # root's home is closed to the unprivileged account that the server runs as
        library = Path("/var/lib/citespan")
        return Folders(Path("/var/cache/citespan"), library / "data", library / "state")
    import platformdirs

    name = "citespan"
    return Folders(
        platformdirs.user_cache_path(name),
        platformdirs.user_data_path(name),
        platformdirs.user_state_path(name),
    )


def make_folder(folder: Path) -> Path:
    """Make a folder and those above it, which others can enter whatever the umask is.

    Raises:
        InputError: if the system refuses.
    """
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    try:
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
            each.chmod(0o755)
    except OSError as error:
        raise InputError(
            f"can't make the folder {error.filename}: {error.strerror}; set CITESPAN_HOME to a "
            "folder that you can write to"
        ) from error
    return folder


@contextmanager
def translate_os_errors() -> Iterator[None]:
    """Turn what the system refuses into an error of one line.

    Raises:
        InputError: names the file or folder and why it can't be used.
    """
    try:
        yield
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        raise InputError(
            f"{place}{error.strerror or error}; make room or give yourself the rights, or set "
            "CITESPAN_HOME to a folder that you can write to"
        ) from error


def require_space(folder: Path, needed: int, purpose: str) -> None:
    """Check that `needed` bytes are free on the disk of an existing folder.

    Raises:
        DiskSpaceError: if they aren't.
    """
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DiskSpaceError(folder, free, needed, purpose)

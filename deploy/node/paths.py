"""Where citespan keeps what it downloads, stores and remembers."""

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from citespan.pipelines.errors import InputError


@dataclass(frozen=True)
class Folders:
    """citespan's folders; none need exist.

    Attributes:
        cache: what can be fetched again: the assembled distribution.
        data: the indices of the local node.
        state: which node runs; its configuration and logs.
    """

    cache: Path
    data: Path
    state: Path


def folders() -> Folders:
    """The folders of this user.

    CITESPAN_HOME puts all three below one folder; CITESPAN_CACHE moves the cache alone, so
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
    name = "citespan"
    return Folders(
        platformdirs.user_cache_path(name),
        platformdirs.user_data_path(name),
        platformdirs.user_state_path(name),
    )


def make_folder(folder: Path) -> Path:
    """Make a folder and those above it, open for others to enter whatever the umask is.

    Raises:
        InputError: if that isn't allowed.
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

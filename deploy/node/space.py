"""Room on disks."""

import shutil
from pathlib import Path

from citespan.deploy.node.errors import DiskSpaceError


def require_space(folder: Path, needed: int, purpose: str) -> None:
    """Check that `needed` bytes are free on the disk of an existing folder.

    Raises:
        DiskSpaceError: if they aren't.
    """
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DiskSpaceError(folder, free, needed, purpose)

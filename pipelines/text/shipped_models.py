"""The models in `models/`, with checksums, so that a damaged one is noticed before it is used."""

import hashlib
from pathlib import Path
from typing import Final

from citespan.pipelines.errors import MachineError

FOLDER: Final = Path(__file__).parent / "models"
CHECKSUMS: Final = FOLDER / "SHA256SUMS"
"""As `sha256sum` writes them, of all files but the descriptions. In that folder: `find . -type f
! -name '*.md' ! -name SHA256SUMS -printf '%P\\0' | sort -z | xargs -0 sha256sum > SHA256SUMS`."""


def check_shipped(name: str) -> Path:
    """Return the path of a shipped model, a file or a folder, all of which is as it was shipped.

    Raises:
        MachineError: if a part of it is missing or damaged.
    """
    path = FOLDER / name
    try:
        for line in CHECKSUMS.read_text(encoding="utf-8").splitlines():
            checksum, _, written = line.partition("  ")
            file = FOLDER / written
            if file == path or path in file.parents:
                found = hashlib.sha256(file.read_bytes()).hexdigest()
                if found != checksum:
                    raise MachineError(f"{file}: damaged; install citespan again")
    except OSError as error:
        raise MachineError(
            f"{error.filename}: can't be read ({error.strerror}); install citespan again"
        ) from error
    return path

"""Unpacking zip archives without trusting the names in them."""

import hashlib
import shutil
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from citespan.deploy.node.errors import ArchiveError


def require_digest(archive: Path, sha256: str) -> None:
    """Check an archive against its known SHA-256.

    Raises:
        ArchiveError: if it has another.
    """
    with archive.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise ArchiveError(
            f"{archive.name} has SHA-256 {found} in place of {sha256}: the download is damaged "
            "or the repository serves another file; try again, or check Maven's mirrors"
        )


def unpack(archive: Path, target: Path, rename: Callable[[str], str | None]) -> None:
    """Unpack files of a zip archive below `target`.

    Args:
        archive: the zip file.
        target: an existing folder.
        rename: gives the path below `target` for a member's name; None leaves it out.

    Raises:
        ArchiveError: if the file is no zip archive, or a member would be written outside
            `target` or is a symbolic link. Nothing is written then.
    """
    try:
        with zipfile.ZipFile(archive) as bundle:
            plan = [
                (member, target / safe_path(archive, member, name))
                for member in bundle.infolist()
                if not member.is_dir() and (name := rename(member.filename)) is not None
            ]
            for member, path in plan:
                path.parent.mkdir(parents=True, exist_ok=True)
                with bundle.open(member) as source, path.open("wb") as sink:
                    shutil.copyfileobj(source, sink, 1 << 20)
                # the account that runs the server must read all, whatever the archive says
                path.chmod(0o755 if member.external_attr >> 16 & stat.S_IXUSR else 0o644)
    except zipfile.BadZipFile as error:
        raise ArchiveError(f"{archive.name} is no zip archive ({error}); fetch it again") from error
    for folder in (target, *(f for f in target.rglob("*") if f.is_dir())):
        folder.chmod(0o755)


def safe_path(archive: Path, member: zipfile.ZipInfo, name: str) -> PurePosixPath:
    """The relative path to write a member to.

    Raises:
        ArchiveError: if it would leave the folder, or is a symbolic link.
    """
    path = PurePosixPath(name.replace("\\", "/"))
    link = stat.S_ISLNK(member.external_attr >> 16)
    if link or path.is_absolute() or ".." in path.parts or not path.parts:
        raise ArchiveError(
            f"{archive.name} has an unsafe member '{member.filename}' and was not unpacked"
        )
    return path

"""Copies of the inputs that were quarantined, for inspection."""

import hashlib
import re
import shutil
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import orjson

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import InputError, raise_if_machine
from citespan.pipelines.indexing.reading.archive import (
    BROKEN,
    is_archive,
    member_source,
    members_of,
)

LIST = "quarantined.jsonl"
_PLACE = re.compile(r":\d+\Z")


def copy_quarantined(quarantined: Iterable[Rejected], folder: Path) -> None:
    """Copy each original into a folder, beside a list of them with the reasons.

    The original of a line is its file, that of a member of an archive is the member. What can't be
    copied, such as standard input, is listed without a file.

    Raises:
        InputError: if the folder can't be written to.
        MachineError: if its disk is full.
    """
    files: dict[Path, Path] = {}
    members: dict[Path, dict[str, Path]] = {}
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (folder / LIST).open("wb") as listed:
            for rejected in quarantined:
                original = _find_file(rejected.source)
                name = original.name if original is not None else None
                if original is not None and original.is_file():
                    target = files.setdefault(original, folder / _make_name(str(original)))
                    name = target.name
                elif (member := _find_member(rejected.source)) is not None:
                    archive, inside = member
                    target = folder / _make_name(member_source(archive, inside))
                    members.setdefault(archive, {})[inside] = target
                    name = target.name
                listed.write(orjson.dumps({"file": name, **rejected.to_json()}) + b"\n")
        for original, target in files.items():
            shutil.copyfile(original, target)
        for archive, wanted in members.items():
            _copy_members(archive, wanted)
    except OSError as error:
        raise_if_machine(error)
        raise InputError(
            f"{error.filename or folder}: can't store the quarantined inputs: {error.strerror}"
        ) from error


def _find_file(source: str) -> Path | None:
    """Return the file that a source is, or is in."""
    return next((p for p in (Path(source), Path(_PLACE.sub("", source))) if p.exists()), None)


def _find_member(source: str) -> tuple[Path, str] | None:
    for separator in re.finditer("!", source):
        archive = Path(source[: separator.start()])
        if is_archive(archive) and archive.is_file():
            return archive, _PLACE.sub("", source[separator.end() :])
    return None


def _copy_members(archive: Path, wanted: dict[str, Path]) -> None:
    try:
        for name, data in members_of(archive):
            if name in wanted and data is not None:
                wanted[name].write_bytes(data)
    except BROKEN:
        return  # the report says so


def _make_name(source: str) -> str:
    """Return a file name that differs for different sources and ends as the source does."""
    digest = hashlib.blake2b(source.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    return f"{digest}-{PurePosixPath(source).name[-200:]}"

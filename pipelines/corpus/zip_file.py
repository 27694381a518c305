"""Files that are packed as .zip: Word's documents, and projects of LaTeX."""

import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from citespan.pipelines.corpus.files import MAX_BYTES
from citespan.pipelines.errors import InputError

ENDING = ".zip"
_MOST_MEMBERS = 2_000
_TYPESET, _WRITTEN = (".tex", ".latex"), (".md", ".markdown", ".docx")
_BESIDE = (".bbl", ".bib", ".bibtex", ".json", ".ris", ".xml")
_NOT_UNPACKED = ("/", ".", "__MACOSX")  # absolute, hidden or leading out, of a Mac's own
_MAIN = "main"  # as Overleaf calls it


def read_members(
    file: Path, choose: Callable[[Iterable[str]], Iterable[str]], remedy: str
) -> dict[str, bytes]:
    """Return what some members of a .zip file hold, by their names.

    Args:
        choose: returns which of the names of all members to read.
        remedy: what to do about a damaged file, for messages.

    Raises:
        InputError: if they can't be unpacked, or hold more than 100 MB.
    """
    members, left = {}, MAX_BYTES
    try:
        with zipfile.ZipFile(file) as archive:
            for name in choose(archive.namelist()):
                with archive.open(name) as member:
                    members[name] = member.read(left + 1)
                left -= len(members[name])
                if left < 0:
                    raise InputError(f"larger than {MAX_BYTES >> 20} MB when unpacked; split it")
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError) as error:
        raise InputError(f"broken or cut off; {remedy}") from error
    except (NotImplementedError, RuntimeError) as error:
        raise InputError("encrypted or packed in an unknown way; save it without") from error
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}") from error
    return members


def unpack_project(file: Path, folder: Path) -> Path:
    """Unpack a manuscript with the files that it names, and return its place.

    The manuscript is the one LaTeX file that is not a part of another, or of several the one called
    main.tex; without LaTeX, the one file of Markdown or Word. Nothing else is unpacked but parts
    and bibliographies.

    Args:
        folder: an empty one, which all that is unpacked goes into.

    Raises:
        InputError: if it can't be unpacked, or has no manuscript or several.
    """
    members = read_members(file, _choose_members, "pack it again")
    wholes = [
        name
        for name, data in members.items()
        if name.lower().endswith(_TYPESET) and b"\\documentclass" in data
    ] or [name for name in members if name.lower().endswith(_WRITTEN)]
    mains = [name for name in wholes if PurePosixPath(name).stem.lower() == _MAIN]
    found = mains if len(mains) == 1 else wholes
    if len(found) != 1:
        several = f"several manuscripts: {', '.join(found[:5])}; leave the others out"
        none = f"no manuscript in it; known are {', '.join((*_TYPESET, *_WRITTEN))}"
        raise InputError(several if found else none)
    for name, data in members.items():
        try:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        except (OSError, ValueError) as error:
            raise InputError(f"{name[:80]!r} can't be unpacked; rename it") from error
    return folder / found[0]


def _choose_members(names: Iterable[str]) -> list[str]:
    chosen = [
        name
        for name in dict.fromkeys(names)
        if name.lower().endswith((*_TYPESET, *_WRITTEN, *_BESIDE))
        and not any(part.startswith(_NOT_UNPACKED) for part in PurePosixPath(name).parts)
    ]
    if len(chosen) > _MOST_MEMBERS:
        raise InputError(f"{len(chosen):,} files to read in it; at most {_MOST_MEMBERS:,} are")
    return chosen

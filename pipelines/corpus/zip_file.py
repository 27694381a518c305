"""What is in a .zip file, within bounds."""

import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

from citespan.pipelines.corpus.files import MAX_BYTES
from citespan.pipelines.errors import InputError


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
            for name in choose(dict.fromkeys(archive.namelist())):
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

"""Which release of UMLS a META folder is, and whether all of it is of that one."""

import re
from pathlib import Path

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import InputError
from citespan.pipelines.vocabulary import rrf

_RELEASE_NAME = re.compile(r"^umls\.release\.name=[ \t]*(\S+)", re.MULTILINE)
# Releases are named so that those named later sort later.
_NAMED = re.compile(r"\d{4}A[A-Z]")
_MRSAB_COLUMNS, _IMETA = 25, 9
"""IMETA: the release by which a source's version came in."""
_MRFILES_COLUMNS, _FIL, _BTS = 6, 0, 5
"""A file's name, and its size as delivered."""


class MixedReleasesError(InputError):
    """Files of several releases in one folder."""


def version(folder: Path) -> str:
    """The release's name, as in "2025AB": by release.dat in the folder or above it, else the
    latest that MRSAB.RRF tells of; "" if neither is there.

    Raises:
        MixedReleasesError: if release.dat and MRSAB.RRF, or MRFILES.RRF and the files' sizes
            contradict each other.
    """
    _check_sizes(folder)
    named = _release_name(folder)
    latest = _latest_source(folder)
    if named and latest and _NAMED.fullmatch(named) and latest > named:
        raise MixedReleasesError(
            f"{folder}: two releases mixed: release.dat says {named}, and MRSAB.RRF has sources "
            f"of {latest}; take all files from one release"
        )
    return named or latest


def _release_name(folder: Path) -> str:
    for place in (folder / "release.dat", folder.resolve().parent / "release.dat"):
        if place.is_file():
            found = _RELEASE_NAME.search(place.read_text(encoding="utf-8", errors="replace"))
            return found[1] if found else ""
    return ""


def _latest_source(folder: Path) -> str:
    releases = {
        row[_IMETA].decode("utf-8", "replace")
        for row in rrf.rows(rrf.files(folder, "MRSAB"), _MRSAB_COLUMNS)
        if not isinstance(row, Rejected)
    }
    return max(filter(_NAMED.fullmatch, releases), default="")


def _check_sizes(folder: Path) -> None:
    delivered = {
        row[_FIL].decode("utf-8", "replace"): row[_BTS]
        for row in rrf.rows(rrf.files(folder, "MRFILES"), _MRFILES_COLUMNS)
        if not isinstance(row, Rejected) and row[_BTS].isdigit()
    }
    for table in ("MRCONSO.RRF", "MRSTY.RRF"):
        file = folder / table
        if not file.is_file() or table not in delivered:
            continue
        found, wanted = file.stat().st_size, int(delivered[table])
        if found != wanted:
            raise MixedReleasesError(
                f"{file}: {found} bytes, where MRFILES.RRF says {wanted}: of another release, or "
                "cut off; take all files from one release (or, if you changed it yourself, "
                "remove MRFILES.RRF)"
            )

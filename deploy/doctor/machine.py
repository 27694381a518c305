"""Checks of this machine: folders, and what a local node needs."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from citespan.deploy.doctor.finding import Finding
from citespan.deploy.node.assemble import distribution_folder, is_complete, require_maven
from citespan.deploy.node.errors import JdkMissingError, MavenMissingError
from citespan.deploy.node.jdk import find_jdk
from citespan.deploy.node.paths import Folders, folders


def findings() -> Iterator[Finding]:
    """Run all checks; those of a local node only if CITESPAN_ES_URL names no other."""
    place = folders()
    yield from _folders(place)
    if not os.environ.get("CITESPAN_ES_URL"):
        yield from _local_node(place)


def _folders(place: Folders) -> Iterator[Finding]:
    closed = [folder for folder in (place.cache, place.data, place.state) if not _writable(folder)]
    for folder in closed:
        remedy = "set CITESPAN_HOME to a folder that you can write to"
        yield Finding("folders", "failure", f"can't write to {folder}", remedy)
    if not closed:
        yield Finding("folders", "ok", f"{place.cache}, {place.data} and {place.state} take files")


def _writable(folder: Path) -> bool:
    """Whether files can be made there, or the folder itself below the first that is there."""
    try:
        there = next(one for one in (folder, *folder.parents) if one.exists())
        with tempfile.TemporaryFile(dir=there):
            return True
    except OSError:
        return False


def _local_node(place: Folders) -> Iterator[Finding]:
    home = os.environ.get("ES_HOME")
    distribution = Path(home).expanduser() if home else distribution_folder(place.cache)
    try:
        jdk = find_jdk(distribution / "jdk")
        yield Finding("Java", "ok", f"JDK {jdk.version} at {jdk.home}")
    except JdkMissingError as error:
        what, _, remedy = str(error).partition(": ")
        yield Finding("Java", "failure", what, remedy)
    if home:
        yield Finding("distribution", "ok", f"ES_HOME is {home}")
    elif is_complete(distribution):
        yield Finding("distribution", "ok", f"assembled at {distribution}")
    else:
        try:
            maven = require_maven()
            what = f"none yet; `citespan node up` assembles it with {maven}"
            yield Finding("distribution", "ok", what)
        except MavenMissingError as error:
            what, _, remedy = str(error).partition(": ")
            yield Finding("distribution", "failure", what, remedy)

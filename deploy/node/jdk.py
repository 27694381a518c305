"""Finding a Java that Elasticsearch runs on."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from citespan.deploy.node.errors import JdkMissingError

OLDEST = 21
NEEDED_MODULE = "jdk.jdi"
"""Elasticsearch's entitlements use it; a JRE leaves it out."""

JVM_FOLDER = Path("/usr/lib/jvm")

_RELEASE_LINE = re.compile(r'^(\w+)="?(.*?)"?$', re.MULTILINE)


@dataclass(frozen=True)
class Jdk:
    """An installed Java: its folder, its feature version such as 21, its modules."""

    home: Path
    version: int
    modules: frozenset[str]

    def fault(self) -> str | None:
        """Return why Elasticsearch would not run on it, or None."""
        if self.version < OLDEST:
            return f"is Java {self.version}"
        if NEEDED_MODULE not in self.modules:
            return f"is Java {self.version} without {NEEDED_MODULE}, a JRE"
        return None


def find_jdk(bundled: Path | None = None, jvm_folder: Path = JVM_FOLDER) -> Jdk:
    """Return the first suitable Java: ES_JAVA_HOME, the distribution's own at `bundled`, JAVA_HOME,
    the newest below `jvm_folder`, the `java` on PATH.

    Raises:
        JdkMissingError: if there is none; it says why each was rejected.
    """
    rejected: list[str] = []
    seen: set[Path] = set()
    for where, home in _candidates(bundled, jvm_folder):
        if home.resolve() in seen:
            continue
        seen.add(home.resolve())
        jdk = inspect(home)
        fault = jdk.fault() if jdk else "has no working bin/java"
        if jdk and not fault:
            return jdk
        rejected.append(f"{where} {home} {fault}".strip())
    raise JdkMissingError(rejected)


def _candidates(bundled: Path | None, jvm_folder: Path) -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("ES_JAVA_HOME"):
        yield "ES_JAVA_HOME", Path(home)
    if bundled and bundled.is_dir():
        yield "bundled", bundled
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home)
    if jvm_folder.is_dir():
        installed = {f.resolve() for f in jvm_folder.iterdir() if (f / "bin/java").exists()}
        known = [jdk for jdk in map(inspect, installed) if jdk]
        for jdk in sorted(known, key=lambda jdk: (-jdk.version, jdk.home)):
            yield "", jdk.home
    if java := shutil.which("java"):
        yield "PATH", Path(java).resolve().parent.parent


def inspect(home: Path) -> Jdk | None:
    """Return what is installed at `home`, read from its `release` file or asked of its `java`;
    None if no `java` there can be run."""
    java = home / "bin" / "java"
    if not os.access(java, os.X_OK):
        return None
    return _from_release_file(home) or _from_java(home, java)


def _from_release_file(home: Path) -> Jdk | None:
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    entries = dict(_RELEASE_LINE.findall(text))
    version = _feature_version(entries.get("JAVA_VERSION", ""))
    if version is None or "MODULES" not in entries:
        return None
    return Jdk(home, version, frozenset(entries["MODULES"].split()))


def _from_java(home: Path, java: Path) -> Jdk | None:
    try:
        listed = subprocess.run(  # noqa: S603  no shell; the arguments are ours
            [java, "--list-modules"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    modules: dict[str, str] = {}
    for line in listed.stdout.split():
        name, _, number = line.partition("@")
        modules[name] = number
    version = _feature_version(modules.get("java.base", ""))
    # Java 8 knows no modules and refuses the option
    return Jdk(home, version or 8, frozenset(modules))


def _feature_version(version: str) -> int | None:
    numbers = re.match(r"(?:1\.)?(\d+)", version)
    return int(numbers[1]) if numbers else None

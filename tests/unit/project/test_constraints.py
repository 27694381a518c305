"""What is installed: bounds without known advisories, pins that meet them, hashes of all files."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from places import ROOT

from citespan.deploy import images
from citespan.pipelines.errors import CitespanError

CONSTRAINTS = ROOT / "constraints"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
RUN = list(map(Requirement, PROJECT["project"]["dependencies"]))
DEVELOP = [
    Requirement(requirement)
    for requirement in EXTRAS["dev"] + EXTRAS["mcp"] + EXTRAS["splitters"] + EXTRAS["notebooks"]
]
BUILD = list(map(Requirement, PROJECT["build-system"]["requires"]))
_PIN = re.compile(r"(?P<name>[\w.-]+)==(?P<version>[\w.!+-]+)(?: ; [\w .'\"<>=!()]+)?")

FIRST_SOUND = {
    "h11": "0.16",  # CVE-2025-43859
    "jinja2": "3.1.6",  # CVE-2025-27516
    "lightgbm": "4.6",  # CVE-2024-43598
    "lxml": "6.1",  # CVE-2026-41066
    "mkdocs-material": "9.5.32",  # scripts in what its search shows
    "nltk": "3.10",  # CVE-2025-14009, CVE-2026-12243, CVE-2026-54293
    "orjson": "3.11.6",  # CVE-2025-67221
    "pytest": "9.0.3",  # CVE-2025-71176
    "python-multipart": "0.0.29",  # CVE-2026-40347, -42561, -53538, -53539, -53540
    "scikit-learn": "1.5",  # CVE-2024-5206
    "setuptools": "78.1.1",  # CVE-2025-47273
    "starlette": "1.3.1",  # CVE-2025-62727, CVE-2026-48710, CVE-2026-54283
    "urllib3": "2.7",  # CVE-2026-44432
}
"""The first version without the advisories that are known to us."""


def read_pins(name: str) -> dict[str, tuple[Version, set[str]]]:
    """The version and the hashes of each package in a file of constraints.

    Raises:
        AssertionError: at anything but packages and hashes, such as the address of an index.
    """
    text = (CONSTRAINTS / name).read_text(encoding="utf-8").replace("\\\n", "")
    pins = {}
    for line in text.splitlines():
        requirement, *hashes = (part.strip() for part in line.split(" --hash="))
        found = _PIN.fullmatch(requirement)
        assert found, line[:100]
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", hash_) for hash_ in hashes), line[:100]
        assert canonicalize_name(found["name"]) not in pins
        pins[canonicalize_name(found["name"])] = Version(found["version"]), set(hashes)
    return pins


@pytest.mark.parametrize("file", sorted(file.name for file in CONSTRAINTS.glob("*.txt")))
def test_every_file_that_is_installed_has_a_hash_and_no_host_is_named(file: str) -> None:
    pins = read_pins(file)
    assert pins
    assert all(hashes for _, hashes in pins.values())


@pytest.mark.parametrize(
    ("requirements", "file"),
    [(RUN, "install.txt"), (RUN + DEVELOP, "develop.txt"), (BUILD, "build.txt")],
)
def test_pins_meet_the_bounds(requirements: list[Requirement], file: str) -> None:
    pins = read_pins(file)
    for requirement in requirements:
        if requirement.name == "citespan":
            continue
        version, _ = pins[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), f"{requirement}: {version}"


@pytest.mark.parametrize("name", FIRST_SOUND)
def test_bounds_leave_out_what_has_advisories(name: str) -> None:
    [requirement] = [
        requirement
        for requirement in RUN + DEVELOP + BUILD
        if canonicalize_name(requirement.name) == name
    ]
    [lowest] = [Version(bound.version) for bound in requirement.specifier if bound.operator == ">="]
    assert lowest >= Version(FIRST_SOUND[name])


def test_what_users_install_is_what_is_tested() -> None:
    developed = read_pins("develop.txt")
    for file in ("install.txt", "build.txt"):
        for name, pin in read_pins(file).items():
            assert developed.get(name, pin) == pin


def test_images_are_pinned_by_the_digest_of_their_tag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = iter(f"sha256:{number:064x}" for number in range(99))
    asked: dict[str, str] = {}
    monkeypatch.setattr(images, "ask_digest", lambda tag: asked.setdefault(tag, next(digests)))
    for name in images.FILES:
        copy = tmp_path / Path(name).name
        copy.write_text((ROOT / "deploy" / name).read_text(encoding="utf-8"), encoding="utf-8")
        for _ in range(2):  # what has a digest gets that of today
            asked.clear()
            tags = images.pin_images(copy)
            text = copy.read_text(encoding="utf-8")
            assert tags == list(asked) and all(f"{tag}@{asked[tag]}" in text for tag in tags)


def test_images_have_digests() -> None:
    for name in images.FILES:
        text = (ROOT / "deploy" / name).read_text(encoding="utf-8")
        named = re.findall(r"^(?:\s*image:|FROM) (.+)$", text, re.MULTILINE)
        assert named and all(re.search(r":[\w.-]+@sha256:[0-9a-f]{64}$", image) for image in named)


def test_no_digest_is_made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    file = tmp_path / "Dockerfile"
    file.write_text("FROM python:3.11-slim\n")
    with pytest.raises(CitespanError, match="docker can't be run"):
        images.pin_images(file)
    assert file.read_text() == "FROM python:3.11-slim\n"

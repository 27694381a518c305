"""Which Java is found, by the `release` files of made-up installations."""

from pathlib import Path

import pytest

from citespan.deploy.node.errors import JdkMissingError
from citespan.deploy.node.jdk import find_jdk, inspect

FULL = "java.base java.logging jdk.jdi"
JRE = "java.base java.logging"


def install(
    folder: Path, version: str, modules: str = FULL, *, release: bool = True, java: str = "exit 1"
) -> Path:
    """A folder that looks like an installed Java."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{java}\n")
    program.chmod(0o755)
    if release:
        (folder / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return folder


@pytest.fixture(autouse=True)
def _no_java_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("ES_JAVA_HOME", "JAVA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))


def test_the_newest_installed_one(tmp_path: Path) -> None:
    for version in ("17.0.1", "21.0.3", "25", "22"):
        install(tmp_path / f"jdk-{version}", version)
    assert find_jdk(jvm_folder=tmp_path).version == 25


def test_variables_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jvms = tmp_path / "jvm"
    install(jvms / "newest", "26")
    bundled = install(tmp_path / "bundled", "24")
    java_home = install(tmp_path / "java-home", "21")
    es_java_home = install(tmp_path / "es-java-home", "22")

    monkeypatch.setenv("JAVA_HOME", str(java_home))
    assert find_jdk(jvm_folder=jvms).home == java_home
    assert find_jdk(bundled, jvms).home == bundled
    monkeypatch.setenv("ES_JAVA_HOME", str(es_java_home))
    assert find_jdk(bundled, jvms).home == es_java_home


def test_an_unfit_variable_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(install(tmp_path / "old", "17.0.15")))
    fit = install(tmp_path / "jvm" / "fit", "21.0.1")
    assert find_jdk(jvm_folder=tmp_path / "jvm").home == fit


def test_java_on_path_through_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = install(tmp_path / "somewhere", "23")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "java").symlink_to(home / "bin" / "java")
    monkeypatch.setenv("PATH", str(programs))
    assert find_jdk(jvm_folder=tmp_path / "none").home == home


def test_why_each_was_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    install(tmp_path / "jvm" / "jre", "25.0.1", JRE)
    install(tmp_path / "jvm" / "old", "1.8.0_402")
    with pytest.raises(JdkMissingError) as caught:
        find_jdk(jvm_folder=tmp_path / "jvm")
    message = str(caught.value)
    assert f"JAVA_HOME {tmp_path / 'gone'} has no working bin/java" in message
    assert "jre is Java 25 without jdk.jdi, a JRE" in message
    assert "old is Java 8" in message
    assert "set ES_JAVA_HOME" in message
    assert "\n" not in message


def test_no_java_at_all(tmp_path: Path) -> None:
    with pytest.raises(JdkMissingError, match="there is no Java at all"):
        find_jdk(jvm_folder=tmp_path / "none")


@pytest.mark.parametrize(
    ("output", "version", "fault"),
    [
        ("java.base@21.0.3 jdk.jdi@21.0.3", 21, None),
        ("java.base@25-ea", 25, "is Java 25 without jdk.jdi, a JRE"),
        ("", 8, "is Java 8"),
    ],
)
def test_without_a_release_file_java_is_asked(
    tmp_path: Path, output: str, version: int, fault: str | None
) -> None:
    lines = "\n".join(f"echo {module}" for module in output.split())
    jdk = inspect(install(tmp_path / "jdk", "", release=False, java=lines))
    assert jdk is not None
    assert (jdk.version, jdk.fault()) == (version, fault)


def test_a_release_file_without_modules_is_not_enough(tmp_path: Path) -> None:
    home = install(tmp_path / "jdk", "", java="echo java.base@21\necho jdk.jdi@21")
    (home / "release").write_text('JAVA_VERSION="21"\n')
    jdk = inspect(home)
    assert jdk is not None
    assert jdk.fault() is None

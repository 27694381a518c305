"""`citespan fetch` on arguments that can't be used, and from services that are away."""

import json
from pathlib import Path

import pytest
from made_services import always, pmid, serve
from typer.testing import CliRunner, Result

from citespan.cli.app import app
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.fetching import service


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No address of the environment, and no waits."""
    for name in ("CITESPAN_EMAIL", "NCBI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(service, "_SECOND", 0.001)
    monkeypatch.setattr(service, "_FIRST_WAIT", 0.005)


def run(*arguments: object, **environment: str) -> Result:
    return CliRunner().invoke(app, ["fetch", *map(str, arguments)], env=environment)


@pytest.fixture
def wanted(tmp_path: Path) -> Path:
    file = tmp_path / "wanted.txt"
    file.write_text(f"{pmid(0)}\n{pmid(5)}\n{pmid(8)}\nno identifier\n")
    return file


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a FILE with what is to be fetched, or a --query"),
        (
            ("wanted.txt", "--query", "yeast"),
            "name a FILE with what is to be fetched, or a --query",
        ),
        (("wanted.txt",), "set `email`, or CITESPAN_EMAIL"),
        (("wanted.txt", "--email", "nobody"), "set `email`, or CITESPAN_EMAIL"),
        (("wanted.txt", "--email", "a@b.example", "--eutils-url", "x"), "x: no address"),
        (("wanted.txt", "--email", "a@b.example", "--seconds", "0"), "use more than 0"),
        (("no.csv", "--email", "a@b.example"), "no.csv: no such file"),
    ],
)
def test_wrong_arguments_are_input_errors(
    arguments: tuple[str, ...],
    said: str,
    wanted: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    error = run(*arguments).exception
    assert isinstance(error, CitespanError)
    assert said in str(error)
    assert error.exit_status == 2


def test_the_report_says_what_has_become_of_each(wanted: Path, tmp_path: Path) -> None:
    with serve() as services:
        done = run(wanted, "--folder", tmp_path / "f", **services.environment)
        again = run(wanted, "--folder", tmp_path / "f", "--json", **services.environment)
    assert (done.exit_code, again.exit_code) == (1, 1)
    lines = [
        " ".join(line.strip("│").replace("│", " ").split()) for line in done.stdout.split("\n")
    ]
    for line in ("full text 1", "cc by 4.0 1", "abstract 2", "unusable 1", "wanted 4"):
        assert line in lines
    assert "abstract; its full text is not open; retracted: Made article 8" in done.stdout
    assert "unusable: " in done.stderr
    report = json.loads(again.stdout)
    assert report["wanted"] == sum(
        report[name]
        for name in ("full_text", "abstract", "not_open", "unknown", "failed", "unusable")
    )


def test_services_that_are_away_end_the_command_after_its_report(
    wanted: Path, tmp_path: Path
) -> None:
    with serve(always("busy for an hour")) as services:
        done = run(wanted, "--folder", tmp_path / "f", "--json", **services.environment)
    assert json.loads(done.stdout)["failed"] == 3
    assert isinstance(done.exception, CitespanError)
    assert done.exception.exit_status == 3
    assert "asks to wait for 3,600 s; repeat the command then" in str(done.exception)


def test_the_key_of_the_environment_is_sent_to_the_utilities_alone(
    wanted: Path, tmp_path: Path
) -> None:
    with serve() as services:
        said = services.environment | {"NCBI_API_KEY": "made-key"}
        assert run(wanted, "--folder", tmp_path / "f", **said).exit_code == 1
        assert services.log.keys == {"eutils"}

"""The commands are imported when they are asked for, and all are there."""

import csv
import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise, permutations
from pathlib import Path
from unittest.mock import Mock

import pytest
import typer
from elastic_transport import ApiResponseMeta, HttpHeaders, NodeConfig
from elasticsearch import ApiError
from typer.core import TyperGroup
from typer.testing import CliRunner

from citespan.cli.app import app, run
from citespan.cli.commands import walk
from citespan.cli.reference import examples

NAMES = list(typer.main.get_group(app).commands)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help(name: str) -> None:
    result = CliRunner().invoke(app, [name, "--help"], prog_name="citespan")
    assert result.exit_code == 0
    assert f"Usage: citespan {name} " in result.output


def test_help_lists_all_in_order() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    places = [shown.index(f"\n  {name} ") for name in NAMES]
    assert places == sorted(places)
    assert len(NAMES) == 30


@pytest.mark.parametrize("group", [[], ["node"], ["answers"]])
def test_without_a_command_the_help_is_shown_as_it_is(group: list[str]) -> None:
    bare, asked = (
        subprocess.run(
            [sys.executable, "-c", "from citespan.cli.app import run; run()", *group, *more],
            capture_output=True,
            text=True,
            check=False,
        )
        for more in ([], ["--help"])
    )
    assert (bare.returncode, bare.stdout, bare.stderr) == (2, asked.stdout, "")
    assert asked.stdout.count("\n") > 5


def test_no_module_of_a_command_is_imported_for_another() -> None:
    code = (
        "import sys; from citespan.cli.app import app; app(['node', '--help'], "
        "standalone_mode=False); print(*[m for m in sys.modules if m.startswith('citespan.cli.')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {name.split(".")[2] for name in found.stdout.splitlines()[-1].split()}
    assert imported & set(NAMES) == {"node"}


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_pipe_gets_utf_8_whatever_the_locale(encoding: str) -> None:
    command = [sys.executable, "-m", "citespan.cli.main", "reformulate", "TGF-β at 37 °C"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    for options in ([], ["--json"]):
        done = subprocess.run(
            [*command, *options], env=environment, capture_output=True, check=True
        )
        assert "β" in done.stdout.decode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_an_output_without_room_is_one_line() -> None:
    command = [sys.executable, "-m", "citespan.cli.main", "reformulate", "p53"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    problem = done.stderr.splitlines()[-1]
    assert problem == "citespan: the output: can't be written to: No space left on device"


def test_an_unknown_command_is_told_with_what_is_like_it() -> None:
    result = CliRunner().invoke(app, ["serach"])
    assert result.exit_code == 2
    assert "search" in result.output


COMMANDS = dict(walk(typer.main.get_group(app)))


def test_the_help_of_all_imports_no_command() -> None:
    code = (
        "import sys; from citespan.cli.app import app; app(['--help'], standalone_mode=False); "
        "print(*sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(found.stdout.splitlines()[-1].split())
    assert not imported & {f"citespan.cli.{name}" for name in NAMES}
    assert not imported & {"elasticsearch", "numpy", "pydantic", "urllib3", "psutil"}


FORMATS = ("--csv", "--json", "--markdown")
SEVERAL = [
    (names, formats)
    for names, command in COMMANDS.items()
    for formats in permutations(FORMATS, 2)
    if {*formats} <= {flag for param in command.params for flag in param.opts}
]


@pytest.mark.parametrize(("names", "formats"), SEVERAL)
def test_a_command_prints_in_one_format(names: tuple[str, ...], formats: tuple[str, str]) -> None:
    result = CliRunner().invoke(app, [*names, *formats, "x"])
    assert "can't be combined" in str(result.exception or result.output)
    assert result.exit_code


LISTING = [
    (["evaluate", "experiments"], ["name", "description", "command"]),
    (["evaluate", "measures"], ["name", "description", "source"]),
    (["ranker", "list"], ["name", "description", "version", "threshold"]),
    (["reformulate", "--list"], ["name", "role", "needs", "description"]),
    (["reformulate", "p53 stops the cycle [1]"], ["reformulation", "text", "kind", "weight"]),
]


@pytest.mark.parametrize(("arguments", "columns"), LISTING)
def test_what_is_listed_is_there_as_csv(arguments: list[str], columns: list[str]) -> None:
    result = CliRunner().invoke(app, [*arguments, "--csv"])
    assert result.exit_code == 0
    [head, *rows] = csv.reader(result.stdout.splitlines())
    assert head == columns
    assert rows
    assert all(len(row) == len(head) and row[0] for row in rows)


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_help_paragraphs_fill_their_lines(names: tuple[str, ...]) -> None:
    """No line ends before a word of the next would have fitted on it."""
    width = 80
    environment = {"COLUMNS": str(width), "TERMINAL_WIDTH": str(width)}
    shown = CliRunner().invoke(app, [*names, "--help"], prog_name="citespan", env=environment)
    described = re.split(r"\n(?:Arguments|Options\b.*):", shown.output)[0].partition("\n\n")[2]
    lines = [line.strip() for line in described.splitlines()]
    assert any(lines)
    for line, following in pairwise(lines):
        if line and following:
            assert len(line) + 1 + len(following.split()[0]) > width - 4, line


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["serach"], "citespan"),
        (["index", "--nope"], "citespan index"),
        (["evaluate", "rnu"], "citespan evaluate"),
        (["evaluate", "run"], "citespan evaluate run"),
        (["answers", "evaluate", "zones"], "citespan answers evaluate zones"),
        (["node", "logs", "--lines", "0"], "citespan node logs"),
    ],
)
def test_a_usage_error_names_the_help_of_its_own_command(
    arguments: list[str], command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr(sys, "argv", ["citespan", *arguments])
        run()
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(f" (see `{command} --help`)\n")


@pytest.mark.parametrize(
    ("status", "expected"), [(503, 3), (502, 3), (504, 3), (429, 3), (400, 2), (404, 2)]
)
def test_a_server_out_of_service_is_out_of_reach(
    status: int, expected: int, capsys: pytest.CaptureFixture[str]
) -> None:
    meta = ApiResponseMeta(status, "1.1", HttpHeaders(), 0.1, NodeConfig("http", "h", 1))
    error = ApiError("all shards failed", meta, {"error": {"reason": "all shards failed"}})
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr("citespan.cli.app.app", Mock(side_effect=error))
        run()
    assert ended.value.code == expected
    said = capsys.readouterr().err
    assert "all shards failed" in said
    assert said.count("\n") == 1


GROUPS = [(), *(names for names, command in COMMANDS.items() if isinstance(command, TyperGroup))]


@pytest.mark.parametrize("names", GROUPS, ids=" ".join)
def test_a_group_says_of_a_command_how_its_own_help_begins(names: tuple[str, ...]) -> None:
    commands = COMMANDS[names].commands if names else typer.main.get_group(app).commands
    assert commands
    for name, command in commands.items():
        summary = command.get_short_help_str()
        assert summary.endswith(".")
        assert COMMANDS[(*names, name)].help.split("\n\n")[0] == summary


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_no_name_is_cut_at_80_columns(names: tuple[str, ...]) -> None:
    shown = show_whole(names)
    assert "…" not in shown.replace("`citespan index …", "")
    assert max(map(len, shown.splitlines())) <= 80
    words = set(re.split(r"[\s,/\[\]]+", shown))
    for parameter in COMMANDS[names].params:
        for name in (*parameter.opts, *parameter.secondary_opts):
            assert name in words or parameter.param_type_name == "argument", name
        if choices := getattr(parameter.type, "choices", ()):
            assert f"<{'|'.join(choices)}>" in words


def show_whole(names: tuple[str, ...]) -> str:
    """Return the help with all options."""
    shown = CliRunner().invoke(app, [*names, "--help"], terminal_width=80).output
    if "--help-all" not in shown:
        return shown
    return CliRunner().invoke(app, [*names, "--help-all"], terminal_width=80).output


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_examples_can_be_pasted_as_they_stand(names: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(app, [*names, "--help"], terminal_width=80).output
    pasted = re.split(r"\n  Examples?:\n", shown)[1]
    commands = [shlex.split(line) for line in pasted.replace("\\\n", " ").strip().splitlines()]
    assert commands == [shlex.split(example) for example in examples(COMMANDS[names])]
    assert all(command[0] == "citespan" for command in commands)
    assert not any({"--yes", "-y", "--delete-data", "--all"} & set(command) for command in commands)


def test_the_help_of_search_fits_two_screens_and_the_rest_is_behind_help_all() -> None:
    # in a process of its own: rankers of other tests would be listed too
    command = [sys.executable, "-m", "citespan.cli.main", "search", "--help"]
    environment = os.environ | {"COLUMNS": "80"}
    shown = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment
    ).stdout
    assert shown.count("\n") <= 2 * 24
    folded = {
        param.opts[0] for param in COMMANDS["search",].params if param.rich_help_panel is not None
    }
    assert {"--model", "--reformulation", "--vocabulary", "--dsl"} <= folded
    assert not any(f"\n  {name} " in shown for name in folded)
    assert f"{len(folded)} more options: citespan search --help-all" in shown
    whole = show_whole(("search",))
    assert all(f"\n  {name} " in whole for name in folded)
    assert "\nOptions of the method:\n" in whole
    assert "more options" not in whole


def test_help_all_is_there_only_where_help_leaves_something_out() -> None:
    assert "--help-all" not in CliRunner().invoke(app, ["articles", "--help"]).output
    assert CliRunner().invoke(app, ["articles", "--help-all"]).exit_code == 2

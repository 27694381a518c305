"""The commands are imported when they are asked for, and all are there."""

import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from citespan.cli.main import app

NAMES = list(typer.main.get_group(app).commands)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help(name: str) -> None:
    result = CliRunner().invoke(app, [name, "--help"], prog_name="citespan")
    assert result.exit_code == 0
    assert f"Usage: citespan {name} " in result.output


def test_help_lists_all_in_order() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    places = [shown.index(f"│ {name} ") for name in NAMES]
    assert places == sorted(places)
    assert len(NAMES) == 13


def test_no_module_of_a_command_is_imported_for_another() -> None:
    code = (
        "import sys; from citespan.cli.main import app; app(['node', '--help'], "
        "standalone_mode=False); print(*[m for m in sys.modules if m.startswith('citespan.cli.')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {name.split(".")[2] for name in found.stdout.splitlines()[-1].split()}
    assert imported & set(NAMES) == {"node"}


def test_an_unknown_command_is_told_with_what_is_like_it() -> None:
    result = CliRunner().invoke(app, ["serach"])
    assert result.exit_code == 2
    assert "search" in result.output

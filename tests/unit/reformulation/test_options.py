"""The options of reformulations: the command line and YAML derive from one description."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from citespan.cli.output import FLAGS
from citespan.cli.setting_options import with_reformulation_options
from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.settings import describe_settings, read_settings

GIVEN = {
    "vocabulary": Path("v"),
    "sources": ("MSH", "GO"),
    "semantic_types": ("T047",),
    "preferred": False,
    "synonyms": "conjunction",
    "pipeline": "other",
    "background": Path("b"),
    "general": Path("g"),
    "least_idf": 1.5,
    "phrase_terms": 4,
    "feedback_spans": 7,
    "feedback_terms": 8,
}
"""For each field a value that is not the default."""


def run(*arguments: str, environment: dict[str, str] | None = None) -> Options:
    read: list[Options] = []
    app = typer.Typer()

    @app.command()
    @with_reformulation_options
    def command(*, options: Options) -> None:
        read.append(options)

    done = CliRunner().invoke(app, arguments, env=environment or {})
    assert done.exit_code == 0, done.output
    return read[0]


def test_the_command_line_has_every_option() -> None:
    assert GIVEN.keys() == {field.name for field in fields(Options)}
    arguments = []
    for name, value in GIVEN.items():
        flag = FLAGS.get(name, name.replace("_", "-"))
        if value is False:
            arguments.append(f"--no-{flag}")
        else:
            written = ",".join(value) if isinstance(value, tuple) else str(value)
            arguments += [f"--{flag}", written]
    assert run(*arguments) == Options(**GIVEN)


def test_without_options_the_defaults_hold() -> None:
    assert run() == Options()
    assert run(environment={"CITESPAN_VOCABULARY": "store"}) == Options(vocabulary=Path("store"))


def test_yaml_has_every_option() -> None:
    written = {
        name: list(value)
        if isinstance(value, tuple)
        else str(value)
        if isinstance(value, Path)
        else value
        for name, value in GIVEN.items()
    }
    assert read_settings(Options, written, "mine.yml: options") == GIVEN


def test_a_whole_number_is_a_number() -> None:
    assert read_settings(Options, {"least_idf": 2}) == {"least_idf": 2.0}


def test_help_has_the_description_and_the_default_of_every_option() -> None:
    app = typer.Typer()

    @app.command()
    @with_reformulation_options
    def command(*, options: Options) -> None:
        """Nothing."""

    parameters = {param.name: param for param in get_command(app).params}
    for name, option in describe_settings(Options).items():
        shown: Any = parameters[name]
        assert shown.help == option.about.help
        assert shown.show_default == (option.about.default or True)
        assert shown.envvar == option.about.environment


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("feedbak", 1, "unknown key; choose from: vocabulary, sources"),
        ("feedback_terms", 0, "0 is too small; give 1 or more"),
        ("feedback_terms", True, "True is not a whole number"),
        ("feedback_terms", None, "missing; give a whole number"),
        ("least_idf", float("nan"), "nan is too small; give 0 or more"),
        ("least_idf", "low", "'low' is not a number"),
        ("sources", [], "empty; give at least one"),
        ("sources", "MSH", "'MSH' is not a list"),
        ("synonyms", "words", "unknown 'words'; choose from: phrase, conjunction"),
        ("vocabulary", 5, "5 is not a text"),
    ],
)
def test_a_mistake_is_named_with_its_place(key: str, value: object, expected: str) -> None:
    with pytest.raises(InputError) as failure:
        read_settings(Options, {key: value}, "mine.yml: systems[0]: options")
    assert str(failure.value).startswith(f"mine.yml: systems[0]: options: {key}: {expected}")

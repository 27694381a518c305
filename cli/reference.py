"""The reference of commands and names: `python -m citespan.cli.reference > docs/reference.md`."""

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from typer.main import get_group

from citespan.cli.app import app
from citespan.cli.commands import walk
from citespan.deploy.doctor.installation import REGISTRIES
from citespan.pipelines.evaluation.measure import Measure, measures
from citespan.pipelines.registry import Registry
from citespan.pipelines.settings import describe_names

_BEGINNING = """\
# Reference

Every command with its options, and everything that is chosen by name. This page is the output of
`python -m citespan.cli.reference`; a test compares the two.
"""
_ALL_COMMANDS = """\
## Commands

`citespan --version` prints the version. Every command has `--help`, and `--help-all`
where that leaves options out; `citespan --debug COMMAND` shows the traceback of an error. In a
table, "needed" means that the option must be given."""
_ALL_NAMES = """\
## Names

Everything here can be extended by another distribution, through an entry point of the group that
is named: see [CONTRIBUTING.md](../CONTRIBUTING.md)."""

_USES = {
    "citespan.readers": ("Formats", "`--format`"),
    "citespan.splitters": ("Sentence splitters", "`--splitter`"),
    "citespan.vocabulary_readers": ("Kinds of vocabularies", "`citespan vocabulary build KIND`"),
    "citespan.reformulations": ("Reformulations", "`--reformulation`, combined by `+`"),
    "citespan.retrieval_models": ("Retrieval models", "`--model` and `--models`"),
    "citespan.rankers": ("Rankers", "`--ranker`"),
    "citespan.measures": ("Measures", "`citespan evaluate compare --measure`"),
    "citespan.layouts": ("Layouts", "`--layout`"),
}
"""By entry-point group, what its things are called and where one is chosen."""


def write_reference() -> Iterator[str]:
    """Yield the paragraphs of the reference page, in Markdown."""
    yield _BEGINNING
    yield _ALL_COMMANDS
    for names, command in walk(get_group(app)):
        if not hasattr(command, "commands"):
            yield from _describe_command(" ".join(names), command)
    yield _ALL_NAMES
    for registry in REGISTRIES:
        yield from _describe_names(registry)


def _describe_command(name: str, command: Any) -> Iterator[str]:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option"]
    yield f"### citespan {' '.join([name, *map(_write_argument, arguments)])}"
    yield command.help
    rows = [(f"`{_name_argument(argument)}`", _write_help(argument), "") for argument in arguments]
    rows += [
        (
            ", ".join(f"`{flag}`" for flag in (*option.opts, *option.secondary_opts)),
            *_describe(option),
        )
        for option in options
    ]
    if rows:
        yield _make_table(("argument or option", "what it is", "default"), rows)
    yield "\n\n".join(f"    {line}" for line in examples(command))


def examples(command: Any) -> list[str]:
    """Return the examples at the end of a command's help, each a line for a shell."""
    _, _, written = (command.epilog or "").partition(": ")
    return [line.strip() for line in written.split("; ") if line.strip()]


def _name_argument(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


def _write_argument(argument: Any) -> str:
    name = _name_argument(argument)
    return name if argument.required else f"[{name}]"


def _write_help(parameter: Any) -> str:
    """Return the help of an argument or option, with names alone for what the tables describe."""
    text = " ".join((parameter.help or "").split())
    for registry in REGISTRIES:
        names = ", ".join(f"`{name}`" for name in registry.names())
        text = text.replace(describe_names(registry), names)
    return text


def _describe(option: Any) -> tuple[str, str]:
    """Return what an option does, and its default."""
    text = _write_help(option)
    if option.envvar:
        text += f" Also `{option.envvar}`."
    if option.required:
        return text, "needed"
    if isinstance(option.show_default, str):
        return text, option.show_default
    default = getattr(option.default, "value", option.default)
    if default is None or default == "" or default == () or isinstance(default, bool):
        return text, f"`{option.opts[0]}`" if default is True else ""
    return text, f"`{default:g}`" if isinstance(default, float) else f"`{default}`"


def _describe_names(registry: Registry[Any]) -> Iterator[str]:
    title, chosen_by = _USES[registry.group]
    yield f"### {title}"
    yield f"Chosen by {chosen_by}. Entry-point group: `{registry.group}`."
    if registry is measures:
        yield _make_table(("name", "what it is", "source"), map(_describe_measure, measures))
    else:
        yield _make_table(
            ("name", "what it is"), [(f"`{known.name}`", known.description) for known in registry]
        )


def _describe_measure(measure: Measure) -> tuple[str, str, str]:
    return f"`{measure.name}`", measure.description, measure.source


def _make_table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [titles, ("---",) * len(titles), *rows]
    cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


if __name__ == "__main__":
    sys.stdout.write("\n\n".join(part.strip("\n") for part in write_reference()) + "\n")

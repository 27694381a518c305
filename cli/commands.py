"""Commands and groups of commands, each imported when it runs: all together take two seconds.

A group is a table from the names of its commands to where each is and what its help says in a
line, so that the help of a group imports none of its commands.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from citespan.cli.interrupts import raise_on_interrupt


@dataclass(frozen=True, slots=True)
class Command:
    """A line in the table of a group.

    Attributes:
        target: "MODULE:NAME" of a function, whose module has the epilog of its help in EPILOG, or
            of a `typer.Typer` with further commands.
        summary: what the help of the group says of it: the first sentence of its own help.
    """

    target: str
    summary: str


def group(
    summary: str, commands: Mapping[str, Command], *, epilog: str, **settings: Any
) -> typer.Typer:
    """Return a group of commands that are imported when they run.

    Args:
        summary: what its help says of it.
        commands: by name, in the order of its help.
        epilog: what its help ends with, an example.
        settings: further settings of `typer.Typer`.
    """

    class Group(LazyGroup):
        """The group with its table."""

        table = commands

    app = typer.Typer(
        cls=Group,
        no_args_is_help=True,
        help=summary,
        epilog=epilog,
        rich_markup_mode=None,
        **settings,
    )
    app.callback()(_take_no_options)
    return app


def _take_no_options() -> None:
    """Do nothing: Typer knows nothing else of the group that it could run."""


class LazyGroup(TyperGroup):
    """A group with a stand-in for each command."""

    table: ClassVar[Mapping[str, Command]]

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {name: LazyCommand(name, one) for name, one in self.table.items()}


class OwnCommand(TyperCommand):
    """A command whose options are shown below headings, those of their `rich_help_panel`; unlike
    rich's tables, plain lines never cut a name."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                is_option = parameter.param_type_name == "option"
                heading = "Options" if is_option else "Arguments"
                heading = getattr(parameter, "rich_help_panel", None) or heading
                sections.setdefault(heading, []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


class LazyCommand(TyperCommand):
    """A command that is known by its name and summary until it runs or its help is shown."""

    def __init__(self, name: str, command: Command) -> None:
        super().__init__(name, help=command.summary)
        self._target = command.target

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        """Return the context of the command itself."""
        command = self.load()
        if not isinstance(command, LazyGroup):
            raise_on_interrupt()
        return command.make_context(*arguments, **settings)

    def get_short_help_str(self, limit: int = 0) -> str:  # noqa: ARG002
        """Return the summary, of whatever length."""
        return self.help or ""

    def load(self) -> Any:
        """Import the command and return it: a click command, or a group of them."""
        module_name, _, attribute = self._target.partition(":")
        module = import_module(module_name)
        found = getattr(module, attribute)
        if isinstance(found, typer.Typer):
            command: Any = get_group(found)
        else:
            command = _make_command(found, module.EPILOG)
        command.name = self.name
        _fill_help(command)
        return command


def _make_command(function: Callable[..., None], epilog: str) -> Any:
    single = typer.Typer(rich_markup_mode=None)
    single.command("command", cls=OwnCommand, epilog=epilog)(function)
    return get_group(single).commands["command"]


def _fill_help(command: Any) -> None:
    """Make each paragraph of a command's help one line, and of the commands below it, so that it
    fills the lines of whatever terminal shows it."""
    paragraphs = (command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    for one in getattr(command, "commands", {}).values():
        _fill_help(one)


def walk(commands: Any, *names: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Import all commands below a group, such as `typer.main.get_group(app)`.

    Returns:
        The names that lead to each, such as ("evaluate", "run"), and its click command; groups
        come before their commands.
    """
    for name, one in commands.commands.items():
        command = one.load() if isinstance(one, LazyCommand) else one
        yield (*names, name), command
        if isinstance(command, TyperGroup):
            yield from walk(command, *names, name)

"""Commands and groups of commands. All together take two seconds to import, so each file is
imported when a command of it runs.

What help says of a command or a group is its docstring. The first paragraph is its summary in the
help of the group above it, and a last one that begins with "Example" stands below its options.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from types import CodeType
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group
from typer.models import CommandFunctionType

from citespan.cli.interrupts import raise_on_interrupt


class Group(typer.Typer):
    """The commands of a file.

    Args:
        docstring: what help says of it, the docstring of the file.
    """

    def __init__(self, docstring: str | None, **settings: Any) -> None:
        settings = {"cls": _Group, "rich_markup_mode": None, "no_args_is_help": True} | settings
        super().__init__(help=docstring, **settings)
        self.callback()(_take_no_options)

    def command(
        self, name: str | None = None, **settings: Any
    ) -> Callable[[CommandFunctionType], CommandFunctionType]:
        """Return a decorator that adds a function as a command."""
        return super().command(name, cls=OwnCommand, **settings)


def _take_no_options() -> None:
    """Do nothing: Typer knows nothing else of the group that it could run."""


def lazy_group(docstring: str | None, commands: Mapping[str, str], **settings: Any) -> Group:
    """Return a group of commands that are imported when they run.

    Args:
        docstring: what its help says of it.
        commands: by name, in the order of its help, "MODULE:NAME" of a function, or of a `Group`,
            whose docstring is that of its module.
        settings: further settings of `typer.Typer`.
    """

    class OwnGroup(LazyGroup):
        """The group with its table."""

        table = commands

    return Group(docstring, cls=OwnGroup, **settings)


class OwnCommand(TyperCommand):
    """A command whose options are shown below headings, those of their `rich_help_panel`; unlike
    rich's tables, plain lines never cut a name."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        _take_docstring(self)

    def get_short_help_str(self, limit: int = 0) -> str:  # noqa: ARG002
        """Return the summary, of whatever length."""
        return (self.help or "").partition("\n\n")[0]

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


class _Group(TyperGroup):
    """A group that takes what its help says from a docstring."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        _take_docstring(self)


def _take_docstring(command: Any) -> None:
    """Make each paragraph one line, so that it fills the lines of whatever terminal shows it, and
    an example at the end the epilog."""
    paragraphs = [" ".join(part.split()) for part in (command.help or "").split("\n\n")]
    if paragraphs[-1].startswith("Example"):
        command.epilog = paragraphs.pop()
    command.help = "\n\n".join(paragraphs)


class LazyGroup(_Group):
    """A group with a stand-in for each command."""

    table: ClassVar[Mapping[str, str]]

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {name: LazyCommand(name, target) for name, target in self.table.items()}


class LazyCommand(TyperCommand):
    """A command that is known by its name and docstring until it runs or its help is shown."""

    def __init__(self, name: str, target: str) -> None:
        super().__init__(name)
        self._module, _, self._attribute = target.partition(":")

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        """Return the context of the command itself."""
        command = self.load()
        if not isinstance(command, LazyGroup):
            raise_on_interrupt()
        return command.make_context(*arguments, **settings)

    def get_short_help_str(self, limit: int = 0) -> str:  # noqa: ARG002
        """Return the summary, from the compiled module, which is not imported for it."""
        spec = find_spec(self._module)
        code: CodeType = spec.loader.get_code(self._module)  # type: ignore[union-attr]
        functions = {c.co_name: c for c in code.co_consts if isinstance(c, CodeType)}
        docstring = functions.get(self._attribute, code).co_consts[0]
        return " ".join(str(docstring).partition("\n\n")[0].split())

    def load(self) -> Any:
        """Import the command and return it: a click command, or a group of them."""
        found = getattr(import_module(self._module), self._attribute)
        if isinstance(found, typer.Typer):
            command: Any = get_group(found)
        else:
            single = Group(None)
            epilog = getattr(import_module(self._module), "EPILOG", None)
            single.command("command", epilog=epilog)(found)
            command = get_group(single).commands["command"]
        command.name = self.name
        return command


def walk(commands: Any, *names: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Import all commands below a group, such as `typer.main.get_group(app)`.

    Returns:
        The names that lead to each, such as ("evaluate", "run"), and its click command; groups
        come before their commands.
    """
    for name, command in commands.commands.items():
        command = command.load() if isinstance(command, LazyCommand) else command
        yield (*names, name), command
        if isinstance(command, TyperGroup):
            yield from walk(command, *names, name)

"""Commands and groups of commands. All together take two seconds to import, so each file is
imported when a command of it runs.

What help says of a command or a group is its docstring. The first paragraph is its summary in the
help of the group above it, and a last one that begins with "Example" stands below its options.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from types import CodeType
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_group
from typer.models import CommandFunctionType

from citespan.cli.interrupts import raise_on_interrupt


class Group(typer.Typer):
    """The commands of a file.

    Args:
        docstring: what help says of it, the docstring of the file.
    """

    def __init__(self, docstring: str | None, **settings: Any) -> None:
        settings = {"cls": _Group, "rich_markup_mode": None} | settings
        super().__init__(help=docstring, **settings)
        self.callback()(_take_no_options)

    def command(
        self, name: str | None = None, **settings: Any
    ) -> Callable[[CommandFunctionType], CommandFunctionType]:
        """Return a decorator that adds a function as a command."""
        return super().command(name, cls=OwnCommand, **settings)


def make_group(described: Callable[[], None]) -> Group:
    """Return a group of a file with several; its help is the docstring of a function."""
    return Group(described.__doc__)


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


_FIRST_COLUMN = 22
_MARGIN = 7  # of the first line of an example, with the backslash at its end
_WHOLE = "citespan.whole_help"


class _Helpful:
    """A command or group that takes what its help says from a docstring."""

    epilog: str | None

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples as lines that a shell takes as they stand, or what else there is."""
        title, _, examples = (self.epilog or "").partition(": ")
        if not title.startswith("Example"):
            super().format_epilog(ctx, formatter)  # type: ignore[misc]
            return
        formatter.write(f"\n  {title}:\n")
        for example in examples.split("; "):
            formatter.write(f"{_break_example(example, formatter.width)}\n")


def _break_example(example: str, width: int) -> str:
    """Return a command in lines that end with a backslash where it is too long for one; a line is
    never ended within a quotation, and rather before an option than elsewhere."""
    words: list[str] = re.findall(r"(?:\"[^\"]*\"|'[^']*'|[^\s\"'])+", example)
    parts: list[str] = []
    for word in words:
        if parts and not word.startswith("-") and len(parts[-1]) + len(word) <= width - _MARGIN:
            parts[-1] += f" {word}"
        else:
            parts.append(word)
    lines = [f"    {parts[0]}"]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) <= width - len(" \\ "):
            lines[-1] += f" {part}"
        else:
            lines.append(f"        {part}")
    return " \\\n".join(lines)


class OwnCommand(_Helpful, TyperCommand):
    """A command whose options are shown below headings, those of their `rich_help_panel`; unlike
    rich's tables, plain lines never cut a name.

    `--help` leaves out the options below headings other than "Options", and `--help-all` has them.
    """

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        _take_docstring(self)
        self._help_all = TyperOption(
            param_decls=["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_whole_help,
            help="Show this message with all options and exit.",
        )

    def get_params(self, ctx: Any) -> list[Any]:
        """Return arguments and options; `--help-all` where `--help` leaves some out."""
        params = super().get_params(ctx)
        return [*params, self._help_all] if any(map(_is_folded, params)) else params

    def get_short_help_str(self, limit: int = 0) -> str:  # noqa: ARG002
        """Return the summary, of whatever length."""
        return (self.help or "").partition("\n\n")[0]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options."""
        sections: dict[str, list[tuple[str, str]]] = {}
        is_whole = ctx.meta.get(_WHOLE, False)
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and (is_whole or not _is_folded(parameter)):
                is_option = parameter.param_type_name == "option"
                heading = "Options" if is_option else "Arguments"
                heading = getattr(parameter, "rich_help_panel", None) or heading
                sections.setdefault(heading, []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records, col_max=_FIRST_COLUMN)
        folded = sum(map(_is_folded, self.get_params(ctx)))
        if folded and not is_whole:
            formatter.write(f"\n  {folded} more options: {ctx.command_path} --help-all\n")


def _is_folded(parameter: Any) -> bool:
    return getattr(parameter, "rich_help_panel", None) is not None


def _show_whole_help(ctx: Any, _option: Any, wanted: bool) -> None:
    if wanted:
        ctx.meta[_WHOLE] = True
        typer.echo(ctx.get_help())
        ctx.exit()


class _Group(_Helpful, TyperGroup):
    """A group whose help is taken from a docstring, and shown where no command is named."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        _take_docstring(self)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As Typer, which without arguments makes an error of the help."""
        if not args:
            typer.echo(ctx.get_help())
            raise typer.Exit(2)
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


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
            single.command("command")(found)
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

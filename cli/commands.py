"""The commands of `citespan`, each imported when it is asked for: all together take a second."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

# By the module of that name: what in it is the command, or the group of commands.
_COMMANDS = {
    "node": "app",
    "index": "index",
    "search": "search",
    "reformulate": "reformulate",
    "evaluate": "app",
    "answers": "app",
    "vocabulary": "app",
    "background": "app",
    "sentences": "app",
    "tagger": "app",
    "kibana": "app",
    "doctor": "doctor",
    "migrate": "migrate_indices",
}


class _Commands(Mapping[str, Any]):
    """In the order of `citespan --help`."""

    def __getitem__(self, name: str) -> Any:
        attribute = _COMMANDS[name]
        module = import_module(f"citespan.cli.{name}")
        command = getattr(module, attribute)
        one = typer.Typer()
        if isinstance(command, typer.Typer):
            one.add_typer(command, name=name)
        else:
            one.command(name, epilog=module.EPILOG)(command)
        return get_group(one).commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)


class CommandsWhenAsked(TyperGroup):
    """A group of all commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands: Any = _Commands()

"""The options of reformulations on the command line, derived from their description."""

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from citespan.cli.options import split_names
from citespan.pipelines.reformulation.options import Option, Options, describe_options


def make_option(name: str, panel: str | None = None) -> Any:
    """Return Typer's description of one option.

    Args:
        panel: the heading that it is shown below; None for that of all others.
    """
    option = describe_options()[name]
    about = option.about
    flags = [f"--{about.flag}"] if about.flag else []
    return typer.Option(
        *flags,
        help=about.help,
        show_default=about.default or True,
        envvar=about.environment,
        min=about.least,
        rich_help_panel=panel,
    )


Vocabulary = Annotated[Path | None, make_option("vocabulary")]
Sources = Annotated[str | None, make_option("sources")]
SemanticTypes = Annotated[str | None, make_option("semantic_types")]


def with_reformulation_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes `options: Options` an option for each field of these.

    Typer reads a command's signature, so the options are there in place of `options`.
    """
    signature = inspect.signature(command, eval_str=True)
    own = [p for p in signature.parameters.values() if p.name != "options"]
    added = [_make_parameter(option) for option in describe_options().values()]

    @wraps(command)
    def with_options(**values: Any) -> None:
        given = {p.name: values.pop(p.name) for p in added}
        options = {
            name: _parse(describe_options()[name], value)
            for name, value in given.items()
            if value is not None
        }
        command(options=Options(**options), **values)

    parameters = [*own, *added]
    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in parameters}
    return with_options


def _make_parameter(option: Option) -> inspect.Parameter:
    kind: Any = option.kind
    if option.choices:
        kind = Literal[option.choices]
    elif kind is tuple:
        kind = str  # names separated by commas
    default = None if option.kind is tuple else option.default
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[
            kind if default is not None else kind | None,
            make_option(option.name, "Options of reformulations"),
        ],
    )


def _parse(option: Option, value: Any) -> Any:
    return split_names(value) if option.kind is tuple else value

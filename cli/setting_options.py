"""Options of the command line that are derived from settings, as their dataclass describes them."""

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from citespan.cli.options import split_names
from citespan.cli.output import FLAGS, spell_flags
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.settings import Option, describe_settings

Command = Callable[..., None]


def make_option(option: Option, panel: str | None = None) -> Any:
    """Return Typer's description of one option.

    Args:
        panel: the heading that it is shown below; None for that of all others.
    """
    about = option.about
    flags = [f"--{FLAGS[option.name]}"] if option.name in FLAGS else []
    return typer.Option(
        *flags,
        help=spell_flags(about.whole_help),
        show_default=spell_flags(about.default) if about.default else True,
        envvar=about.environment,
        min=about.least,
        rich_help_panel=panel or about.heading or None,
    )


def _option_of_reformulations(name: str) -> Any:
    return make_option(describe_settings(Options)[name])


Vocabulary = Annotated[Path | None, _option_of_reformulations("vocabulary")]
Sources = Annotated[str | None, _option_of_reformulations("sources")]
SemanticTypes = Annotated[str | None, _option_of_reformulations("semantic_types")]


def with_settings(
    parameter: str, settings: type[Any], panel: str | None = None
) -> Callable[[Command], Command]:
    """Give a command, in place of a parameter, an option for each described field of settings.

    Typer reads a command's signature, so the options are there in place of the parameter, which
    gets the values by name, without those that are None.
    """
    options = describe_settings(settings)

    def decorate(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        parameters: list[inspect.Parameter] = []
        for own in signature.parameters.values():
            if own.name == parameter:
                parameters += [_make_parameter(option, panel) for option in options.values()]
            else:
                parameters.append(own.replace(kind=inspect.Parameter.KEYWORD_ONLY))

        @wraps(command)
        def with_options(**values: Any) -> None:
            given = {name: _parse(option, values.pop(name)) for name, option in options.items()}
            values[parameter] = {name: value for name, value in given.items() if value is not None}
            command(**values)

        with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        with_options.__annotations__ = {option.name: option.annotation for option in parameters}
        return with_options

    return decorate


def with_reformulation_options(command: Command) -> Command:
    """Give a command that takes `options: Options` an option for each field of these."""

    @wraps(command)
    def with_options(*, options: dict[str, Any], **values: Any) -> None:
        command(options=Options(**options), **values)

    return with_settings("options", Options, "Options of reformulations")(with_options)


def _make_parameter(option: Option, panel: str | None) -> inspect.Parameter:
    kind: Any = option.kind
    default = option.default
    if option.choices:
        kind = Literal[option.choices]
    elif option.about.repeated:
        kind, default = list[str], None
    elif kind is tuple:
        kind, default = str, None  # names separated by commas
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[
            kind if default is not None else kind | None, make_option(option, panel)
        ],
    )


def _parse(option: Option, value: Any) -> Any:
    return split_names(value) if option.kind is tuple and not option.about.repeated else value

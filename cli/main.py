"""The `citespan` command: turns errors into one line and an exit status."""

import sys
import traceback
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer
from elasticsearch import ApiError, TransportError

from citespan.cli.commands import CommandsWhenAsked
from citespan.cli.output import complain
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.server_reason import server_reason

app = typer.Typer(
    name="citespan",
    cls=CommandsWhenAsked,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Where exactly is the evidence? Finds the passages of an article that a citing sentence "
    "is about, with Elasticsearch.",
    epilog="Exit status: 0 done, 1 done but some inputs were quarantined, 2 wrong arguments or "
    "input, 3 Elasticsearch out of reach.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"citespan {version('citespan')}")
        raise typer.Exit


@app.callback()
def _global_options(
    debug: Annotated[bool, typer.Option(help="Show the traceback of an error.")] = False,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Options that stand before the command."""
    _state["debug"] = debug


_state = {"debug": False}


def main() -> None:
    """Run the command line; never returns."""
    try:
        status = app(standalone_mode=False)
    except CitespanError as error:
        _fail(str(error), error.exit_status)
    except TransportError as error:
        name = type(error).__name__
        _fail(f"Elasticsearch went away ({name}); see `citespan node status`", 3)
    except ApiError as error:
        _fail(f"Elasticsearch refused a request: {server_reason(error)}", 2)
    except KeyboardInterrupt:
        _fail("stopped", 130)
    except typer.Abort:
        _fail("stopped", 130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of a pipe has had enough
        sys.exit(0)
    except Exception as error:  # noqa: BLE001  the outermost boundary: nothing is swallowed
        # Typer's own complaints about arguments say what they mean by format_message.
        describe = getattr(error, "format_message", None)
        if describe is None:
            _fail(f"unexpected {type(error).__name__}: {error}; run with --debug and report it", 2)
        _fail(f"{describe()} (see `citespan --help`)", 2)
    sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str, status: int) -> NoReturn:
    if _state["debug"]:
        traceback.print_exc()
    complain("citespan: " + " ".join(message.split()))
    sys.exit(status)


if __name__ == "__main__":
    main()

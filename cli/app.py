"""The `citespan` command: its commands, and errors as one line and an exit status."""

import errno
import logging
import os
import sys
import traceback
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from citespan.cli import interrupts
from citespan.cli.commands import lazy_group
from citespan.cli.output import warn
from citespan.pipelines.errors import CitespanError

app = lazy_group(
    "Where exactly is the evidence? Finds the passages of an article that a citing sentence "
    "is about, with Elasticsearch.",
    {
        "demo": "citespan.cli.serve:demo",
        "node": "citespan.cli.node:app",
        "index": "citespan.cli.index:index",
        "search": "citespan.cli.search:search",
        "articles": "citespan.cli.library:articles",
        "show": "citespan.cli.library:show",
        "delete": "citespan.cli.library:delete",
        "citations": "citespan.cli.citations:citations",
        "check": "citespan.cli.check:check",
        "decisions": "citespan.cli.decisions:app",
        "fetch": "citespan.cli.fetch:fetch",
        "link": "citespan.cli.link:link",
        "cited": "citespan.cli.link:cited",
        "summarise": "citespan.cli.link:summarise",
        "serve": "citespan.cli.serve:serve",
        "mcp": "citespan.cli.serve:mcp",
        "reformulate": "citespan.cli.reformulate:reformulate",
        "evaluate": "citespan.cli.evaluate:app",
        "ranker": "citespan.cli.ranker:app",
        "disagreement": "citespan.cli.training:disagreement",
        "contexts": "citespan.cli.training:contexts",
        "facets": "citespan.cli.training:facets",
        "answers": "citespan.cli.answers:app",
        "vocabulary": "citespan.cli.vocabulary:app",
        "background": "citespan.cli.text_models:background",
        "sentences": "citespan.cli.text_models:sentences",
        "tagger": "citespan.cli.text_models:tagger",
        "kibana": "citespan.cli.kibana:app",
        "doctor": "citespan.cli.doctor:doctor",
        "plan": "citespan.cli.plan:plan",
    },
    name="citespan",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 done, 1 done but some inputs were quarantined, 2 wrong arguments or "
    "input, 3 Elasticsearch out of reach or this machine at fault, 4 what `check --fail-on` names "
    "was found, 130 stopped by Ctrl-C.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        commit = _find_commit()
        typer.echo(f"citespan {version('citespan')}{f' (commit {commit})' if commit else ''}")
        raise typer.Exit


def _find_commit() -> str:
    """Return the commit that a wheel was built from, or that of a checkout; "" if it is unknown."""
    import subprocess

    import citespan

    folder = Path(citespan.__file__).parent
    if (folder / "commit.txt").is_file():
        return (folder / "commit.txt").read_text(encoding="ascii").strip()
    if not (folder.parent / ".git").exists():
        return ""
    command = ["git", "-C", str(folder.parent), "rev-parse", "--short=12", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:
        return ""
    return done.stdout.strip()


@app.callback()
def _global_options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and the commit.",
            callback=_print_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Take the options that come before the command."""
    _state["debug"] = debug


_state = {"debug": False}


def run() -> NoReturn:
    """Run the command line and exit."""
    if isinstance(sys.stdout, TextIOWrapper):  # not where it is closed
        # a terminal shows what its characters allow; a program is given UTF-8, whatever the locale
        encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
    # the client logs each failed request, also if it then succeeds at another node
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    try:
        status = app(prog_name="citespan", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        _stop()
    except BrokenPipeError:
        sys.stderr.close()  # the reader of a pipe has had enough
        sys.exit(0)
    except Exception as error:  # noqa: BLE001  the outermost boundary: nothing is swallowed
        says_so = getattr(error, "exit_status", None) == interrupts.STATUS
        if interrupts.was_interrupted() and not says_so:
            _stop()  # whatever a library has made of it
        if isinstance(error, CitespanError):
            _fail(str(error), error.exit_status)
        _fail(*_describe(error))
    if interrupts.was_interrupted():
        _stop()  # Typer makes it a status
    sys.exit(status if isinstance(status, int) else 0)


def _stop() -> NoReturn:
    """End after Ctrl-C. What was under way has been left in order by now.

    Python would end with another status if Ctrl-C came while a text was executed, as when a data
    class is made.
    """
    try:
        _fail("stopped", interrupts.STATUS)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(interrupts.STATUS)


def _describe(error: Exception) -> tuple[str, int]:
    """Return a message for an error that is not citespan's own, and the exit status."""
    # Typer's own errors about arguments say what they mean by format_message.
    if describe := getattr(error, "format_message", None):
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "citespan"
        return f"{describe()} (see `{command} --help`)", 2
    from citespan.pipelines.server_reason import explain_server_error

    explained = explain_server_error(error)
    if explained is not None:
        return str(explained), explained.exit_status
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"{error.filename or 'the output'}: can't be written to: {error.strerror}", 2
    return f"unexpected {type(error).__name__}: {error}; run with --debug and report it", 2


def _fail(message: str, status: int) -> NoReturn:
    if _state["debug"]:
        traceback.print_exc()
    if message:
        warn("citespan: " + " ".join(message.split()))
    sys.exit(status)

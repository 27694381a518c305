"""The process that checks one manuscript, with limits of time and memory.

What is read comes from strangers, so nothing that reading it does can stop or exhaust the server.
The process writes its results into the folder that it is given, and says how far it is on
standard output, a JSON object a line. `python -m citespan.serve.check_process` runs it.
"""

import gzip
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, astuple
from pathlib import Path
from typing import IO, Any

import orjson

from citespan.pipelines.errors import InputError
from citespan.pipelines.limits import DEFAULT_MEGABYTES, Limits, end_without_memory
from citespan.serve.access import TOKEN
from citespan.serve.log import describe_record
from citespan.serve.problems import LOG, Problem, describe

MOST_CITATIONS = 2000
MANUSCRIPT = "manuscript"
"""The folder of what was sent, in that of the check."""
REPORT, STANDALONE, MARKDOWN, RESULT, ROWS, SUBJECTS = FILES = (
    *("report.html", "standalone.html", "report.md", "result.json", "rows.json", "subjects.json"),
)
"""What the process writes, compressed: the report as a page of the site; those of `citespan check`
with `--html` and `--markdown`, all three with places for decisions; what it prints with `--json`;
the rows of `--csv`, as JSON; and what decisions about each citation are about."""
_MOST_WRITTEN = 50_000_000  # bytes of each, compressed


class CheckProcess:
    """A process that checks the manuscript in a folder.

    Args:
        folder: of the check; what was sent is in its folder `manuscript`.
        name: of the manuscript.
        seconds: how long it may take.
        ranker: the name of what judges the cited articles.
        kept: the file with the articles of a folder, in place of a server; None for the server.
    """

    def __init__(
        self, folder: Path, name: str, seconds: int, ranker: str, kept: Path | None
    ) -> None:
        self._limits = Limits(seconds, DEFAULT_MEGABYTES)
        arguments = (
            *(str(folder), name, str(seconds), ranker, str(os.getpid())),
            *map(str, filter(None, [kept])),
        )
        self._process = subprocess.Popen(  # noqa: S603  the name was checked
            [sys.executable, "-P", "-m", __name__, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            # what it unpacks goes with the folder, however it ends
            env={k: v for k, v in os.environ.items() if k != TOKEN} | {"TMPDIR": str(folder)},
            start_new_session=True,  # Ctrl-C is for the server, which ends this
        )

    def messages(self) -> Iterator[dict[str, Any]]:
        """Yield what the process says until it ends: `total`, `done`, `log`, or the `problem`
        that it ends with, the end of its time or memory included."""
        has_problem = False
        try:
            assert self._process.stdout is not None
            for line in self._process.stdout:
                message = orjson.loads(line)
                has_problem |= "problem" in message
                yield message
            status = self._process.wait()
        finally:
            self.kill()
        if not has_problem and status != 0:
            reason = self._limits.explain(status)
            message = f"the check {reason}; use `citespan check` for such a manuscript"
            yield {"problem": asdict(Problem(400, message))}

    def kill(self) -> None:
        """End the process, whatever it does, with those that it has started."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)


def main() -> None:
    """Check the manuscript that the arguments name."""
    folder, name, seconds, ranker, parent, *kept = sys.argv[1:]
    limits = Limits(int(seconds), DEFAULT_MEGABYTES)
    limits.enforce()
    if os.getppid() != int(parent):
        return  # the server has ended before that could end this
    limits.start_clock()
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a plug-in prints is no message
    LOG.addHandler(_Sender(channel))
    LOG.propagate = False
    try:
        _check(Path(folder), name, ranker, channel, *map(Path, kept))
    except MemoryError:
        end_without_memory()
    except Exception as error:  # noqa: BLE001  the boundary of the process: it is shown
        problem = describe(error)
        message = problem.message.replace(f"{folder}/{MANUSCRIPT}/", "")
        _send(channel, problem=asdict(problem) | {"message": message})


def _check(
    folder: Path, name: str, ranker: str, channel: IO[bytes], kept: Path | None = None
) -> None:
    from citespan.citing import check
    from citespan.pipelines.citations.manuscript import read_citations
    from citespan.pipelines.written_results import escape
    from citespan.serve.report import make_html
    from citespan.serve.report.markdown import make_markdown
    from citespan.serve.search_server import connect_to

    found = read_citations(folder / MANUSCRIPT / name)
    total = len(found.citations)
    if total > MOST_CITATIONS:
        raise InputError(
            f"{name} has {total:,} citations, and {MOST_CITATIONS:,} can be checked here; use "
            "`citespan check` for it"
        )
    _send(channel, total=total)

    def count(citations: int) -> None:
        _send(channel, done=citations)

    checked = check(found, ranker=ranker, client=connect_to(kept), on_checked=count)
    sent = f"{folder}/{MANUSCRIPT}/"
    for file, is_served in ((REPORT, True), (STANDALONE, False)):
        html = make_html(checked, folder.name if is_served else None, is_filled=False)
        _write(folder / file, html.replace(sent, "").encode())
        del html
    markdown = make_markdown(checked, is_filled=False)
    _write(folder / MARKDOWN, markdown.replace(escape(sent), "").encode())
    subjects = {key: list(astuple(subject)) for key, subject in checked.subjects.items()}
    result = checked.to_json() | {"manuscript": name}
    for file, described in ((RESULT, result), (ROWS, checked.to_rows()), (SUBJECTS, subjects)):
        data = orjson.dumps(described, option=orjson.OPT_SERIALIZE_NUMPY)
        _write(folder / file, data.replace(orjson.dumps(sent)[1:-1], b""))


def _write(file: Path, content: bytes) -> None:
    compressed = gzip.compress(content, compresslevel=1)
    if len(compressed) > _MOST_WRITTEN:
        raise InputError("its report is too large to be shown here; use `citespan check` for it")
    file.write_bytes(compressed)


def _send(channel: IO[bytes], **message: Any) -> None:
    channel.write(orjson.dumps(message) + b"\n")


class _Sender(logging.Handler):
    """Sends what is logged to the server, which has the log."""

    def __init__(self, channel: IO[bytes]) -> None:
        super().__init__()
        self._channel = channel

    def emit(self, record: logging.LogRecord) -> None:
        _send(self._channel, log=describe_record(record))


if __name__ == "__main__":
    main()

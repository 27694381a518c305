"""The machines on which the soak test runs commands: each has a home of its own, a host's name and
a clock; all are this one."""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from command_line import finish, run, start
from findings import Record

_SITE = Path(__file__).parent / "machine_site"
_DEFECTS = ("Traceback (most recent call last)", "unexpected ")
_OPTION = re.compile(r"--[a-z][a-z-]+")
Process = subprocess.Popen[str]


@cache
def options_of(*command: str) -> frozenset[str]:
    """Return the options that the tested version of citespan has for a command; none for a command
    that it does not have."""
    told = run(*command, "--help", COLUMNS="200", NO_COLOR="1")
    return frozenset(_OPTION.findall(told.stdout)) if told.returncode == 0 else frozenset()


def supported(command: str, *wanted: str) -> list[str]:
    """Return those of the options that the version has."""
    return [option for option in wanted if option in options_of(command)]


@dataclass(frozen=True)
class Machine:
    """One machine.

    Attributes:
        url: of Elasticsearch, as the machine sees it.
        home: for CITESPAN_HOME.
        host: its name; "" for this machine's own.
        shift: by how many seconds its clock is ahead.
        stopped: the time at which its clock stands, in seconds since 1970; 0 if it goes.
        disturbed: whether there are proxies between it and the server.
    """

    record: Record
    url: str
    home: Path
    host: str = ""
    shift: float = 0.0
    stopped: float = 0.0
    disturbed: bool = False

    def at(self, url: str | None = None, shift: float | None = None) -> "Machine":
        """Return the same machine with another address of Elasticsearch, or another clock."""
        return replace(
            self,
            url=self.url if url is None else url,
            disturbed=self.disturbed or url is not None,
            shift=self.shift if shift is None else shift,
        )

    def start(self, *arguments: object) -> Process:
        """Start a command."""
        self.home.mkdir(parents=True, exist_ok=True)
        process: Process = start(
            *arguments,
            CITESPAN_ES_URL=self.url,
            CITESPAN_HOME=str(self.home),
            PYTHONPATH=str(_SITE),
            SOAK_HOST=self.host,
            SOAK_SHIFT=str(self.shift),
            SOAK_STOPPED=str(self.stopped),
        )
        return process

    def finish(
        self, process: Process, allowed: Sequence[int] = (0, 1, 2, 3)
    ) -> subprocess.CompletedProcess[str]:
        """Wait for the end of a command, which may be killed, and look at how it ends."""
        said = " ".join(map(str, list(process.args)[1:]))  # type: ignore[arg-type]
        try:
            done: subprocess.CompletedProcess[str] = finish(process)
        except subprocess.TimeoutExpired:
            self.record.find("hung", f"{said} never ends")
            return subprocess.CompletedProcess(process.args, 3, "", "")
        words = " ".join(done.stderr.split())[-200:]
        if any(defect in done.stderr for defect in _DEFECTS):
            self.record.find("defect", f"{words} ({said})")
        elif done.returncode >= 0 and done.returncode not in allowed:
            self.record.find("status", f"{done.returncode}: {words} ({said})")
        return done

    def run(
        self, *arguments: object, allowed: Sequence[int] = (0, 1, 2, 3)
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return self.finish(self.start(*arguments), allowed)

    def index(self, *arguments: object) -> Process:
        """Start a load; what it would delete needs no further word."""
        self.record.count(f"loads {'through' if self.disturbed else 'without'} faults")
        return self.start("index", *arguments, *supported("index", "--yes"), "--json")

    def delete(self, *articles: str) -> subprocess.CompletedProcess[str]:
        """Delete articles."""
        self.record.count("deletes")
        return self.run("delete", *articles, *supported("delete", "--yes"))

    def repair(self) -> subprocess.CompletedProcess[str]:
        """Run `citespan doctor --repair`."""
        self.record.count("doctors")
        return self.run("doctor", "--repair", *supported("doctor", "--yes"))

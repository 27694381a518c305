"""Commands that run for a second, against another version of citespan.

`python -m benchmarks startup --against PATH` runs both versions in turns, where PATH is the
`citespan` executable of the other: processor time (user and system) and wall-clock time of whole
processes, on a node that has answered both before, with compiled modules as an installed version
has them. Searches are by the preset `naacl2015`, which is what the other version does without
options.
"""

import atexit
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.citances import jats_articles
from benchmarks.node import citespan, wipe
from benchmarks.row import Row
from citespan.pipelines.evaluation.shipped import sample

_RUNS = 9
THIS = (sys.executable, "-m", "citespan.cli.main")
_CITANCE = "p53 stops the cell cycle after DNA damage (Smith, 2010)"
_PRESET = ("--preset", "naacl2015")
_WANTED = ">= 1.5"


class Seconds(NamedTuple):
    """What one process took."""

    processor: float
    wall: float


def run(_folder: Path, _scratch: Path, against: Path | None = None) -> Iterator[Row]:
    """Each command by both versions, on the sample articles in both layouts."""
    articles = sample("jats")
    article = next(jats_articles(articles)).id
    search = ("search", _CITANCE, "--article", article)
    for layout in ("spans", "sentences"):
        wipe()
        citespan("index", str(articles), "--format", "jats", "--layout", layout)
        yield from [
            *_compare(f"search, layout {layout}", search, against, _PRESET),
            *_compare(f"search --json, layout {layout}", (*search, "--json"), against, _PRESET),
        ]
    wipe()
    for arguments in (("search", "--help"), ("--help",)):
        yield from _compare(" ".join(arguments), arguments, against)


def _compare(
    label: str, arguments: tuple[str, ...], against: Path | None, only_here: tuple[str, ...] = ()
) -> Iterator[Row]:
    """Measure a command by both versions; `only_here` are options of this one alone."""
    commands = [(*THIS, *arguments, *only_here)]
    if against:
        commands.append((str(against), *arguments))
    taken: list[list[Seconds]] = [[] for _ in commands]
    for _ in range(1 + _RUNS):
        for command, seconds in zip(commands, taken, strict=True):
            seconds.append(_measure([*command]))
    for field, name in (("processor", "processor time"), ("wall", "wall-clock time")):
        # the first run of each warms the caches
        medians = [median(getattr(run, field) for run in seconds[1:]) for seconds in taken]
        mine, *others = medians
        row = Row(f"{label}: {name}", f"{mine:.2f} s")
        for other in others:
            ratio = f"{other / mine:.2f} times as fast"
            row = Row(row.label, row.figure, f"{other:.2f} s", ratio, _WANTED)
        yield row


def measure_commands(commands: Sequence[Sequence[str]]) -> list[float]:
    """Return the median wall-clock seconds of commands of this version, run in turns."""
    taken: list[list[float]] = [[] for _ in commands]
    for _ in range(1 + _RUNS):
        for command, seconds in zip(commands, taken, strict=True):
            seconds.append(_measure([*THIS, *command]).wall)
    return [median(seconds[1:]) for seconds in taken]


@cache
def _compiled_modules() -> Path:
    """Return a folder for compiled modules that lasts as long as this process."""
    folder = Path(tempfile.mkdtemp(prefix="citespan-bench-modules-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def without_this_version(command: Sequence[str]) -> dict[str, str]:
    """Return the environment for a command: another version's must not import this one."""
    other = command[0] != THIS[0]
    return {k: v for k, v in os.environ.items() if not (other and k == "PYTHONPATH")}


def _measure(command: list[str]) -> Seconds:
    """Run a command to its end.

    Raises:
        CalledProcessError: if it fails.
    """
    environment = without_this_version(command)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(_compiled_modules())
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, capture_output=True, check=True, env=environment)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Seconds(processor, wall)

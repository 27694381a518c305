"""Ctrl-C: one line, exit status 130 and no traceback, whatever it interrupts."""

import os
import signal
import subprocess
import sys
import time

import pytest
from places import ROOT

COMMAND = [sys.executable, "-X", "importtime", "-m", "citespan.cli.main"]
ARTICLES = ROOT / "pipelines" / "corpus" / "sample" / "jats"
NOWHERE = os.environ | {"CITESPAN_ES_URL": "http://127.0.0.1:9"}
FIRST = "citespan.cli.interrupts"


def index(interrupt_at: int | None) -> tuple[int, list[str], int]:
    """Run `citespan index`, and interrupt it once it has imported so many modules.

    Returns:
        The exit status, what the command wrote to stderr, and how many modules it imported.
    """
    with subprocess.Popen(
        [*COMMAND, "index", str(ARTICLES)],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env=NOWHERE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stderr is not None
        imported = 0
        said = []
        for line in process.stderr:
            if not line.startswith("import time:"):
                said.append(line)
            elif imported or line.split("|")[-1].strip() == FIRST:
                imported += 1
                if imported == interrupt_at:
                    process.send_signal(signal.SIGINT)
    return process.returncode, said, imported


@pytest.fixture(scope="module")
def modules() -> int:
    """How many modules the command imports."""
    status, said, imported = index(None)
    assert (status, len(said)) == (3, 1)
    return imported


@pytest.mark.parametrize("part", [0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
def test_imports_are_interrupted(part: float, modules: int) -> None:
    status, said, _ = index(2 + int(part * modules))
    assert (status, said) == (130, ["citespan: stopped\n"])


def test_an_interrupt_that_python_would_ignore_ends_the_command() -> None:
    code = """
import time
from citespan.cli import interrupts
class Slow:
    def __del__(self):
        print("begun", flush=True)
        time.sleep(60)
interrupts.exit_on_interrupt()
interrupts.raise_on_interrupt()
slow = Slow()
del slow
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read() == "citespan: stopped\n"


def test_an_interrupt_that_compiled_code_would_print_ends_the_command() -> None:
    code = """
import ctypes
from citespan.cli import interrupts
interrupts.exit_on_interrupt()
interrupts.raise_on_interrupt()
ctypes.pythonapi.PyRun_SimpleString(b"import signal; signal.raise_signal(signal.SIGINT)")
print("went on")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "citespan: stopped\n")


def test_a_second_interrupt_does_not_wait_for_an_orderly_end() -> None:
    code = """
import time
from citespan.cli import interrupts
interrupts.exit_on_interrupt()
interrupts.raise_on_interrupt()
try:
    print("begun", flush=True)
    time.sleep(60)
finally:
    print("ending", flush=True)
    time.sleep(60)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in ("begun\n", "ending\n"):
            assert process.stdout.readline() == line
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read() == "citespan: stopped\n"


def test_where_interrupts_are_ignored_they_stay_so() -> None:
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        "from citespan.cli import interrupts; interrupts.exit_on_interrupt(); "
        "interrupts.raise_on_interrupt(); signal.raise_signal(signal.SIGINT); print('there')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "there\n"

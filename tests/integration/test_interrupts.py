"""Ctrl-C during a load, at many moments: to all its processes, as a terminal sends it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

FILES, ARTICLES = 40, 100
SENTENCES = " ".join(f"Sentence {n} is about a kinase." for n in range(40))


def lines(prefix: str) -> str:
    """Return articles as JSON Lines."""
    return "\n".join(
        json.dumps({"id": f"{prefix}-{n}", "text": SENTENCES}) for n in range(ARTICLES)
    )


def test_no_moment_of_a_load_leaves_a_traceback(node: str, tmp_path: Path) -> None:
    articles = tmp_path / "articles"
    articles.mkdir()
    for number in range(FILES):
        (articles / f"{number}.jsonl").write_text(lines(f"interrupted-{number}"))
    command = [sys.executable, "-m", "citespan.cli.main", "index", str(articles)]
    statuses = []
    for moment in range(16):
        with subprocess.Popen(
            [*command, "--layout", "sentences", "--processes", "2", "--restart"],
            env=os.environ | {"CITESPAN_HOME": str(tmp_path / "home")},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as process:
            time.sleep(0.5 + 0.2 * moment)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
            _, said = process.communicate(timeout=60)
        statuses.append(process.returncode)
        assert process.returncode in (0, 130), said
        assert len(said.splitlines()) <= 1, said
    assert statuses.count(130) > len(statuses) / 2

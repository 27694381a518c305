"""`make soak`: rounds with new seeds on a cluster of three nodes, some of which are killed
meanwhile, until SOAK_MINUTES (10) have passed. Stops at the first round that finds anything.

SOAK_SEED is the first seed; the same seed draws the same round.
"""

import os
import random
import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import psutil
from real_node import as_user_of, new_home
from scenario import Counts, Round

from citespan.deploy.node.lifecycle import down, up

_LONGEST_WAIT = 20.0


class Killer:
    """Kills nodes at random moments and starts them again: one, or at times all."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._stopped = Event()
        self._thread = ThreadPoolExecutor(1)
        self.killed = 0

    def __enter__(self) -> "Killer":
        self._work_done = self._thread.submit(self._work)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.shutdown()
        self._work_done.result()

    def _work(self) -> None:
        while not self._stopped.wait(self._random.uniform(1.0, _LONGEST_WAIT)):
            nodes = up().nodes
            for node in nodes if self._random.random() < 0.2 else [self._random.choice(nodes)]:
                server = node.process()
                assert server is not None
                server.kill()
                psutil.wait_procs([server])
                self.killed += 1
            self._stopped.wait(self._random.uniform(0.0, 5.0))
            up()


def main() -> None:
    """Run rounds until the time is over."""
    until = time.monotonic() + 60 * float(os.environ.get("SOAK_MINUTES", "10"))
    seed = int(os.environ.get("SOAK_SEED", str(int(time.time()))))
    home, scratch = new_home(), Path(tempfile.mkdtemp(prefix="citespan-soak-"))
    total, rounds, nodes = Counts(), 0, 0
    with as_user_of(home):
        try:
            addresses = up(port=0, nodes=3).addresses
            while time.monotonic() < until:
                started = time.monotonic()
                folder = scratch / str(seed)
                folder.mkdir()
                one = Round(addresses, folder, seed, abstracts=True)
                with Killer(seed) as killer:
                    one.disturb(loads=3)
                one.check()
                for name, value in vars(one.counts).items():
                    setattr(total, name, getattr(total, name) + value)
                rounds, nodes = rounds + 1, nodes + killer.killed
                seconds = time.monotonic() - started
                print(f"seed {seed}: nothing found in {seconds:.0f} s", flush=True)
                shutil.rmtree(folder)
                seed += 1
        finally:
            print(
                f"{rounds} rounds: {total.loads} loads through faults, {total.killed} of them "
                f"killed, {nodes} nodes killed, {total.documents} documents compared",
                flush=True,
            )
            down(delete_data=True)
            shutil.rmtree(home)


if __name__ == "__main__":
    main()

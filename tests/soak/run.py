"""`make soak`: rounds with new seeds on a cluster of three nodes, some of which are killed
meanwhile, until SOAK_MINUTES (10) have passed. Says what each round has found, and ends with
status 1 if any has found anything.

SOAK_SEED is the first seed; the same seed draws the same round. CITESPAN_COMMAND is the executable
of another version that is to be tested. With SOAK_NODES=1 there is one node, which is not killed,
for versions that take a single address.
"""

import os
import random
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from threading import Event

import psutil
from real_node import address_of, as_user_of, new_home
from scenario import Counts, Round

from citespan.deploy.node.lifecycle import down, up

_LONGEST_WAIT = 20.0


class NodeKiller:
    """Kills nodes of a cluster at random moments and starts them again: one, or at times all."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._stopped = Event()
        self._thread = ThreadPoolExecutor(1)
        self.killed = 0

    def __enter__(self) -> "NodeKiller":
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


def main() -> int:
    """Run rounds until the time is over, and return how many have found something."""
    until = time.monotonic() + 60 * float(os.environ.get("SOAK_MINUTES", "10"))
    seed = int(os.environ.get("SOAK_SEED", str(int(time.time()))))
    count = int(os.environ.get("SOAK_NODES", "3"))
    home, scratch = new_home(), Path(tempfile.mkdtemp(prefix="citespan-soak-"))
    total, rounds, nodes, failed = Counts(), 0, 0, 0
    with as_user_of(home):
        try:
            addresses = address_of(up(port=0, nodes=count))
            while time.monotonic() < until:
                started = time.monotonic()
                folder = scratch / str(seed)
                folder.mkdir()
                one, found = Round(addresses, folder, seed), "nothing found"
                try:
                    with NodeKiller(seed) if count > 1 else nullcontext() as killer:
                        one.disturb(loads=3)
                    one.check()
                except AssertionError as error:
                    found, failed = str(error), failed + 1
                for name, value in vars(one.counts).items():
                    setattr(total, name, getattr(total, name) + value)
                rounds, nodes = rounds + 1, nodes + (killer.killed if killer else 0)
                seconds = time.monotonic() - started
                print(f"seed {seed}, {one.loaded}, {seconds:.0f} s: {found}", flush=True)
                shutil.rmtree(folder)
                seed += 1
        except KeyboardInterrupt:
            print(f"stopped in the round of seed {seed}", flush=True)
        finally:
            print(
                f"{rounds} rounds, {failed} of which have found something: {total.loads} loads "
                f"through faults, {total.killed} of them killed, {nodes} nodes killed, "
                f"{total.documents} documents compared",
                flush=True,
            )
            down(delete_data=True)
            shutil.rmtree(home)
            shutil.rmtree(scratch, ignore_errors=True)
    return failed


if __name__ == "__main__":
    sys.exit(1 if main() else 0)

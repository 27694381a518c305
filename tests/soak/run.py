"""`make soak`: rounds of all kinds with new seeds, on a cluster of three nodes, some of which are
killed meanwhile, until SOAK_MINUTES (10) have passed. Says what each round has found and goes on,
and ends with status 1 if any has found anything.

SOAK_SEED is the first seed; the same seed and kind draw the same round. SOAK_KINDS are the kinds of
rounds, separated by commas. CITESPAN_COMMAND is the executable of another version that is to be
tested. With SOAK_NODES=1 there is one node, which is not killed.
"""

import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

from findings import Record
from linked import Linked
from machine import Machine
from many_places import Places
from node_killer import NodeKiller
from real_node import address_of, as_user_of, new_home
from repairs import Repairs
from resumed import Resumed
from revisions import Revisions
from scene import Round, Scene
from storm import Storm
from watching import serving

from citespan.deploy.node.lifecycle import down, up

KINDS: dict[str, type[Round]] = {
    round_.__name__.lower(): round_
    for round_ in (Storm, Places, Resumed, Repairs, Linked, Revisions)
}

_WATCHERS = 4


def run_round(kind: str, scene: Scene, nodes: int = 1) -> None:
    """Run one round; what it has done and found is in the scene's record."""
    round_ = KINDS[kind](scene)
    try:
        loses = nodes > 1 and round_.loses_nodes
        with NodeKiller(scene.record, scene.seed) if loses else nullcontext():
            round_.disturb()
        scene.wait()
        round_.check()
    except AssertionError as error:
        scene.record.find("defect", str(error))
    finally:
        scene.truth.doubt()


def main() -> int:
    """Run rounds until the time is over, and return how many have found something."""
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    seconds = 60 * float(os.environ.get("SOAK_MINUTES", "10"))
    seed = int(os.environ.get("SOAK_SEED", str(int(time.time()))))
    nodes = int(os.environ.get("SOAK_NODES", "3"))
    kinds = os.environ.get("SOAK_KINDS", ",".join(KINDS)).split(",")
    home, scratch = new_home(), Path(tempfile.mkdtemp(prefix="citespan-soak-"))
    total, rounds, failed = Record(), 0, 0
    with as_user_of(home):
        try:
            addresses = address_of(up(port=0, nodes=nodes))
            with serving(Machine(total, addresses, home), scratch / "serve.log") as site:
                until = time.monotonic() + seconds
                while time.monotonic() < until:
                    kind, started = kinds[rounds % len(kinds)], time.monotonic()
                    folder = scratch / str(seed)
                    folder.mkdir()
                    scene = Scene(addresses, folder, seed, site, _WATCHERS)
                    run_round(kind, scene, nodes)
                    rounds, failed = rounds + 1, failed + bool(scene.record.found)
                    total.add(scene.record)
                    took = time.monotonic() - started
                    found = scene.record.describe_found() or "nothing found"
                    print(f"{rounds}: {kind}, seed {seed}, {took:.0f} s: {found}", flush=True)
                    shutil.rmtree(folder)
                    seed += 1
        except KeyboardInterrupt:
            print(f"stopped in the round of seed {seed}", flush=True)
        finally:
            done = "".join(f"\n{count:8,} {name}" for name, count in sorted(total.counts.items()))
            print(f"{rounds} rounds, {failed} of which have found something:{done}", flush=True)
            if total.found:
                print(f"found: {total.describe_found()}", flush=True)
            down(delete_data=True)
            shutil.rmtree(home, ignore_errors=True)
            shutil.rmtree(scratch, ignore_errors=True)
    return failed


if __name__ == "__main__":
    sys.exit(1 if main() else 0)

"""Leases: every command that writes articles, abstracts or links holds one while it does.

So what nobody has named yet is known to be somebody's, and a command that must be alone finds out
whether it is. A lease is renewed as long as its holder runs, and lapses a few minutes after the
last time. Only the server's clock counts, whatever the clocks of the machines say. All leases are
in one document, which is changed only as it was looked up, so of two commands that exclude each
other one is refused, and a request that arrives late changes nothing.

A holder that stood still for longer than its lease, as with its machine, may have been taken for
dead: it takes a new lease, and `Lease.check` says so, for it to look at what it has written again.
"""

import os
import platform
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from secrets import token_hex
from threading import Event, Lock, Thread
from typing import Any

from elasticsearch import ApiError, ConflictError, Elasticsearch, NotFoundError, TransportError

from citespan.es_mappings import leases
from citespan.pipelines.errors import OutsideError
from citespan.pipelines.store.retry import UnsettledError
from citespan.pipelines.store.server import Server, ensure_index

LEASE_SECONDS = 180
_RENEWAL_SECONDS = 30.0
_AGAIN_SECONDS = 5.0  # after a renewal that has failed
_LONGEST_WAIT = 60.0  # seconds that a server may keep a request, as it does by default
_LAST_SECONDS = 5.0  # for giving a lease up, since it also lapses
_RETRIES_ON_CONFLICT = 20
_TAKE = """
long now = ctx._now;
List living = new ArrayList();
boolean free = true;
for (writer in ctx._source.writers) {
  if (params.former.contains(writer.token) || now - writer.renewed > params.lease) continue;
  living.add(writer);
  if (writer.exclusive || params.writer.exclusive) free = false;
}
if (free) {
  Map own = params.writer;
  own.since = now;
  own.renewed = now;
  living.add(own);
}
ctx._source.writers = living;
"""
_RENEW = """
boolean found = false;
for (writer in ctx._source.writers) {
  if (writer.token == params.token && ctx._now - writer.renewed <= params.lease) {
    writer.renewed = ctx._now;
    found = true;
  }
}
if (!found) ctx.op = 'none';
"""
_GIVE_UP = "ctx._source.writers.removeIf(writer -> writer.token == params.token);"


class LeaseHeldError(OutsideError):
    """Another command writes, and one of both must be alone."""


class LeaseLostError(OutsideError):
    """Another command may have written, and this one must be alone."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A command that writes.

    Attributes:
        since: when it began, by the server's clock.
        exclusive: whether nobody else may write meanwhile.
    """

    command: str
    host: str
    process: int
    since: datetime
    exclusive: bool

    def __str__(self) -> str:
        return (
            f"`citespan {self.command}` by {self.host}, process {self.process}, is under way since "
            f"{self.since:%Y-%m-%d %H:%M:%S} UTC"
        )


class Lease:
    """A lease that is held; `hold_lease` takes it and gives it up.

    Attributes:
        token: identifies the lease among all.
    """

    def __init__(self, server: Server, command: str, exclusive: bool, former: str) -> None:
        self.token = token_hex(8)
        self._server = server
        self._command = command
        self._exclusive = exclusive
        self._lock = Lock()
        self._lapsed = False
        self._had_gap = False
        self._ended = Event()
        self._take(former)
        self._thread = Thread(target=self._renew_regularly, daemon=True)
        self._thread.start()

    def keep(self) -> None:
        """Renew the lease if its time has come and nothing has done so, as after a sleep of this
        machine.

        Raises:
            LeaseHeldError: if it has lapsed, and another command has the right to be alone.
            LeaseLostError: if it has lapsed, and this command has the right to be alone.
        """
        if _read_uptime() - self._renewed > 2 * _RENEWAL_SECONDS:
            self._server.call(self._renew)
        if self._lapsed:
            self._take_again()

    def check(self) -> bool:
        """Return whether the lease has been held without a gap since it was taken, or checked last.

        Raises: as `keep`.
        """
        self._server.call(self._renew)
        if self._lapsed:
            self._take_again()
        held, self._had_gap = not self._had_gap, False
        return held

    def _take_again(self) -> None:
        if self._exclusive:
            raise LeaseLostError(
                f"`citespan {self._command}` has stood still for so long that other commands may "
                "have written: repeat it; what it had not replaced is as it was"
            )
        self._take()
        self._had_gap = True

    def _take(self, former: str = "") -> None:
        """Take the lease, in place of that of a former holder.

        Raises:
            LeaseHeldError: if another command writes, and one of both must be alone.
        """
        client = self._server.client
        with self._lock:
            self._server.call(
                lambda: ensure_index(client, leases.INDEX, leases.mapping(), leases.settings())
            )
            writers = self._server.call(lambda: self._ask_for_it([former, self.token]))
        others = [_read_writer(writer) for writer in writers if writer["token"] != self.token]
        if len(others) == len(writers):
            hindering = [writer for writer in others if writer.exclusive or self._exclusive]
            more = f", and {len(hindering) - 1:,} more" if len(hindering) > 1 else ""
            raise LeaseHeldError(
                f"{hindering[0]}{more}, and `citespan {self._command}` can't run beside it; repeat "
                f"the command when it has ended (after a kill, in {LEASE_SECONDS // 60} minutes)"
            )

    def _ask_for_it(self, former: list[str]) -> list[dict[str, Any]]:
        """Return the writers that live, this one among them if it may write.

        Raises:
            UnsettledError: if others have changed the document meanwhile.
        """
        client = self._server.client
        writer = {
            "token": self.token,
            "command": self._command,
            "host": platform.node(),
            "process": os.getpid(),
            "exclusive": self._exclusive,
        }
        parameters = {"writer": writer, "former": former, "lease": LEASE_SECONDS * 1000}
        # a server without a master would keep the request for a minute
        patience = f"{min(_LONGEST_WAIT, self._server.retry.seconds) * 1000:.0f}ms"
        try:
            found = _read_document(client)
            if not found.get("found"):
                found = client.create(
                    index=leases.INDEX,
                    id=leases.DOCUMENT,
                    document={"writers": []},
                    timeout=patience,
                )
            asked = _read_uptime()
            answer = client.update(
                index=leases.INDEX,
                id=leases.DOCUMENT,
                script={"source": _TAKE, "params": parameters},
                if_seq_no=found["_seq_no"],
                if_primary_term=found["_primary_term"],
                source=True,
                timeout=patience,
            )
        except ConflictError as error:
            raise UnsettledError("others take leases as well") from error
        self._renewed, self._lapsed = asked, False
        return list(answer["get"]["_source"]["writers"])

    def _renew_regularly(self) -> None:
        pause = _RENEWAL_SECONDS
        while not self._ended.wait(pause):
            pause = _RENEWAL_SECONDS
            try:
                self._renew()
            except (ApiError, TransportError):
                pause = _AGAIN_SECONDS

    def _renew(self) -> None:
        """Renew the lease; find out if it has lapsed."""
        with self._lock:
            if self._lapsed:
                return
            asked = _read_uptime()
            try:
                answer = self._run(_RENEW, {"lease": LEASE_SECONDS * 1000})
            except NotFoundError:  # all has been deleted
                answer = {"result": "noop"}
            self._lapsed = answer["result"] == "noop"
            self._renewed = asked

    def _run(self, script: str, parameters: Mapping[str, Any], **options: Any) -> Any:
        return self._server.client.options(**options).update(
            index=leases.INDEX,
            id=leases.DOCUMENT,
            script={"source": script, "params": {"token": self.token, **parameters}},
            retry_on_conflict=_RETRIES_ON_CONFLICT,
        )

    def give_up(self) -> None:
        """Let others know that this command writes no more."""
        self._ended.set()
        with suppress(ApiError, TransportError):  # then it lapses
            self._run(_GIVE_UP, {}, request_timeout=_LAST_SECONDS)


@contextmanager
def hold_lease(
    server: Server, command: str, *, exclusive: bool = False, former: str = ""
) -> Iterator[Lease]:
    """Hold a lease while something is written.

    Args:
        command: what writes, for messages, such as "index".
        exclusive: whether nobody else may write meanwhile.
        former: the token of a holder that is known to be dead, whose place this one takes.

    Raises:
        LeaseHeldError: if another command writes, and one of both must be alone.
    """
    lease = Lease(server, command, exclusive, former)
    try:
        yield lease
    finally:
        lease.give_up()


def find_writers(client: Elasticsearch) -> list[Writer]:
    """Return the commands that write at this moment, by the server's clock."""
    found = _read_document(client)
    if not found.get("found") or not found["_source"]["writers"]:
        return []
    nodes = client.nodes.stats(metric="process", filter_path="nodes.*.timestamp")["nodes"]
    now = max(node["timestamp"] for node in nodes.values())
    living = (
        writer
        for writer in found["_source"]["writers"]
        if now - writer["renewed"] <= LEASE_SECONDS * 1000
    )
    return [_read_writer(writer) for writer in living]


def _read_document(client: Elasticsearch) -> Any:
    """Return the document, read from the index after a refresh, which is as recent as what the
    server reads from its transaction log. Where a flush has failed for want of disk space, that log
    can't be read any more, until something has been written or the index has been refreshed."""
    missing_is_none = client.options(ignore_status=404)
    return missing_is_none.get(index=leases.INDEX, id=leases.DOCUMENT, realtime=False, refresh=True)


def _read_writer(stored: Mapping[str, Any]) -> Writer:
    since = datetime.fromtimestamp(stored["since"] / 1000, UTC)
    return Writer(stored["command"], stored["host"], stored["process"], since, stored["exclusive"])


def _read_uptime() -> float:
    """Return seconds since this machine was started, those of its sleep included."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)

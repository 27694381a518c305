"""What rounds of the soak test have done and found."""

from collections import Counter
from dataclasses import dataclass, field
from threading import Lock

_SHOWN = 300
KINDS = (
    *("lost", "incomplete", "without text", "differs", "back again", "not deleted", "left over"),
    *("mixed", "stale", "vanished", "empty", "hung", "defect", "status"),
)
"""What can be found: an article or abstract that should be there is not; lacks sentences or
citations; is not found by its text; differs from that of a calm load; is there though it was
deleted; is there though its files have gone; documents of no article. A search saw parts of two
editions, an edition that can't be there, nothing of an article that was there all the time, or no
passage of it. A command never ends, ends by a defect, or with a status that it must not have."""


@dataclass
class Record:
    """Counts what is done, and keeps what is found; from any thread.

    Attributes:
        counts: of what has been done, by its name.
        found: by kind, in the order of finding.
    """

    counts: Counter[str] = field(default_factory=Counter)
    found: list[tuple[str, str]] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def count(self, name: str, number: int = 1) -> None:
        """Count what has been done."""
        with self._lock:
            self.counts[name] += number

    def find(self, kind: str, description: str) -> None:
        """Keep what has been found; the same is kept once."""
        assert kind in KINDS, kind
        finding = kind, " ".join(description.split())[:_SHOWN]
        with self._lock:
            if finding not in self.found:
                self.found.append(finding)

    def add(self, other: "Record") -> None:
        """Add what another has."""
        self.counts.update(other.counts)
        self.found += other.found

    def describe_found(self) -> str:
        """Return how much of each kind has been found, and the first of each."""
        kinds = Counter(kind for kind, _ in self.found)
        first = dict(reversed(self.found))
        return "; ".join(f"{number} {kind}: {first[kind]}" for kind, number in kinds.items())

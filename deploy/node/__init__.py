"""A running Elasticsearch for citespan: found, started or assembled, watched and stopped."""

from collections.abc import Callable

Progress = Callable[[str, float | None], None]
"""Called with what is being done and the part of it done, from 0 to 1, if that is known."""


def silent(_task: str, _part: float | None) -> None:
    """Show nothing."""

"""What a reformulation is, and the registry of all of them."""

from typing import Protocol

from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.registry import Registry


class Reformulation(Protocol):
    """Turns a citance into the terms to search for (paper A, section 2.3).

    Attributes:
        name: as in `--reformulation`.
        description: one line for `--help`.
    """

    name: str
    description: str

    def reformulate(self, citance: str) -> tuple[Term, ...]:
        """The terms; empty where nothing of the citance is left to search for."""
        ...


reformulations: Registry[Reformulation] = Registry(
    "reformulation", "citespan.pipelines.reformulation", "citespan.reformulations"
)

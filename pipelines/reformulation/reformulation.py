"""What a reformulation is, and the registry of all of them."""

from typing import Literal, Protocol

from citespan.pipelines.reformulation.context import Context
from citespan.pipelines.reformulation.query import Query
from citespan.pipelines.registry import Registry

Role = Literal["reduction", "expansion"]
Need = Literal["vocabulary", "search"]


class Reformulation(Protocol):
    """One step from a citance to the terms to search for (paper A, section 2.3).

    Steps combine (section 2.3.6): reductions keep some of the words, or weight them; expansions
    add terms to these. Every reformulation gets the words that `baseline` leaves.

    Attributes:
        name: as in `--reformulation`.
        description: one line for `--help`.
        role: a reduction, or an expansion, which comes after all reductions.
        needs: what it can't do without: a vocabulary, an article to search in.
    """

    name: str
    description: str
    role: Role
    needs: tuple[Need, ...]

    def reformulate(self, query: Query, context: Context) -> Query:
        """Return the query with fewer words, other weights or more terms.

        Raises:
            InputError: if a resource that the options name can't be used.
        """
        ...


reformulations: Registry[Reformulation] = Registry(
    "reformulation", "citespan.pipelines.reformulation", "citespan.reformulations", Reformulation
)

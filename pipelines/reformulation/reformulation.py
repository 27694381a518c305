"""What a reformulation is, and the registry of all of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Query, Term
from citespan.pipelines.registry import Registry


@dataclass(frozen=True)
class Context:
    """The options, and what is known of the reference article.

    Attributes:
        article_text: returns the text of the reference article, whose abbreviations then count;
            None where no article is named.
        first_spans: returns the texts of the first spans, at most so many, that terms find in
            the article; None where there is nothing to search.
    """

    options: Options = field(default_factory=Options)
    article_text: Callable[[], str] | None = None
    first_spans: Callable[[Sequence[Term], int], Sequence[str]] | None = None


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

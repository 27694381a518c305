"""The unmodified query (paper A, section 2.3.1)."""

from citespan.pipelines.reformulation.query import Query
from citespan.pipelines.reformulation.reformulation import Context, Need, Role, reformulations
from citespan.pipelines.text.words import is_number, is_stop_word


@reformulations.register
class Baseline:
    """The citance without citation markers, stop words and numeric values."""

    name = "baseline"
    description = "all words but citation markers, stop words and numbers"
    role: Role = "reduction"
    needs: tuple[Need, ...] = ()

    def reformulate(self, query: Query, context: Context) -> Query:  # noqa: ARG002
        """Return the query without stop words and numbers."""
        return query.keep(
            word
            for word in query.words
            if not is_stop_word(query.text(word)) and not is_number(query.text(word))
        )

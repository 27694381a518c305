"""The unmodified query (paper A, section 2.3.1)."""

from citespan.pipelines.reformulation.query import Term, counted
from citespan.pipelines.reformulation.reformulation import reformulations
from citespan.pipelines.text.citation_markers import remove
from citespan.pipelines.text.stop_words import is_stop_word
from citespan.pipelines.text.words import is_number, words


@reformulations.register
class Baseline:
    """The citance without citation markers, stop words and numeric values."""

    name = "baseline"
    description = "all words but citation markers, stop words and numbers"

    def reformulate(self, citance: str) -> tuple[Term, ...]:
        """The words left, weighted by how often they occur; empty where none is left."""
        return counted(
            word
            for word in words(remove(citance))
            if not is_stop_word(word) and not is_number(word)
        )

"""Key terms by their idf in a background corpus (paper A, section 2.3.4).

The paper's threshold is 2.5; with the natural logarithm, words in fewer than 8.2% of documents.
"""

from dataclasses import replace
from math import ceil, exp

from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.background import background_at
from citespan.pipelines.reformulation.query import Query
from citespan.pipelines.reformulation.reformulation import Context, Need, Role, reformulations

_HIGHEST_IDF = 30.0  # of a word in one of 10^13 documents


def count_least_documents(least_idf: float) -> int:
    """Return in how many documents a word can have an idf: that of a word in one of N is ln(N)."""
    return ceil(exp(min(least_idf, _HIGHEST_IDF)))


@reformulations.register
class Keywords:
    """Words weighted by the square of their idf; those of an idf below `least_idf` are dropped."""

    name = "keywords"
    description = (
        "words weighted by idf² over a background corpus, those of idf < 2.5 dropped; "
        "the shipped one is 60 articles of CRAFT with 500 abstracts of PubMedQA"
    )
    role: Role = "reduction"
    needs: tuple[Need, ...] = ()

    def reformulate(self, query: Query, context: Context) -> Query:
        """Return the query with its key terms, weighted.

        Raises:
            InputError: if the background table can't be used, or has so few documents that
                every word would be dropped.
        """
        path = context.options.background
        background = background_at(path, "biomedical")
        least = context.options.least_idf
        if background.documents < count_least_documents(least):
            raise InputError(
                f"{path}: counted in {format_count(background.documents, 'document')}, in which "
                f"no word can have the idf of {least:g} that keywords asks for; build a table "
                f"from {count_least_documents(least):,} or more, or lower `least_idf`"
            )
        idfs = ((word, background.idf(query.text(word))) for word in query.words)
        return query.keep(
            replace(word, weight=word.weight * idf**2) for word, idf in idfs if idf >= least
        )

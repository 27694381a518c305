"""Key terms by their idf in a background corpus (paper A, section 2.3.4)."""

from dataclasses import replace
from math import ceil, exp, log

from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.background import read, shipped
from citespan.pipelines.reformulation.context import Context
from citespan.pipelines.reformulation.query import Query
from citespan.pipelines.reformulation.reformulation import Need, Role, reformulations

LEAST_IDF = 2.5
"""The paper's threshold, taken as of the natural logarithm: in fewer than 8.2% of documents."""


@reformulations.register
class Keywords:
    """Words weighted by the square of their idf; those of an idf below 2.5 are dropped."""

    name = "keywords"
    description = (
        "words weighted by idf² over a background corpus, those of idf < 2.5 dropped; "
        "the shipped one is 60 articles of CRAFT with 500 abstracts of PubMedQA"
    )
    role: Role = "reduction"
    needs: tuple[Need, ...] = ()

    def reformulate(self, query: Query, context: Context) -> Query:
        """The query with its key terms, weighted.

        Raises:
            InputError: if the background table can't be used, or is of so few documents that
                it would drop every word.
        """
        path = context.options.background
        background = shipped("biomedical") if path is None else read(path)
        if log(background.documents) < LEAST_IDF:
            raise InputError(
                f"{path}: counted in {background.documents} documents, which makes every word too "
                f"frequent for keywords; build a table from {ceil(exp(LEAST_IDF))} or more"
            )
        idfs = ((word, background.idf(query.text(word))) for word in query.words)
        return query.keeping(
            replace(word, weight=word.weight * idf**2) for word, idf in idfs if idf >= LEAST_IDF
        )

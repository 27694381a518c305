"""Biomedical concepts only (paper A, section 2.3.2)."""

from citespan.pipelines.reformulation.concepts import find_concepts, overlaps
from citespan.pipelines.reformulation.context import Context
from citespan.pipelines.reformulation.query import Query
from citespan.pipelines.reformulation.reformulation import Need, Role, reformulations


@reformulations.register
class UmlsReduce:
    """The words in a term of a concept, found by greedy longest match."""

    name = "umls-reduce"
    description = "only words in terms of the vocabulary's concepts"
    role: Role = "reduction"
    needs: tuple[Need, ...] = ("vocabulary",)

    def reformulate(self, query: Query, context: Context) -> Query:
        """Return the query with the words of concepts.

        Raises:
            VocabularyError: if the vocabulary can't be opened.
            UnknownNameError: if it lacks a source or semantic type of the options.
        """
        concepts = find_concepts(query, context)
        return query.keep(
            word for word in query.words if any(overlaps(concept, word) for concept in concepts)
        )

"""Terms of the domain, told from those of general English by two corpora.

The filter of Cohan, Soldaini and Goharian (TAC 2014), which paper A tried and dropped (section
2.4). Theirs was learnt from Wikipedia; here both corpora are the user's choice.
"""

from citespan.pipelines.reformulation.background import Background, read, shipped, terms_of
from citespan.pipelines.reformulation.context import Context
from citespan.pipelines.reformulation.query import Query
from citespan.pipelines.reformulation.reformulation import Need, Role, reformulations


@reformulations.register
class DomainTerms:
    """Words that make up more of the biomedical corpus than of the general one."""

    name = "domain-terms"
    description = (
        "words likelier in a biomedical than in a general corpus; the shipped ones are 60 "
        "articles of CRAFT with 500 abstracts of PubMedQA, and glosses of WordNet 3.0"
    )
    role: Role = "reduction"
    needs: tuple[Need, ...] = ()

    def reformulate(self, query: Query, context: Context) -> Query:
        """The query with the words of the domain; a word of several terms is one if any of
        these is.

        Raises:
            InputError: if a table can't be used.
        """
        options = context.options
        biomedical = read(options.background) if options.background else shipped("biomedical")
        general = read(options.general) if options.general else shipped("general")
        return query.keeping(
            word
            for word in query.words
            if any(is_likelier(term, biomedical, general) for term in terms_of(query.text(word)))
        )


def is_likelier(term: str, biomedical: Background, general: Background) -> bool:
    """Whether the ratio of the term's probabilities, as estimated by its share among all
    occurrences, is above one. A term that the general corpus doesn't have is taken for one of
    the domain, whether or not the biomedical corpus has it: most are names."""
    usual = general.probability(term)
    return usual == 0 or biomedical.probability(term) > usual

"""Terms of the domain, as opposed to general English, by two corpora.

The filter of Cohan, Soldaini and Goharian (TAC 2014), which paper A tried and dropped (section
2.4). Theirs was learnt from Wikipedia; here the user chooses both corpora.
"""

from citespan.pipelines.reformulation.background import Background, background_at, terms_of
from citespan.pipelines.reformulation.query import Query
from citespan.pipelines.reformulation.reformulation import Context, Need, Role, reformulations


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
        """Return the query with the words of the domain; of a word of several terms, any may be.

        Raises:
            InputError: if a table can't be used.
        """
        options = context.options
        biomedical = background_at(options.background, "biomedical")
        general = background_at(options.general, "general")
        return query.keep(
            word
            for word in query.words
            if any(is_likelier(term, biomedical, general) for term in terms_of(query.text(word)))
        )


def is_likelier(term: str, biomedical: Background, general: Background) -> bool:
    """Whether a term is likelier in the biomedical corpus, by its share among all occurrences.

    A term that is not in the general corpus counts as one of the domain, whether or not it is in
    the biomedical corpus: most are names.
    """
    usual = general.probability(term)
    return usual == 0 or biomedical.probability(term) > usual

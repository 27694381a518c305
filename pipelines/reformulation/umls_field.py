"""Synonyms added by the server, from the article's own index (paper A, section 2.3.5)."""

from citespan.es_mappings.analysis import STOP_WORDS
from citespan.pipelines.reformulation.context import Context
from citespan.pipelines.reformulation.query import Kind, Query, Term, Word
from citespan.pipelines.reformulation.reformulation import Need, Role, reformulations
from citespan.pipelines.text.words import words


@reformulations.register
class UmlsField:
    """The words as texts that the server expands by the synonyms in the article's index.

    The index does what `umls-expand` does here, also for queries from Kibana. It only knows the
    concepts that occur in the article, and not the long forms of abbreviations.
    """

    name = "umls-field"
    description = "the server adds the synonyms of concepts in the article, indexed --vocabulary"
    role: Role = "expansion"
    needs: tuple[Need, ...] = ()

    def reformulate(self, query: Query, context: Context) -> Query:
        """Return the query with each run of words of one weight as a text; no words are left."""
        phrases = context.options.synonyms == "phrase"
        kind: Kind = "synonym-phrases" if phrases else "synonym-conjunctions"
        runs: list[list[Word]] = []
        for word in query.words:
            if runs and _continues(query, runs[-1][-1], word):
                runs[-1].append(word)
            else:
                runs.append([word])
        texts = [
            Term(query.citance[run[0].start : run[-1].end], run[0].weight, kind) for run in runs
        ]
        return query.keep(()).add(texts)


def _continues(query: Query, last: Word, word: Word) -> bool:
    """Whether two words can be of one term: only stop words of the server are between them."""
    between = words(query.citance[last.end : word.start])
    return last.weight == word.weight and all(w.lower() in STOP_WORDS for w in between)

"""Pseudo relevance feedback (Buckley et al. 1995), which paper A tried and dropped (section 2.4).

Rocchio's formula with positive feedback only. With the query and each of the first spans as
vectors q and d of term frequency times idf, of length one, the new query is q + β · mean(d), of
which the best terms of mean(d) are kept. Retrieval models apply an idf of their own, so each
weight is passed on without it, and scaled so that a word of the citance keeps its own weight and
gains what feedback adds. The idf is that of the background corpus: an article's own would need its
index.
"""

from collections import defaultdict
from collections.abc import ItemsView, Iterable
from math import sqrt

from citespan.pipelines.citing.marker_patterns import remove_markers
from citespan.pipelines.reformulation.background import Background, background_at
from citespan.pipelines.reformulation.query import Query, Term
from citespan.pipelines.reformulation.reformulation import Context, Need, Role, reformulations
from citespan.pipelines.text.words import is_number, is_stop_word, words

BETA = 0.75
"""The usual weight of positive feedback (Manning, Raghavan and Schütze 2008, section 9.1.1)."""


@reformulations.register
class PseudoRelevanceFeedback:
    """The words, and the best terms of the first spans that these retrieve."""

    name = "prf"
    description = "adds the best terms of the first spans found (Rocchio, pseudo relevance)"
    role: Role = "expansion"
    needs: tuple[Need, ...] = ("search",)

    def reformulate(self, query: Query, context: Context) -> Query:
        """Return the query with feedback terms added; one that is among its words gains weight.

        Raises:
            InputError: if the background table can't be used.
        """
        options = context.options
        background = background_at(options.background, "biomedical")
        before = query.terms()
        if not before or context.first_spans is None:
            return query
        texts = context.first_spans(before, options.feedback_spans)
        citance = _Vector(background, ((query.text(word), word.weight) for word in query.words))
        spans = [
            _Vector(background, ((word, 1.0) for word in _content_words(text))) for text in texts
        ]
        gains: defaultdict[str, float] = defaultdict(float)
        values: defaultdict[str, float] = defaultdict(float)
        for span in filter(lambda span: span.length, spans):
            for key, weight in span.weights.items():
                gain = citance.length * weight / span.length / len(spans)
                gains[key] += gain
                values[key] += gain * span.idfs[key]
        best = sorted(values, key=lambda key: (-values[key], key))[: options.feedback_terms]
        written = {k: text for vector in (*reversed(spans), citance) for k, text in vector.texts()}
        return query.add(Term(written[k], BETA * gains[k]) for k in best if values[k] > 0)


class _Vector:
    """Words as a vector: by key, the sum of their weights, and their idf.

    A key is the word normalised, so that "kinases" is "kinase"; a word that the server analyses to
    nothing has none. `length` is the Euclidean length of weight times idf.
    """

    def __init__(self, background: Background, weighted: Iterable[tuple[str, float]]) -> None:
        from citespan.pipelines.vocabulary.normalise import keys

        self.weights: defaultdict[str, float] = defaultdict(float)
        self.idfs: dict[str, float] = {}
        self._texts: dict[str, str] = {}
        for word, weight in weighted:
            key = " ".join(keys(word))
            if key:
                self.weights[key] += weight
                self.idfs[key] = background.idf(word)
                self._texts.setdefault(key, word)
        self.length = sqrt(sum((w * self.idfs[k]) ** 2 for k, w in self.weights.items()))

    def texts(self) -> ItemsView[str, str]:
        """Return the words as first written, by key."""
        return self._texts.items()


def _content_words(text: str) -> list[str]:
    return [w for w in words(remove_markers(text)) if not is_stop_word(w) and not is_number(w)]

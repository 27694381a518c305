"""Which sentences of an article say best what it is cited for.

1. Citances whose evidence is in the same sentences are a cluster (average linkage over the cosines
   of their probabilities); of n in a cluster, each counts 1/√n, so that what is said of an article
   most often does not hide the rest. A sentence is worth the probabilities that it is their
   evidence, and more where it is in the abstract. Sentences that are evidence for no citance are
   left out, unless they are of the abstract.
2. Sentences are chosen one by one so that discourse facets get the shares of words that they have
   of all that is cited: PM-2 (V. Dang and W. B. Croft, "Diversity by proportionality", SIGIR 2012).
3. What repeats a sentence already chosen is worth less: maximal marginal relevance (J. Carbonell
   and J. Goldstein, SIGIR 1998), by cosines of terms weighted by their idf in the article.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citespan.pipelines.ranking.analysed_article import AnalysedArticle, Floats, analyse, sum_by
from citespan.pipelines.ranking.selection import Positions
from citespan.pipelines.ranking.sentences import ArticleSentences

WORDS = 250
"""Words of a summary at most: the length in CL-SciSumm's task 2."""
SHORTEST = 5
"""Words of a sentence at least."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How sentences are chosen.

    Attributes:
        abstract: how many times as much a sentence of the abstract is worth.
        distance: between clusters of citances; 0 makes each citance one of its own.
        balance: how far the facet whose turn it is goes before the others; PM-2's λ.
        relevance: how far worth goes before novelty; λ of maximal marginal relevance.
    """

    abstract: float = 5.0
    distance: float = 0.5
    balance: float = 0.5
    relevance: float = 0.9


DEFAULTS = Settings()


@dataclass(frozen=True)
class Choice:
    """The sentences of a summary.

    Attributes:
        numbers: of the sentences, in the order of the article.
        clusters: (C,), the number of each citance's cluster, the first 0.
        shares: (F,), of the facets in all that is cited; their sum is 1.
    """

    numbers: tuple[int, ...]
    clusters: tuple[int, ...]
    shares: tuple[float, ...]


def choose_sentences(
    article: ArticleSentences,
    positions: Positions,
    probabilities: Floats,
    evidence: NDArray[np.bool_],
    facets: Floats,
    limit: int = WORDS,
    settings: Settings = DEFAULTS,
) -> Choice:
    """Choose the sentences of a summary.

    Args:
        article: of N sentences.
        probabilities: (C, N), that each sentence is evidence for each of at least one citance.
        evidence: (N,), whether each sentence is evidence for any of them.
        facets: (N, F), probabilities of each sentence's facets.
        limit: words of the summary at most.
    """
    analysed = analyse(article)
    clusters = cluster_citances(probabilities, settings.distance)
    sizes = np.bincount(clusters)[clusters]
    worth = (probabilities / np.sqrt(sizes)[:, np.newaxis]).sum(axis=0)
    in_abstract = np.array([place.kind == "abstract" for place in analysed.places], dtype=bool)
    worth = worth * np.where(in_abstract, settings.abstract, 1.0)
    cited = probabilities.sum(axis=0) @ facets
    shares = cited / max(cited.sum(), np.finfo(float).tiny)
    lengths = np.array([len(text.split()) for text in analysed.texts], dtype=np.int64)
    open_ = np.array(positions.evidence, dtype=bool) & (evidence | in_abstract)
    open_ &= (lengths >= SHORTEST) & (worth > 0)
    numbers: list[int] = []
    seats = np.zeros(facets.shape[1])
    nearest = np.zeros(len(article))
    while (fitting := open_ & (lengths <= limit)).any():
        quotients = shares / (2 * seats + 1)
        turn = int(quotients.argmax())
        wanted = np.where(np.arange(len(quotients)) == turn, settings.balance, 1 - settings.balance)
        gains = worth * (facets @ (wanted * quotients))
        gains /= max(gains[fitting].max(), np.finfo(float).tiny)
        marginal = settings.relevance * gains - (1 - settings.relevance) * nearest
        best = int(np.where(fitting, marginal, -np.inf).argmax())
        numbers.append(best)
        open_[best] = False
        limit -= int(lengths[best])
        seats += facets[best]
        nearest = np.maximum(nearest, _compare(analysed, best))
    return Choice(tuple(sorted(numbers)), tuple(clusters.tolist()), tuple(shares.tolist()))


def cluster_citances(probabilities: Floats, distance: float) -> NDArray[np.int64]:
    """Return the (C,) numbers of the clusters of citances, in the order of their first citances.

    Args:
        probabilities: (C, N); no row is all zeros.
        distance: between clusters at most, as 1 - cosine.
    """
    if len(probabilities) == 1 or not distance:
        return np.arange(len(probabilities))
    from scipy.cluster.hierarchy import fcluster, linkage  # slow to import

    tree = linkage(probabilities, "average", metric="cosine")
    names = fcluster(tree, distance, "distance")
    order: dict[int, int] = {}
    return np.array([order.setdefault(int(name), len(order)) for name in names], dtype=np.int64)


def _compare(article: AnalysedArticle, number: int) -> Floats:
    """Return (N,) cosines of all sentences with one of them."""
    frequencies = article.document_frequencies
    idf = np.log1p(len(article) / np.maximum(frequencies, 1))
    own = article.rows == number
    counts = sum_by(article.tokens[own], np.ones(int(own.sum())), len(frequencies))
    weights = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0) * idf
    return article.cosines(idf, weights)

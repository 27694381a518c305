"""The yardstick: plain BM25 over single sentences, in memory, with the bm25s library."""

import numpy as np

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.text.lucene import find_terms


class SentenceBM25:
    """BM25 over the sentences of one article.

    All is the library's own default: k1 1.5, b 0.75, Lucene's idf, words of two letters or
    more in lower case, its 33 English stop words, no stemmer. The citance is searched for as
    it stands, citation markers and all.

    Args:
        article: split into sentences.
        stem: whether words are reduced to the terms that Elasticsearch indexes: fewer stop words,
            singulars.

    Raises:
        ValueError: if it isn't.
    """

    name = "sentence-bm25"
    description = "BM25 over single sentences, in memory (bm25s), as a yardstick"

    def __init__(self, article: Article, *, stem: bool = False) -> None:
        import bm25s  # slow to import, and of use to evaluations only

        if article.sentences is None:
            raise ValueError(f"article {article.id} is not split into sentences")
        self._tokenize = (lambda texts: list(map(find_terms, texts))) if stem else _tokenize
        words = self._tokenize(
            [article.text[sentence.start : sentence.end] for sentence in article.sentences]
        )
        self._index: bm25s.BM25 | None = None
        if any(words):
            self._index = bm25s.BM25()
            self._index.index(words, show_progress=False)

    def retrieve(self, citance: str, top: int) -> tuple[ScoredSpan, ...]:
        """Return the `top` sentences of the highest scores, each a span, best first.

        Of equal scores the earlier sentence is first. A sentence that shares no word with the
        citance is never retrieved, so there may be fewer, or none.
        """
        words = self._tokenize([citance])[0]
        if self._index is None or not words:
            return ()
        scores = self._index.get_scores(words)
        best = np.argsort(-scores, kind="stable")[:top]
        return tuple(
            ScoredSpan(int(number), int(number), float(scores[number]))
            for number in best
            if scores[number] > 0
        )


def _tokenize(texts: list[str]) -> list[list[str]]:
    import bm25s

    tokens: list[list[str]] = bm25s.tokenize(
        texts, stopwords="english", return_ids=False, show_progress=False
    )
    return tokens

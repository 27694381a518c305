"""Trained rankers: write, load and use them.

A model is a folder: `ranker.json` (version of the layout, calibration, SHA-256 of the other files),
the trees as LightGBM writes them, the counts of terms in its training articles, and `README.md`,
its card. A file is read only if its checksum is right.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson

from citespan.pipelines.corpus.files import unpack
from citespan.pipelines.errors import InputError
from citespan.pipelines.model_folder import ModelKind
from citespan.pipelines.ranking.analysed_article import AnalysedArticle, Floats, analyse
from citespan.pipelines.ranking.calibration import (
    ARTICLE_INPUTS,
    SENTENCE_INPUTS,
    Logistic,
    describe_article,
    describe_sentences,
    read_logistic,
)
from citespan.pipelines.ranking.features.families import FAMILIES, compute_features, feature_names
from citespan.pipelines.ranking.pair import Pair, TermCounts, analyse_query
from citespan.pipelines.ranking.ranker import Ranking
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.ranking.trees import Trees, read_trees

TERMS: Final = "terms.json.gz"
TREES: Final = "trees.txt"
_MAX_TERMS_BYTES: Final = 30 * 2**20

_PLACES = {name: place for place, name in enumerate(feature_names(FAMILIES))}


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Trees of several trainings, whose values are added up.

    Attributes:
        scale: what sums are divided by, so that scores vary alike, however many trees there are.
    """

    trees: Trees
    scale: float

    def score(self, features: Floats) -> Floats:
        """Return the (rows,) scores of (rows, features) of all families."""
        columns = [_PLACES[feature] for feature in self.trees.features]
        return self.trees.predict(features[:, columns]) / self.scale


@dataclass(frozen=True)
class Calibration:
    """What turns scores into probabilities.

    Attributes:
        sentence: the probability that a sentence is evidence.
        article: the probability that an article has any.
        threshold: articles of less support have none.
    """

    sentence: Logistic
    article: Logistic
    threshold: float

    def rank(
        self, scores: Floats, inputs: Floats, candidates: Sequence[int] | None = None
    ) -> Ranking:
        """Return scores with the probabilities that they stand for.

        Args:
            scores: (N,), of all sentences.
            inputs: of `describe_article`.
            candidates: the numbers of the sentences to rank; None for all.
        """
        probabilities = self.sentence.predict(describe_sentences(scores))
        support = float(self.article.predict(inputs)[0])
        if candidates is None:
            return Ranking(scores, probabilities, support)
        ranked = np.zeros(len(scores), dtype=bool)
        ranked[list(candidates)] = True
        return Ranking(
            np.where(ranked, scores, -np.inf), np.where(ranked, probabilities, 0.0), support
        )


@dataclass(frozen=True, eq=False)
class RankerModel:
    """A model ready to rank; a `Ranker`.

    Attributes:
        name: of the ranker that it was trained as.
        counts: of terms in its training articles.
        version: checksum of its folder's head.
    """

    name: str
    counts: TermCounts
    ensemble: Ensemble
    calibration: Calibration
    version: str
    description: str = "trained on data of one's own"

    @property
    def threshold(self) -> float:
        return self.calibration.threshold

    def rank(
        self, query: str, article: ArticleSentences, candidates: Sequence[int] | None = None
    ) -> Ranking:
        if not len(article) or not analyse_query(query).terms:
            return Ranking(np.full(len(article), -np.inf), np.zeros(len(article)), 0.0)
        features = self.compute_features(query, analyse(article))
        scores = self.ensemble.score(features)
        return self.calibration.rank(scores, describe_article(scores, features), candidates)

    def compute_features(self, query: str, article: AnalysedArticle) -> Floats:
        """Return the (N, features) features of all families."""
        return compute_features(Pair(analyse_query(query), article, self.counts), FAMILIES)


def _parse(folder: Path, head: dict[str, Any]) -> RankerModel:
    packed, written = (
        KIND.read_checked(folder, file, head["sha256"][file]) for file in (TERMS, TREES)
    )
    counts = orjson.loads(unpack(packed, str(folder / TERMS), _MAX_TERMS_BYTES))
    trees = read_trees(written.decode(), str(folder / TREES))
    calibration = Calibration(
        read_logistic(head["sentence"], SENTENCE_INPUTS),
        read_logistic(head["article"], ARTICLE_INPUTS),
        float(head["threshold"]),
    )
    unknown = sorted(set(trees.features) - _PLACES.keys())
    if unknown:
        raise InputError(f"{folder}: a ranker with unknown features: {', '.join(unknown)}")
    terms = TermCounts(int(counts["articles"]), counts["counts"])
    name = str(head["name"])
    version = hashlib.sha256(KIND.read(folder, KIND.head)).hexdigest()[:16]
    return RankerModel(
        name, terms, Ensemble(trees, float(head["scale"])), calibration, f"{name} {version}"
    )


KIND: Final = ModelKind(
    "ranker", "citespan ranker train", 3, "ranker.json", Path(__file__).parent / "models", _parse
)
load_model: Final = KIND.load

"""Trained rankers: write, load and use them.

A model is a folder: `ranker.json` (version of the layout, calibration, SHA-256 of the other files),
the trees as LightGBM writes them, the counts of terms in its training articles, and `README.md`,
its card. A file is read only if its checksum is right.
"""

import hashlib
from collections.abc import Mapping, Sequence
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
_MAX_TERMS_BYTES: Final = 30 * 2**20

_PLACES = {name: place for place, name in enumerate(feature_names(FAMILIES))}


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Trees of several trainings, whose scores are averaged.

    Attributes:
        members: the trees by the name of their objective.
        scales: what each one's scores are divided by, so that all vary alike.
    """

    members: Mapping[str, Trees]
    scales: Mapping[str, float]

    def score(self, features: Floats) -> Floats:
        """Return the (rows,) scores of (rows, features) of all families."""
        total = np.zeros(len(features))
        for name, trees in self.members.items():
            columns = [_PLACES[feature] for feature in trees.features]
            total += trees.predict(features[:, columns]) / self.scales[name]
        return total / len(self.members)


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
    names = (TERMS, *(f"{objective}.txt" for objective in head["scales"]))
    files = {file: KIND.read_checked(folder, file, head["sha256"][file]) for file in names}
    counts = orjson.loads(unpack(files[TERMS], str(folder / TERMS), _MAX_TERMS_BYTES))
    members = {
        objective: read_trees(files[f"{objective}.txt"].decode(), str(folder / f"{objective}.txt"))
        for objective in head["scales"]
    }
    calibration = Calibration(
        read_logistic(head["sentence"], SENTENCE_INPUTS),
        read_logistic(head["article"], ARTICLE_INPUTS),
        float(head["threshold"]),
    )
    unknown = sorted(
        {feature for trees in members.values() for feature in trees.features} - _PLACES.keys()
    )
    if unknown:
        raise InputError(f"{folder}: a ranker with unknown features: {', '.join(unknown)}")
    terms = TermCounts(int(counts["articles"]), counts["counts"])
    scales = {name: float(scale) for name, scale in head["scales"].items()}
    name = str(head["name"])
    version = hashlib.sha256(KIND.read(folder, KIND.head)).hexdigest()[:16]
    return RankerModel(name, terms, Ensemble(members, scales), calibration, f"{name} {version}")


KIND: Final = ModelKind(
    "ranker", "citespan ranker train", 2, "ranker.json", Path(__file__).parent / "models", _parse
)
load_model: Final = KIND.load

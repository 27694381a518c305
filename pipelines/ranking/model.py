"""Trained rankers: write, load and use them.

A model is a folder: `ranker.json` (version of the layout, calibration, SHA-256 of the other files),
the trees as LightGBM writes them, the counts of terms in its training articles, and `README.md`,
its card. A file is read only if its checksum is right.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
from citespan.pipelines.ranking.features.families import (
    FAMILIES,
    compute_features,
    feature_names,
)
from citespan.pipelines.ranking.pair import Pair, TermCounts, analyse_query
from citespan.pipelines.ranking.ranker import Ranking
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.ranking.trees import Trees, read_trees

KIND: Final = ModelKind("ranker", "citespan ranker train", version=1)
HEAD: Final = "ranker.json"
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
        """See `Ranker`."""
        return self.calibration.threshold

    def rank(
        self, query: str, article: ArticleSentences, candidates: Sequence[int] | None = None
    ) -> Ranking:
        """See `Ranker.rank`."""
        if not len(article) or not analyse_query(query).terms:
            return Ranking(np.full(len(article), -np.inf), np.zeros(len(article)), 0.0)
        features = self.compute_features(query, analyse(article))
        scores = self.ensemble.score(features)
        probabilities = self.calibration.sentence.predict(describe_sentences(scores))
        support = self.calibration.article.predict(describe_article(scores, features))
        if candidates is not None:
            others = np.ones(len(article), dtype=bool)
            others[list(candidates)] = False
            scores[others], probabilities[others] = -np.inf, 0.0
        return Ranking(scores, probabilities, float(support[0]))

    def compute_features(self, query: str, article: AnalysedArticle) -> Floats:
        """Return the (N, features) features of all families."""
        return compute_features(Pair(analyse_query(query), article, self.counts), FAMILIES)


def write_model(
    folder: Path,
    name: str,
    counts: TermCounts,
    trees: Mapping[str, str],
    scales: Mapping[str, float],
    calibration: Calibration,
    card: str,
) -> None:
    """Write a model's files.

    Args:
        trees: by objective, as LightGBM writes them.

    Raises:
        InputError: if they can't be written.
    """
    files = {f"{objective}.txt": text.encode() for objective, text in trees.items()}
    files[TERMS] = gzip.compress(orjson.dumps(counts.to_json()), mtime=0)
    head = {
        "name": name,
        "scales": dict(scales),
        "threshold": calibration.threshold,
        "sentence": calibration.sentence.to_json(),
        "article": calibration.article.to_json(),
        "sha256": {file: hashlib.sha256(data).hexdigest() for file, data in files.items()},
    }
    KIND.write(folder, HEAD, head, card, files)


@lru_cache(maxsize=8)
def load_model(folder: Path) -> RankerModel:
    """Load the model in a folder.

    Raises:
        InputError: if it can't be read, was written by another version, is damaged, or knows
            features that this citespan has not.
    """
    head = KIND.read_head(folder, HEAD)
    try:
        names = (TERMS, *(f"{objective}.txt" for objective in head["scales"]))
        files = {file: _read_file(folder, file, head["sha256"][file]) for file in names}
        counts = orjson.loads(unpack(files[TERMS], str(folder / TERMS), _MAX_TERMS_BYTES))
        members = {
            objective: read_trees(
                files[f"{objective}.txt"].decode(), str(folder / f"{objective}.txt")
            )
            for objective in head["scales"]
        }
        calibration = Calibration(
            read_logistic(head["sentence"], SENTENCE_INPUTS),
            read_logistic(head["article"], ARTICLE_INPUTS),
            float(head["threshold"]),
        )
        terms = TermCounts(int(counts["articles"]), counts["counts"])
        scales = {name: float(scale) for name, scale in head["scales"].items()}
        name = str(head["name"])
    except (
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        OSError,
        EOFError,
        zlib.error,
    ) as error:
        raise InputError(
            f"{folder}: a damaged ranker; train it again with `{KIND.command}`"
        ) from error
    unknown = sorted({one for trees in members.values() for one in trees.features} - _PLACES.keys())
    if unknown:
        raise InputError(f"{folder}: a ranker with unknown features: {', '.join(unknown)}")
    version = hashlib.sha256(KIND.read(folder, HEAD)).hexdigest()[:16]
    return RankerModel(name, terms, Ensemble(members, scales), calibration, f"{name} {version}")


def _read_file(folder: Path, file: str, checksum: Any) -> bytes:
    data = KIND.read(folder, file)
    if hashlib.sha256(data).hexdigest() != checksum:
        raise InputError(f"{folder / file}: not the file that {HEAD} names; copy or train it again")
    return data

"""Checks of the vocabulary and of the models that come with citespan."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from citespan.deploy.doctor.finding import Finding
from citespan.pipelines.answers.detection import model as answer_model
from citespan.pipelines.answers.zones import model as zone_model
from citespan.pipelines.citations.summaries import facets
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.ranking.ranker import rankers
from citespan.pipelines.text.spacy_pipelines import load_pipeline
from citespan.pipelines.text.splitter import DEFAULT, splitters
from citespan.pipelines.vocabulary.store import open_vocabulary

_TEXT = "Cells divide (Fig. 1). They then rest."
_SENTENCES = 2


def findings(thorough: bool) -> Iterator[Finding]:
    """Load each model and open the vocabulary; read all of the vocabulary if `thorough`."""
    yield _vocabulary(thorough)
    for name, load in _MODELS.items():
        try:
            yield Finding(name, "ok", load())
        except (CitespanError, OSError, ValueError, KeyError) as error:
            what = " ".join(str(error).split()) or type(error).__name__
            yield Finding(name, "failure", what, "install citespan again")


def _vocabulary(thorough: bool) -> Finding:
    named = os.environ.get("CITESPAN_VOCABULARY")
    if not named:
        return Finding("vocabulary", "ok", "none named; only the umls- reformulations need one")
    try:
        vocabulary = open_vocabulary(Path(named))
        if thorough:
            vocabulary.verify()
    except CitespanError as error:
        remedy = "build it again by `citespan vocabulary build`, or correct CITESPAN_VOCABULARY"
        return Finding("vocabulary", "failure", str(error), remedy)
    read = "every file has its checksum" if thorough else "header and sizes are right"
    count = f"{vocabulary.concepts:,} concepts, {vocabulary.terms:,} terms"
    return Finding("vocabulary", "ok", f"{vocabulary.version or named}: {count}; {read}")


def _splitter() -> str:
    found = len(splitters[DEFAULT].split(_TEXT))
    if found != _SENTENCES:
        raise ValueError(f"finds {found} sentences in a text of {_SENTENCES}")
    return DEFAULT


def _tagger() -> str:
    nlp = load_pipeline()
    if not all(token.tag_ for token in nlp(_TEXT)):
        raise ValueError("gives no tags")
    return f"{nlp.meta['name']} {nlp.meta['version']}"


def _zones() -> str:
    return zone_model.load_model().version


def _answers() -> str:
    model = answer_model.load_model()
    return f"{model.feature_set}, probabilities up to {model.highest:.2f}"


def _facets() -> str:
    model = facets.load_model()
    return f"{', '.join(model.facets)}, by {len(model.weights):,} features"


def _rankers() -> str:
    return "; ".join(ranker.version for ranker in rankers)


_MODELS: dict[str, Callable[[], str]] = {
    "sentence splitter": _splitter,
    "tagger": _tagger,
    "zones": _zones,
    "answers": _answers,
    "facets": _facets,
    "rankers": _rankers,
}

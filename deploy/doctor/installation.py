"""Checks of this installation: its folders, what a local node needs, models and plug-ins."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from citespan.deploy.node.assemble import distribution_folder, is_complete, require_maven
from citespan.deploy.node.errors import JdkMissingError, MavenMissingError
from citespan.deploy.node.jdk import find_jdk
from citespan.deploy.node.paths import Folders, folders
from citespan.pipelines.answers.detection import model as answer_model
from citespan.pipelines.answers.zones import model as zone_model
from citespan.pipelines.citations.summaries import facets
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.ranking.differences import model as differences
from citespan.pipelines.ranking.ranker import rankers
from citespan.pipelines.reformulation.reformulation import reformulations
from citespan.pipelines.registry import Registry
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.store.finding import Finding
from citespan.pipelines.store.layout import layouts
from citespan.pipelines.text.spacy_pipelines import load_pipeline
from citespan.pipelines.text.splitter import DEFAULT, splitters
from citespan.pipelines.vocabulary.reader import vocabulary_readers
from citespan.pipelines.vocabulary.store import open_vocabulary


def check_machine() -> Iterator[Finding]:
    """Run all checks; those of a local node only if CITESPAN_ES_URL names no other."""
    place = folders()
    yield from _folders(place)
    if not os.environ.get("CITESPAN_ES_URL"):
        yield from _local_node(place)


def _folders(place: Folders) -> Iterator[Finding]:
    closed = [folder for folder in (place.cache, place.data, place.state) if not _writable(folder)]
    for folder in closed:
        remedy = "set CITESPAN_HOME to a folder that you can write to"
        yield Finding("folders", "failure", f"can't write to {folder}", remedy)
    if not closed:
        yield Finding(
            "folders", "ok", f"{place.cache}, {place.data} and {place.state} are writable"
        )


def _writable(folder: Path) -> bool:
    """Whether files can be made there, or the folder itself below the first that is there."""
    try:
        there = next(parent for parent in (folder, *folder.parents) if parent.exists())
        with tempfile.TemporaryFile(dir=there):
            return True
    except OSError:
        return False


def _local_node(place: Folders) -> Iterator[Finding]:
    home = os.environ.get("ES_HOME")
    distribution = Path(home).expanduser() if home else distribution_folder(place.cache)
    try:
        jdk = find_jdk(distribution / "jdk")
        yield Finding("Java", "ok", f"JDK {jdk.version} at {jdk.home}")
    except JdkMissingError as error:
        message, _, remedy = str(error).partition(": ")
        yield Finding("Java", "failure", message, remedy)
    if home:
        yield Finding("distribution", "ok", f"ES_HOME is {home}")
    elif is_complete(distribution):
        yield Finding("distribution", "ok", f"assembled at {distribution}")
    else:
        try:
            maven = require_maven()
            message = f"none yet; `citespan node up` assembles it with {maven}"
            yield Finding("distribution", "ok", message)
        except MavenMissingError as error:
            message, _, remedy = str(error).partition(": ")
            yield Finding("distribution", "failure", message, remedy)


_TEXT = "Cells divide (Fig. 1). They then rest."
_SENTENCES = 2


def check_models(thorough: bool) -> Iterator[Finding]:
    """Load each model and open the vocabulary; read all of the vocabulary if `thorough`."""
    yield _vocabulary(thorough)
    for name, load in _MODELS.items():
        try:
            yield Finding(name, "ok", load())
        except (CitespanError, OSError, ValueError, KeyError) as error:
            message = " ".join(str(error).split()) or type(error).__name__
            yield Finding(name, "failure", message, "install citespan again")


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


def _answers() -> str:
    model = answer_model.load_model()
    return f"{model.feature_set}, probabilities up to {model.highest:.2f}"


def _facets() -> str:
    model = facets.load_model()
    return f"{', '.join(model.classes)}, by {len(model.weights):,} features"


_MODELS: dict[str, Callable[[], str]] = {
    "sentence splitter": _splitter,
    "tagger": _tagger,
    "zones": lambda: zone_model.load_model().version,
    "answers": _answers,
    "facets": _facets,
    "differences": lambda: (
        f"disagreement from a probability of {differences.load_model().threshold:.2f} on"
    ),
    "rankers": lambda: "; ".join(ranker.version for ranker in rankers),
}


REGISTRIES: tuple[Registry[Any], ...] = (
    readers,
    splitters,
    vocabulary_readers,
    reformulations,
    models,
    rankers,
    measures,
    layouts,
)
"""All registries, in the order of the reference page."""


def check_plugins() -> Iterator[Finding]:
    """Load every plug-in, and say which distribution it comes from and whether it works."""
    plugins = [plugin for registry in REGISTRIES for plugin in registry.plugins()]
    for plugin in plugins:
        message = f"{plugin.kind} '{plugin.name}' of {plugin.distribution}"
        if plugin.problem:
            remedy = "update or uninstall that distribution; until then the rest works without it"
            yield Finding("plug-ins", "failure", f"{message}: {plugin.problem}", remedy)
        else:
            yield Finding("plug-ins", "ok", message)
    if not plugins:
        yield Finding("plug-ins", "ok", "none")

"""Training of zone models on structured abstracts (paper B, section 3.1).

Sentences of mixed sections and of those that stand for no zone are left out: the sequence is cut
there, so that no transition across the gap is learnt. They still count where features look at
neighbours and at places, since at prediction time they are there too.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from citespan.pipelines.answers.zone_configuration import Configuration
from citespan.pipelines.answers.zone_features import Analysis, analyses, items
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.section_categories import SectionZone, Zone
from citespan.pipelines.errors import InputError


@dataclass(frozen=True, slots=True)
class Example:
    """An abstract as the CRF sees it.

    Attributes:
        items: features of every sentence, a `pycrfsuite.ItemSequence`.
        runs: the stretches of labelled sentences, as features and zones.
        zones: for every sentence its zone, or why it has none.
    """

    pmid: str
    items: Any
    runs: list[tuple[Any, list[Zone]]]
    zones: list[SectionZone]


def examples(abstracts: Iterable[Abstract], configuration: Configuration) -> Iterator[Example]:
    """Examples of those abstracts that have a labelled sentence, streaming."""
    for analysis in analyses(abstracts, configuration):
        if any(sentence.label for sentence in analysis.sentences):
            yield example(analysis, configuration)


def example(analysis: Analysis, configuration: Configuration) -> Example:
    """One example."""
    from pycrfsuite import ItemSequence

    features = items(analysis, configuration)
    runs = []
    numbered = enumerate(sentence.label for sentence in analysis.sentences)
    for labelled, run in groupby(numbered, key=lambda pair: pair[1] is not None):
        if labelled:
            places, zones = zip(*run, strict=True)
            runs.append((ItemSequence([features[place] for place in places]), list(zones)))
    return Example(
        analysis.abstract.id,
        ItemSequence(features),
        runs,
        [sentence.section for sentence in analysis.sentences],
    )


def train(data: Sequence[Example], configuration: Configuration) -> bytes:
    """The bytes of a CRFsuite model; the same examples in the same order give the same bytes.

    Raises:
        InputError: if there is nothing to train on.
    """
    from sklearn_crfsuite import CRF

    if not data:
        raise InputError("no abstract with a section that stands for a zone to train on")
    with tempfile.TemporaryDirectory(prefix="citespan-zones-") as folder:
        file = Path(folder) / "model"
        crf = CRF(
            algorithm="lbfgs",
            c1=configuration.c1,
            c2=configuration.c2,
            min_freq=configuration.min_frequency,
            max_iterations=configuration.max_iterations,
            model_filename=str(file),
        )
        runs = [run for one in data for run in one.runs]
        crf.fit([features for features, _ in runs], [zones for _, zones in runs])
        return file.read_bytes()


def sentence_counts(data: Iterable[Example]) -> Counter[SectionZone]:
    """How many sentences there are of each zone, in mixed sections and in unmapped ones."""
    return Counter(zone for one in data for zone in one.zones)

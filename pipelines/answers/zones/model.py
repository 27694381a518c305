"""Zone models: train, write, load and use them (paper B, section 3.1).

A model is a folder: `zones.crfsuite`, `zones.json` (version of the layout, configuration, SHA-256
of the other file) and `README.md`, its card. The checksum tells a damaged copy, not a model made to
do harm: CRFsuite trusts its input, so take models only from people whose programs you would run.

A model is trained on structured abstracts. Sentences of mixed sections, and of sections that stand
for no zone, are left out: the sequence is cut there, so that the model learns no transition across
the gap. Features of their neighbours still see them, as they do when the model is used.
"""

import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, Final, cast

from citespan.pipelines.answers.zones.configuration import Configuration, read_configuration
from citespan.pipelines.answers.zones.features import (
    FEATURES,
    Analysis,
    Item,
    analyse_abstracts,
    make_items,
)
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.section_categories import SectionZone, Zone
from citespan.pipelines.errors import InputError, MachineError
from citespan.pipelines.model_folder import ModelKind

KIND: Final = ModelKind("zone model", "citespan answers train zones", version=1)
CRF: Final = "zones.crfsuite"
HEAD: Final = "zones.json"
SHIPPED: Final = Path(__file__).parents[1] / "models" / "zones-pubmedqa"


@dataclass(frozen=True, slots=True)
class ZoneModel:
    """A model ready to tag.

    Attributes:
        tagger: a `pycrfsuite.Tagger`, which must not be used by several threads at once.
        crf: the bytes that `tagger` reads from, which must live as long as it does.
        version: its configuration's name and its file's checksum.
    """

    configuration: Configuration
    tagger: Any
    crf: bytes
    version: str

    def tag(self, items: Sequence[Item]) -> list[tuple[Zone, float]]:
        """Return the best sequence of zones, each with its marginal probability."""
        if not items:
            return []
        zones = cast(list[Zone], self.tagger.tag(items))
        return [(zone, self.tagger.marginal(zone, place)) for place, zone in enumerate(zones)]


def open_model(crf: bytes, configuration: Configuration) -> ZoneModel:
    """Make a model from the bytes that CRFsuite wrote."""
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(crf)
    checksum = hashlib.sha256(crf).hexdigest()
    return ZoneModel(configuration, tagger, crf, f"{configuration.name} {checksum[:16]}")


def write_model(folder: Path, crf: bytes, configuration: Configuration, card: str) -> None:
    """Write a model's three files.

    Raises:
        InputError: if they can't be written.
    """
    head = {
        "configuration": configuration.to_json(),
        "sha256": hashlib.sha256(crf).hexdigest(),
    }
    KIND.write(folder, HEAD, head, card, {CRF: crf})


@lru_cache(maxsize=4)
def load_model(folder: Path = SHIPPED) -> ZoneModel:
    """Load the model in a folder, by default the shipped one.

    Raises:
        InputError: if it can't be read, was written by another version, or does not have the
            checksum that its head names.
        MachineError: if it is the shipped one, and damaged.
    """
    head, crf = KIND.read_head(folder, HEAD), KIND.read(folder, CRF)
    if head.get("sha256") != hashlib.sha256(crf).hexdigest():
        if folder == SHIPPED:
            raise MachineError(f"{folder / CRF}: damaged; install citespan again")
        raise InputError(f"{folder / CRF}: not the file that {HEAD} names; copy or train it again")
    configuration = read_configuration(head.get("configuration", {}))
    unknown = [name for name in configuration.features if name not in FEATURES]
    if unknown:
        raise InputError(f"{folder}: a zone model with unknown features: {', '.join(unknown)}")
    return open_model(crf, configuration)


@dataclass(frozen=True, slots=True)
class ZoneExample:
    """An abstract as the CRF sees it.

    Attributes:
        items: features of every sentence, a `pycrfsuite.ItemSequence`.
        runs: the sequences of adjacent labelled sentences, as features and zones.
        zones: for every sentence its zone, or the reason why it has none.
    """

    pmid: str
    items: Any
    runs: list[tuple[Any, list[Zone]]]
    zones: list[SectionZone]


def make_examples(
    abstracts: Iterable[Abstract], configuration: Configuration
) -> Iterator[ZoneExample]:
    """Make an example of each abstract that has a labelled sentence, streaming."""
    for analysis in analyse_abstracts(abstracts, configuration):
        if any(sentence.label for sentence in analysis.sentences):
            yield make_example(analysis, configuration)


def make_example(analysis: Analysis, configuration: Configuration) -> ZoneExample:
    """Make the example of one abstract."""
    from pycrfsuite import ItemSequence

    features = make_items(analysis, configuration)
    runs = []
    numbered = enumerate(sentence.label for sentence in analysis.sentences)
    for labelled, run in groupby(numbered, key=lambda pair: pair[1] is not None):
        if labelled:
            places, zones = zip(*run, strict=True)
            runs.append((ItemSequence([features[place] for place in places]), list(zones)))
    return ZoneExample(
        analysis.abstract.id,
        ItemSequence(features),
        runs,
        [sentence.section for sentence in analysis.sentences],
    )


def train(data: Sequence[ZoneExample], configuration: Configuration) -> bytes:
    """Train a model and return CRFsuite's bytes, the same for the same examples in the same order.

    Raises:
        InputError: if there are no examples.
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


def count_sentences(data: Iterable[ZoneExample]) -> Counter[SectionZone]:
    """Count the sentences of each zone, in mixed sections and in unmapped ones."""
    return Counter(zone for one in data for zone in one.zones)

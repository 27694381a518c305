"""A trained zone model: CRFsuite's own file, and a JSON head that says what it is.

A model is a folder: `zones.crfsuite`, `zones.json` (version of the layout, configuration, SHA-256
of the other file) and `README.md`, its card. Nothing in it is ever unpickled, and nothing of it
reaches CRFsuite, which trusts its input, before the checksum is right.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

from citespan.pipelines.answers.model_folder import ModelKind
from citespan.pipelines.answers.zone_configuration import Configuration, from_json
from citespan.pipelines.answers.zone_features import FEATURES, Item
from citespan.pipelines.corpus.section_categories import Zone
from citespan.pipelines.errors import InputError

KIND: Final = ModelKind("zone model", "citespan answers train zones", version=1)
CRF: Final = "zones.crfsuite"
HEAD: Final = "zones.json"
SHIPPED: Final = Path(__file__).parent / "models" / "zones-pubmedqa"


@dataclass(frozen=True, slots=True)
class ZoneModel:
    """A model ready to tag.

    Attributes:
        version: its configuration's name and its file's checksum, which tell models apart.
        tagger: a `pycrfsuite.Tagger`; not for several threads at once.
        crf: the bytes that `tagger` reads from, which must live as long as it does.
    """

    configuration: Configuration
    tagger: Any
    crf: bytes
    version: str

    def tag(self, items: Sequence[Item]) -> list[tuple[Zone, float]]:
        """The best sequence of zones, each with its marginal probability at its place."""
        if not items:
            return []
        zones = cast(list[Zone], self.tagger.tag(items))
        return [(zone, self.tagger.marginal(zone, place)) for place, zone in enumerate(zones)]


def opened(crf: bytes, configuration: Configuration) -> ZoneModel:
    """A model from the bytes that CRFsuite wrote."""
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(crf)
    checksum = hashlib.sha256(crf).hexdigest()
    return ZoneModel(configuration, tagger, crf, f"{configuration.name} {checksum[:16]}")


def write(folder: Path, crf: bytes, configuration: Configuration, card: str) -> None:
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
def load(folder: Path = SHIPPED) -> ZoneModel:
    """The model in a folder; the shipped one if none is named.

    Raises:
        InputError: if there is none, if it was made by another version, or if the file is not
            the one that its head speaks of.
    """
    head, crf = KIND.head(folder, HEAD), KIND.read(folder, CRF)
    if head.get("sha256") != hashlib.sha256(crf).hexdigest():
        raise InputError(f"{folder / CRF}: not the file that {HEAD} names; copy or train it again")
    configuration = from_json(head.get("configuration", {}))
    unknown = [name for name in configuration.features if name not in FEATURES]
    if unknown:
        raise InputError(f"{folder}: a zone model with unknown features: {', '.join(unknown)}")
    return opened(crf, configuration)

"""Zone models: load and use them (paper B, section 3.1).

A model is a folder: `zones.crfsuite`, `zones.json` (version of the layout, configuration, SHA-256
of the other file) and `README.md`, its card. The checksum tells a damaged copy, not a model made to
do harm: CRFsuite trusts its input, so take models only from people whose programs you would run.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from citespan.pipelines.answers.zones.configuration import Configuration, read_configuration
from citespan.pipelines.answers.zones.features import FEATURES, Item
from citespan.pipelines.corpus.section_categories import Zone
from citespan.pipelines.errors import InputError
from citespan.pipelines.model_folder import ModelKind

CRF: Final = "zones.crfsuite"


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


def _parse(folder: Path, head: dict[str, Any]) -> ZoneModel:
    crf = KIND.read_checked(folder, CRF, head.get("sha256"))
    configuration = read_configuration(head.get("configuration", {}))
    unknown = [name for name in configuration.features if name not in FEATURES]
    if unknown:
        raise InputError(f"{folder}: a zone model with unknown features: {', '.join(unknown)}")
    return open_model(crf, configuration)


KIND: Final = ModelKind(
    "zone model",
    "citespan answers train zones",
    1,
    "zones.json",
    Path(__file__).parents[1] / "models" / "zones-pubmedqa",
    _parse,
)
load_model: Final = KIND.load

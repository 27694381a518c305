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

import orjson

from citespan.pipelines.answers.zone_configuration import Configuration, from_json
from citespan.pipelines.answers.zone_features import FEATURES, Item
from citespan.pipelines.corpus.section_categories import Zone
from citespan.pipelines.errors import InputError

VERSION: Final = 1
CRF: Final = "zones.crfsuite"
HEAD: Final = "zones.json"
CARD: Final = "README.md"
SHIPPED: Final = Path(__file__).parent / "models" / "zones-pubmedqa"


@dataclass(frozen=True, slots=True)
class ZoneModel:
    """A model ready to tag.

    Attributes:
        tagger: a `pycrfsuite.Tagger`; not for several threads at once.
        crf: the bytes that `tagger` reads from, which must live as long as it does.
    """

    configuration: Configuration
    tagger: Any
    crf: bytes

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
    return ZoneModel(configuration, tagger, crf)


def write(folder: Path, crf: bytes, configuration: Configuration, card: str) -> None:
    """Write a model's three files.

    Raises:
        InputError: if they can't be written.
    """
    head = {
        "version": VERSION,
        "configuration": configuration.to_json(),
        "sha256": hashlib.sha256(crf).hexdigest(),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / CRF).write_bytes(crf)
        (folder / HEAD).write_bytes(orjson.dumps(head, option=orjson.OPT_INDENT_2) + b"\n")
        (folder / CARD).write_text(card, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder}: can't be written: {error.strerror}") from error


@lru_cache(maxsize=4)
def load(folder: Path = SHIPPED) -> ZoneModel:
    """The model in a folder; the shipped one if none is named.

    Raises:
        InputError: if there is none, if it was made by another version, or if the file is not
            the one that its head speaks of.
    """
    try:
        head = orjson.loads((folder / HEAD).read_bytes())
        crf = (folder / CRF).read_bytes()
    except OSError as error:
        raise InputError(
            f"{folder}: no zone model ({error.strerror}: {Path(error.filename).name}); make one "
            "with `citespan answers train zones`"
        ) from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{folder / HEAD}: not JSON; train the model again") from error
    version = head.get("version") if isinstance(head, dict) else None
    if version != VERSION:
        raise InputError(
            f"{folder}: a zone model of version {version}, this citespan reads version {VERSION}; "
            "train it again with `citespan answers train zones`"
        )
    if head.get("sha256") != hashlib.sha256(crf).hexdigest():
        raise InputError(f"{folder / CRF}: not the file that {HEAD} names; copy or train it again")
    configuration = from_json(head.get("configuration", {}))
    unknown = [name for name in configuration.features if name not in FEATURES]
    if unknown:
        raise InputError(f"{folder}: a zone model with unknown features: {', '.join(unknown)}")
    return opened(crf, configuration)

"""What Punkt has learnt, as JSON: training, writing and reading it.

The JSON holds four members, each sorted, so that the same texts give the same bytes:
`abbreviations` (word types without their final full stop), `collocations` (pairs of types whose
first ends in a full stop), `sentence_starters` (types) and `orthographic_contexts` (type to the
bit mask that NLTK documents in `nltk.tokenize.punkt`).
"""

import json
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from citespan.pipelines.text.nltk_punkt import nltk_punkt

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktParameters

_SHIPPED: Final = "models/punkt-craft.json"
_DIGIT = re.compile(r"\d")


def train(texts: Iterable[str]) -> "PunktParameters":
    """Parameters learnt from texts without labels (Kiss and Strunk 2006).

    A type with a digit in it ("e17.5", "pu.1") is never kept as an abbreviation: in articles
    such words end sentences as often as any others do, and no word list tells them from
    abbreviations.
    """
    trainer = nltk_punkt().PunktTrainer()
    trainer.train("\n\n".join(texts), finalize=False)
    trainer.finalize_training()
    parameters: PunktParameters = trainer.get_params()
    parameters.abbrev_types = {
        type_ for type_ in parameters.abbrev_types if not _DIGIT.search(type_)
    }
    return parameters


def to_json(parameters: "PunktParameters") -> str:
    """The parameters as JSON text, the same for equal parameters."""
    members = {
        "abbreviations": sorted(parameters.abbrev_types),
        "collocations": sorted(parameters.collocations),
        "sentence_starters": sorted(parameters.sent_starters),
        # A type of context 0 was only ever looked up, never learnt.
        "orthographic_contexts": {
            type_: mask for type_, mask in sorted(parameters.ortho_context.items()) if mask
        },
    }
    return json.dumps(members, ensure_ascii=False, indent=0, separators=(",", ":")) + "\n"


def from_json(text: str) -> "PunktParameters":
    """The parameters that `to_json` wrote."""
    members = json.loads(text)
    parameters: PunktParameters = nltk_punkt().PunktParameters()
    parameters.abbrev_types = set(members["abbreviations"])
    parameters.collocations = {(first, second) for first, second in members["collocations"]}
    parameters.sent_starters = set(members["sentence_starters"])
    parameters.ortho_context.update(members["orthographic_contexts"])
    return parameters


@cache
def shipped() -> "PunktParameters":
    """The parameters shipped with citespan; `models/punkt-craft.md` describes them."""
    return from_json(files(__package__).joinpath(_SHIPPED).read_text(encoding="utf-8"))

"""The options of reformulations that a system of an experiment has its own way."""

from pathlib import Path
from typing import Any, get_args, get_type_hints

from citespan.pipelines.evaluation.yaml_keys import Keys
from citespan.pipelines.reformulation.context import Options

_TEXTS = ("pipeline",)
_PATHS = ("vocabulary", "background", "general")
_LISTS = ("sources", "semantic_types")
_NUMBERS = ("feedback_spans", "feedback_terms")
_FLAGS = ("preferred",)


def read_own_options(keys: Keys) -> dict[str, Any]:
    """Fields of `Options`, by name, those that `keys` has; paths are taken as they stand.

    Raises:
        InputError: naming the key, if one is unknown, of the wrong kind or out of range.
    """
    keys.only(*_TEXTS, *_PATHS, *_LISTS, *_NUMBERS, *_FLAGS, "synonyms")
    own: dict[str, Any] = {}
    for key in keys.names():
        if key in _PATHS:
            own[key] = Path(keys.text(key))
        elif key in _LISTS:
            own[key] = tuple(str(name) for name in keys.list(key))
        elif key in _NUMBERS:
            own[key] = keys.number(key, 1)
        elif key in _FLAGS:
            own[key] = keys.take(key, bool, "true or false")
        elif key == "synonyms":
            own[key] = keys.choice(key, *get_args(get_type_hints(Options)["synonyms"]))
        else:
            own[key] = keys.text(key)
    return own

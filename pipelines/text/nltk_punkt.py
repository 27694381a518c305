"""NLTK's Punkt module, imported when it is first needed, and faster than by itself.

NLTK imports all of itself, and with it scipy.stats, for a function that nothing here calls; that
takes longer than most commands take to run. It also works where scipy isn't installed, which is
what it is told here while it is being imported.
"""

import sys
from functools import cache
from importlib import import_module
from typing import Any


@cache
def nltk_punkt() -> Any:
    """The module `nltk.tokenize.punkt`."""
    hidden = {"scipy", "scipy.stats"} - sys.modules.keys()
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None: not to be had
    try:
        return import_module("nltk.tokenize.punkt")
    finally:
        for name in hidden:
            del sys.modules[name]

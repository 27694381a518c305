"""Modules of NLTK, without the libraries that all of NLTK imports for functions that nothing here
calls: scipy.stats and scikit-learn, and with that pandas.

These take longer to import than most commands take to run. Moreover, a command that imports pandas
while it searches may never end: in Python 3.11, a collection of garbage that falls into the import
of pandas 2.3's `NaT` walks in a circle.
"""

import sys
from functools import cache
from importlib import import_module
from typing import Any


@cache
def import_from_nltk(module: str) -> Any:
    """Import a module such as "nltk.tokenize.punkt", also where scipy isn't installed, which is
    what NLTK finds here while it is being imported."""
    hidden = {"scipy", "scipy.stats", "sklearn"} - sys.modules.keys()
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None: not to be had
    try:
        return import_module(module)
    finally:
        for name in hidden:
            del sys.modules[name]


@cache
def load_stemmer() -> Any:
    """Return Porter's stemmer, with NLTK's extensions."""
    return import_from_nltk("nltk.stem.porter").PorterStemmer()

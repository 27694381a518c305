"""Modules of NLTK, without what all of NLTK imports: a hundred modules, scipy.stats, scikit-learn
and pandas.

These take longer to import than most commands take to run. Moreover, a command that imports pandas
while it searches may never end: in Python 3.11, a collection of garbage that falls into the import
of pandas 2.3's `NaT` walks in a circle.
"""

import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from threading import Lock
from typing import Any

_lock = Lock()


@cache
def import_from_nltk(module: str) -> Any:
    """Import a module such as "nltk.tokenize.punkt" and what it uses, but not the packages it is
    in: empty ones stand for them. Who imports NLTK later gets all of it."""
    top, package, _ = module.split(".")
    with _lock:
        before = set(sys.modules)
        for name in (top, f"{top}.{package}"):
            if name not in before and (spec := find_spec(name)):
                sys.modules[name] = module_from_spec(spec)
        try:
            return import_module(module)
        finally:
            for name in sys.modules.keys() - before:
                if f"{name}.".startswith(f"{top}."):
                    del sys.modules[name]


@cache
def load_stemmer() -> Any:
    """Return Porter's stemmer, with NLTK's extensions."""
    return import_from_nltk("nltk.stem.porter").PorterStemmer()

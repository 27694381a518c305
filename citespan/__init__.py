"""Where exactly is the evidence? Cited spans of articles, found with Elasticsearch.

The main job in a handful of functions:

- `connect`: the server that all others use;
- `index`: load articles or abstracts;
- `search`: from a citing sentence, or many, to the passages that they are about;
- `search_all`: from a citing sentence to the indexed articles with evidence for it;
- `answers`: from a research question to the sentences that answer it;
- `check`: from a manuscript to the evidence for each of its citations;
- `link`: the same for the citations of all articles that are indexed;
- `cited`: what an indexed article is cited for;
- `summarise`: the sentences of an indexed article that say best what it is cited for;
- `articles`, `show`, `delete`: what is indexed;
- `evaluate`, `compare`: run an experiment, or compare systems without a file;
- `sample`: the articles and annotations that ship with citespan.

All that ask the server take a client of it as `client`, but `connect`. Without one they use the
client that `connect` returned last, or call `connect()`. Every error that a user can mend is a
`CitespanError`, whose message says what is wrong, where, and what to do.

The folders beside this file are links to the top-level folders of the project, so that a checkout
has the same import paths as an installed wheel.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

# Imported when a name is used, since the command line imports this package too.
_MODULES = {
    name.name: str(statement.module)
    for statement in ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8")).body
    if isinstance(statement, ast.ImportFrom)
    for name in statement.names
}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__

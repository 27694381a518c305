"""Collections of abstracts: each has an index of its own, so that it can be searched alone."""

import re

from citespan.es_mappings.abstracts import INDEX
from citespan.pipelines.errors import InputError

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


def name_collection_index(collection: str) -> str:
    """Return the name of the index of a collection; for "", of the abstracts that are in none.

    Raises:
        InputError: if a collection can't have that name.
    """
    if not collection:
        return INDEX
    if not _NAME.fullmatch(collection):
        raise InputError(
            f"`collection={collection}`: use up to 60 lower-case letters, digits, - and _, a "
            "letter or digit first"
        )
    return f"{INDEX}-{collection}"

"""Who is writing: one document for all commands that write, so that who takes a lease and who looks
at all of them sees the same, whichever comes first.

`writers` is not indexed: each has a `token`, its `command`, `host` and `process`, whether it is
`exclusive`, and by the clock of the server, in milliseconds since 1970, `since` when it writes and
when it has `renewed` its lease last.
"""

from typing import Any, Final

from elasticsearch.dsl import Document, Object, mapped_field

from citespan.es_mappings.index_body import index_settings, strict_mapping

INDEX: Final = "citespan-leases"
DOCUMENT: Final = "writers"
VERSION: Final = 1


class LeasesDocument(Document):
    """The only document; see the module's docstring."""

    writers: list[dict[str, Any]] = mapped_field(Object(enabled=False))


def mapping() -> dict[str, Any]:
    """The mapping."""
    return strict_mapping(LeasesDocument, VERSION)


def settings() -> dict[str, Any]:
    """The settings."""
    return index_settings()

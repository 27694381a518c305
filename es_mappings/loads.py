"""One document for each load that has ended: when, of what, and what became of its inputs."""

from typing import Any

from elasticsearch.dsl import (
    Date,
    Document,
    Float,
    InnerDoc,
    Integer,
    Keyword,
    Long,
    Object,
    mapped_field,
)

from citespan.es_mappings.index_body import index_settings, strict_mapping

INDEX = "citespan-loads"
VERSION = 1
MOST_REASONS = 100
"""Of each outcome that are kept, the most frequent first."""


class Reason(InnerDoc):
    """Why inputs were not indexed, and how many."""

    outcome: str = mapped_field(Keyword())
    reason: str = mapped_field(Keyword(ignore_above=1024))
    inputs: int = mapped_field(Integer())


class LoadEntry(Document):
    """One load.

    `load` is its id; `paths` are what it was to read; `options` says how, by name. The counts are
    those of the report.
    """

    load: str = mapped_field(Keyword())
    started: str = mapped_field(Date())
    seconds: float = mapped_field(Float())
    paths: list[str] = mapped_field(Keyword(ignore_above=8192))
    options: dict[str, Any] = mapped_field(Object(enabled=False))
    inputs: int = mapped_field(Integer())
    indexed: int = mapped_field(Integer())
    unchanged: int = mapped_field(Integer())
    replaced: int = mapped_field(Integer())
    skipped: int = mapped_field(Integer())
    quarantined: int = mapped_field(Integer())
    deleted: int = mapped_field(Integer())
    sentences: int = mapped_field(Long())
    spans: int = mapped_field(Long())
    citations: int = mapped_field(Long())
    reasons: list[Reason] = mapped_field(Object(Reason))


def mapping() -> dict[str, Any]:
    """The mapping."""
    return strict_mapping(LoadEntry, VERSION)


def settings() -> dict[str, Any]:
    """The settings."""
    return index_settings()

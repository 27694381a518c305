"""The documents of an article's citations."""

from collections.abc import Iterator
from typing import Any

import orjson

from citespan.pipelines.citing.citations import (
    ArticleCitations,
    Citation,
    bound_sentence,
    make_query,
)
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.indexing.documents.prepared import EDITION
from citespan.pipelines.indexing.numbered_documents import make_action


def build_citations(found: ArticleCitations) -> Iterator[bytes]:
    """Yield for each citation two lines of a bulk request: action and document."""
    pair = make_action(found.article.id) + b'\n{"edition":"%s",%%s' % EDITION
    for number, citation in enumerate(found.citations):
        yield pair % (number, orjson.dumps(_describe(found, citation, number))[1:])


def _describe(found: ArticleCitations, citation: Citation, number: int) -> dict[str, Any]:
    text, marker, section = found.article.text, citation.marker, citation.sentence.section
    start, end = bound_sentence(citation)
    described: dict[str, Any] = {
        "article": found.article.id,
        "number": number,
        "citation": citation.id,
        "section": section.name if section is not None else "",
        "start": start,
        "end": end,
        "text": text[start:end],
        "query": make_query(text, citation),
        "marker": text[marker.start : marker.end],
        "marker_start": marker.start,
        "marker_end": marker.end,
        "name": citation.name,
    }
    if citation.reference is not None:
        described["reference"] = citation.reference.key
        described |= _describe_publication(citation.reference.publication)
    return described


def _describe_publication(publication: Publication) -> dict[str, Any]:
    """Return what is known of a publication, as far as references are resolved by it."""
    known = {
        "author": publication.authors[0] if publication.authors else "",
        "title": publication.title,
        "year": publication.year,
        "journal": publication.journal,
        "pmid": publication.pmid,
        "pmcid": publication.pmcid,
        "doi": publication.doi,
    }
    return {name: value for name, value in known.items() if value}

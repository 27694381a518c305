"""Citations and references as objects for JSON."""

from typing import Any

from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.text.citations import ArticleCitations, Citation


def describe_reference(reference: Reference) -> dict[str, Any]:
    """Return a reference as an object for JSON."""
    publication = reference.publication
    return {
        "key": reference.key,
        "label": reference.label,
        "authors": list(publication.authors),
        "title": publication.title,
        "year": publication.year,
        "journal": publication.journal,
        "pmid": publication.pmid,
        "pmcid": publication.pmcid,
        "doi": publication.doi,
        "text": reference.text,
    }


def describe_citation(found: ArticleCitations, one: Citation) -> dict[str, Any]:
    """Return a citation as an object for JSON; offsets are into the article's text."""
    text, sentence = found.article.text, one.sentence
    section = sentence.section
    return {
        "id": one.id,
        "section": section.name if section is not None else "",
        "start": sentence.start,
        "end": sentence.end,
        "text": text[sentence.start : sentence.end],
        "marker": {"start": one.marker.start, "end": one.marker.end}
        | {"text": text[one.marker.start : one.marker.end]},
        "clause": {"start": one.clause[0], "end": one.clause[1]}
        | {"text": text[slice(*one.clause)]},
        "before": text[sentence.before.start : sentence.before.end] if sentence.before else "",
        "after": text[sentence.after.start : sentence.after.end] if sentence.after else "",
        "name": one.name,
        "reference": one.reference.key if one.reference is not None else None,
        "problem": one.marker.problem,
    }

"""A checked manuscript as Markdown, in which no text of an article is mark-up."""

import re
from collections.abc import Iterator

from citespan.pipelines.citations.checked import CheckedCitation, CheckedManuscript
from citespan.pipelines.corpus.addresses import find_addresses
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Reference
from citespan.serve.report.words import (
    describe_judgement,
    describe_place,
    describe_reference,
    describe_totals,
)

_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|~&!$@]|^[-+=]|(?<=[pst]):(?=//)|(?<=www)\.")
_NUMBER = re.compile(r"^(\d+)([.)])")


def make_markdown(checked: CheckedManuscript) -> str:
    """Return a report of all citations."""
    return "\n".join(_write(checked)).rstrip() + "\n"


def _write(checked: CheckedManuscript) -> Iterator[str]:
    article = checked.found.article
    yield f"# Citations of {escape(article.title or article.id)}"
    yield ""
    yield f"{describe_totals(checked)}."
    yield ""
    for one in checked.citations:
        yield from _write_citation(article.text, one)
    if checked.uncited:
        yield "## References without a citation"
        yield ""
        for reference in checked.uncited:
            yield f"- {_write_reference(reference, reference.publication)}"
        yield ""
    if checked.found.problems:
        yield "## Entries of the reference list that can't be read"
        yield ""
        for problem in checked.found.problems:
            yield f"- {escape(problem)}"


def _write_citation(text: str, one: CheckedCitation) -> Iterator[str]:
    yield f"## {one.citation.id}: {describe_judgement(one)}"
    yield ""
    yield f"> {escape(text[slice(*one.citation.clause)])}"
    yield ""
    reference = one.citation.reference
    if reference is not None:
        yield f"Cites {_write_reference(reference, one.publication)}"
        yield ""
    if one.problem:
        yield f"*{escape(one.problem)}*"
        yield ""
    for passage in one.evidence or ():
        place = f"{escape(describe_place(passage))}; {passage.probability:.2f}"
        yield f"{passage.rank}. {escape(passage.text)} ({place})"
    if one.evidence:
        yield ""
    if one.evidence is not None and one.evidence.missing:
        yield f"Not in the article: {escape(', '.join(one.evidence.missing))}"
        yield ""


def _write_reference(reference: Reference, publication: Publication) -> str:
    shown = escape(describe_reference(reference))
    links = [f"[{escape(name)}](<{address}>)" for name, address in find_addresses(publication)]
    label = f"{escape(reference.label or reference.key)}: "
    return label + " ".join([shown, *links])


def escape(text: str) -> str:
    """Return a text in one line, of which nothing is Markdown or HTML."""
    line = _MARKUP.sub(lambda found: f"\\{found[0]}", collapse_space(text))
    return _NUMBER.sub(r"\1\\\2", line)

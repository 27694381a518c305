"""A checked manuscript as Markdown."""

from collections.abc import Iterator

from citespan.pipelines.citations.checking import CheckedCitation, CheckedManuscript
from citespan.pipelines.corpus.identifiers import find_addresses
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.ranking.evidence import DIFFERS_MEANS, FOUND_MEANS
from citespan.pipelines.written_results import escape
from citespan.serve.report import (
    describe_judgement,
    describe_place,
    describe_reference,
    describe_rival,
    describe_totals,
    name_searched,
)
from citespan.serve.report.decided import fill_markdown


def make_markdown(checked: CheckedManuscript, *, is_filled: bool = True) -> str:
    """Return a report of all citations.

    Args:
        is_filled: whether to show its decisions; otherwise they are left to `fill_markdown`.
    """
    markdown = "\n".join(_write(checked)).rstrip() + "\n"
    return fill_markdown(markdown, checked.decisions) if is_filled else markdown


def _write(checked: CheckedManuscript) -> Iterator[str]:
    """Yield the lines; some have an empty one behind them."""
    article = checked.found.article
    yield f"# Citations of {escape(article.title or article.id)}\n"
    yield f"{describe_totals(checked)}. {FOUND_MEANS} {DIFFERS_MEANS}\n"
    yield "<!--decision -->"
    if checked.found.problems:
        yield "## References that can't be read\n"
        for problem in checked.found.problems:
            yield f"- {escape(problem)}"
        yield ""
    if checked.faulty:
        yield "## References that are not what they say\n"
        for reference, faults in checked.faulty:
            yield f"- {_write_reference(reference, reference.publication)}"
            yield from (f"  - {escape(str(fault))}" for fault in faults)
        yield ""
    for judged in checked.citations:
        yield from _write_citation(checked, judged)
    if checked.uncited:
        yield "## References without a citation\n"
        for reference in checked.uncited:
            yield f"- {_write_reference(reference, reference.publication)}"
        yield ""


def _write_citation(checked: CheckedManuscript, judged: CheckedCitation) -> Iterator[str]:
    text = checked.found.article.text
    yield f"## {judged.citation.id}: {describe_judgement(judged)}\n"
    yield f"> {escape(text[slice(*judged.citation.clause)])}\n"
    reference = judged.citation.reference
    if reference is not None:
        yield f"Cites {_write_reference(reference, judged.publication)}\n"
    yield f"<!--decision {judged.citation.id}-->"
    for problem in filter(None, (*map(str, checked.find_faults(judged)), judged.problem)):
        yield f"*{escape(problem)}*\n"
    for passage in judged.evidence or ():
        place = f"{escape(describe_place(passage))}; {passage.probability:.2f}"
        yield f"{passage.rank}. {escape(passage.text)} ({place})"
    if judged.evidence:
        yield ""
    if judged.evidence is not None and judged.evidence.differences:
        yield from (f"- differs: {escape(str(each))}" for each in judged.evidence.differences)
        yield ""
    if rival := describe_rival(judged):
        yield f"{escape(rival)}\n"
    if judged.evidence is not None and judged.evidence.missing:
        missing = escape(", ".join(judged.evidence.missing))
        yield f"Not in the {name_searched(judged)}: {missing}\n"


def _write_reference(reference: Reference, publication: Publication) -> str:
    shown = escape(describe_reference(reference))
    links = [f"[{escape(name)}](<{address}>)" for name, address in find_addresses(publication)]
    label = f"{escape(reference.label or reference.key)}: "
    return label + " ".join([shown, *links])

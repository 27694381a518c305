"""`citespan search` without `--article`: which of the indexed articles support a sentence."""

from collections.abc import Sequence
from dataclasses import replace

from rich.text import Text

from citespan.cli.evidence_view import show_passage
from citespan.cli.output import out, print_json, warn
from citespan.cli.search import warn_omitted
from citespan.deploy.client import connect
from citespan.pipelines.ranking.article_ranking import TOP, ArticleEvidence, find_articles
from citespan.searching import SearchSettings, describe_found, make_request


def search_articles(
    citance: str,
    settings: SearchSettings,
    top: int | None,
    per_article: int,
    year: str | None,
    journals: Sequence[str],
    sections: Sequence[str],
    *,
    json: bool,
) -> None:
    """Search all articles, and print those that support a citance.

    Args:
        settings: of the search, of which those of spans do not count.
        top: number of articles; None for as many as usual.
        year, journals, sections: as in `search_all`.
    """
    settings = replace(settings, top=TOP if top is None else top)
    request = make_request(citance, settings, per_article, year, journals, sections)
    warn_omitted(request.terms, request.searched)
    found = find_articles(connect(), request)
    if json:
        print_json(describe_found(settings, request, found))
    elif found:
        _show(found)
    if not found:
        within = " that --year, --journal and --section leave"
        within = within if year or journals or sections else ""
        warn(f"no article{within} has any word of the citance")


def _show(found: Sequence[ArticleEvidence]) -> None:
    if found[0].evidence.verdict in ("weak", "none"):
        out.print(Text("No article supports it. The best ones are weak:", "bold yellow"))
    for one in found:
        evidence = one.evidence
        out.print()
        out.print(
            Text.assemble(
                (f"{one.rank}. {evidence.article}", "bold"),
                f"  {evidence.title}" if evidence.title else "",
            )
        )
        worth = f"score {one.score:.2f}"
        if evidence.support is not None:
            worth = f"{evidence.verdict} with probability {evidence.support:.2f}, {worth}"
        published = (one.journal, "" if one.year is None else str(one.year))
        out.print(Text(", ".join(part for part in (*published, worth) if part), "dim"))
        if evidence.missing:
            out.print(Text("not in the article: " + ", ".join(evidence.missing)))
        for passage in evidence:
            show_passage(passage, weak=evidence.verdict == "weak")

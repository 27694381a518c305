"""`citespan search`: from a citing sentence to the passages it is about."""

import json as json_module
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from citespan.cli.evidence_view import show_evidence, show_passage
from citespan.cli.folder import Articles, open_articles
from citespan.cli.options import BatchFormat, Json
from citespan.cli.output import out as screen
from citespan.cli.output import print_json, warn
from citespan.cli.setting_options import with_reformulation_options, with_settings
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.evidence import DIFFERS_MEANS, FOUND_MEANS
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.requests import METHOD, NARROWING, Search, SearchAll, SearchAllOptions
from citespan.pipelines.retrieval.search import console_request
from citespan.pipelines.store.catalogue import Catalogue

if TYPE_CHECKING:
    from citespan.pipelines.ranking.article_ranking import ArticleEvidence

_PRESETS = {
    "naacl2015": {
        "ranker": "none",
        "reformulation": "baseline",
        "model": "vsm",
        "top": 3,
        "merge": True,
        "idf": "article",
    }
}
"""Options that a preset sets, unless they are given."""
_NOTHING: SearchAllOptions = {}


def _apply_preset(context: typer.Context, name: str | None) -> str | None:
    if name is not None:
        context.default_map = {**(context.default_map or {}), **_PRESETS[name]}
    return name


@with_settings("search", SearchAll)
@with_reformulation_options
def search(
    citance: Annotated[
        str | None, typer.Argument(help="The citing sentence; - reads it from stdin.")
    ] = None,
    article: Annotated[
        str | None,
        typer.Option(
            help="The cited article, by any of its identifiers.", show_default="all articles"
        ),
    ] = None,
    articles: Articles = None,
    search: SearchAllOptions = _NOTHING,
    _preset: Annotated[
        Literal["naacl2015"] | None,
        typer.Option(
            "--preset",
            help="Options set together: naacl2015 is the method of Cohan et al. (2015), "
            "--ranker none with the defaults of the other options.",
            is_eager=True,
            callback=_apply_preset,
            rich_help_panel=METHOD,
        ),
    ] = None,
    from_file: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="All citances of a file: TSV, CSV or JSON Lines with citance, and maybe article "
            "and id; - reads stdin.",
        ),
    ] = None,
    format: Annotated[  # noqa: A002  the option's name
        BatchFormat | None,
        typer.Option(
            help="Print JSON Lines, CSV or Markdown.",
            show_default="with --from, jsonl in a pipe, markdown in a terminal",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where --from writes JSON Lines; continued if there.")
    ] = None,
    dsl: Annotated[
        bool,
        typer.Option(
            "--dsl", help="Only print the request, for Kibana's console.", rich_help_panel=METHOD
        ),
    ] = False,
    json: Json = False,
    *,
    options: Options,
) -> None:
    """Find the passages of an article, or of all articles, that a citing sentence is about.

    A ranker says which sentences are evidence, with a probability, and how probable it is that
    the article has any: found, weak or none. A passage that is found need not agree.

    Example: citespan search "p53 stops the cell cycle after DNA damage (Smith, 2010)" --article
    p53-dna-damage
    """
    given: SearchAllOptions = {**search, "options": options}
    if from_file is not None:
        if citance is not None or article is not None or dsl:
            raise InputError(
                "--from names a file of citances and articles; give no others, nor --dsl"
            )
        from citespan.cli.search_batch import search_batch

        search_batch(from_file, given, "jsonl" if json else format, out, articles)
        return
    if out is not None:
        raise InputError("--out is for the citances of a file; add --from")
    if citance is None:
        raise InputError("give a citing sentence, or a file of them by --from")
    text = sys.stdin.read() if citance == "-" else citance
    if article is not None and search.keys() & set(NARROWING):
        raise InputError(
            "--year, --journal, --section and --citing are for a search of all articles; remove "
            "--article"
        )
    if dsl and (article is None or articles is not None):
        raise InputError(
            "--dsl prints a request to a server for one article; name it by --article, and leave "
            "out --articles"
        )
    if format is not None and not dsl:
        from citespan.cli.search_batch import search_one

        search_one(text, article or "", given, format, articles)
    elif article is None:
        _search_all(text, SearchAll(**given), articles, json=json)
    else:
        client, has_quarantined = open_articles(articles)
        settings = Search.of_one_article(given)
        _search_article(Catalogue(client), text, settings, article, dsl=dsl, json=json)
        raise typer.Exit(1 if has_quarantined else 0)


def _search_article(
    catalogue: Catalogue, text: str, settings: Search, article: str, *, dsl: bool, json: bool
) -> None:
    client, entry = catalogue.client, catalogue.find(article)
    request = settings.make_request(client, text, entry)
    _warn_omitted(request.terms, request.searched)
    if dsl:
        body = console_request(client, request)
        typer.echo(f"GET {entry.index}/_search")
        typer.echo(json_module.dumps(dict(body), indent=2, ensure_ascii=False))
        return
    request.require_terms()
    [found] = settings.find(catalogue, [text], [request])
    if json:
        print_json(settings.to_json(request, found))
        return
    show_evidence(found, request.searched, explain=settings.explain)


def _search_all(citance: str, search: SearchAll, articles: Path | None, *, json: bool) -> None:
    """Search all articles, and print those with evidence for a citance."""
    from citespan.pipelines.ranking.article_ranking import find_articles

    request = search.make_corpus_request(citance)
    _warn_omitted(request.terms, request.searched)
    client, has_quarantined = open_articles(articles)
    found = find_articles(client, request)
    if json:
        print_json(search.describe_found(request, found))
    elif found:
        _show_articles(found)
    if not found:
        filtered = search.year or search.journals or search.sections
        within = "with these filters, " if filtered else ""
        warn(f"{within}no article shares a word with the citance")
    raise typer.Exit(1 if has_quarantined else 0)


def _show_articles(found: Sequence["ArticleEvidence"]) -> None:
    if found[0].evidence.verdict in ("weak", "none"):
        screen.print(
            Text("No article is likely to have evidence. The best ones are weak:", "bold yellow")
        )
    for article in found:
        evidence = article.evidence
        screen.print()
        screen.print(
            Text.assemble(
                (f"{article.rank}. {evidence.article}", "bold"),
                f"  {evidence.title}" if evidence.title else "",
            )
        )
        if evidence.support is None:
            worth = f"score {article.score:.2f}"
        else:
            worth = f"{evidence.verdict}: it has evidence with probability {evidence.support:.2f}"
        published = (article.journal, "" if article.year is None else str(article.year))
        only = "abstract only" if evidence.abstract_only else ""
        citing = format_count(article.cited.articles, "article")
        cited = f"found by how {citing} cite{'s' * (article.cited.articles == 1)} it"
        parts = (*published, only, worth, cited if article.cited.articles else "")
        screen.print(Text(", ".join(part for part in parts if part), "dim"))
        for notice in evidence.notices:
            screen.print(Text(str(notice), "bold red"))
        if evidence.missing:
            screen.print(Text("not in the article: " + ", ".join(evidence.missing)))
        for difference in evidence.differences:
            screen.print(Text(f"differs: {difference}"))
        for passage in evidence:
            show_passage(passage, weak=evidence.verdict == "weak")
    verdicts = {article.evidence.verdict for article in found}
    for verdict, meaning in (("found", FOUND_MEANS), ("differs", DIFFERS_MEANS)):
        if verdict in verdicts:
            screen.print()
            screen.print(Text(meaning, "dim"))


def _warn_omitted(terms: Sequence[Term], searched: Sequence[Term]) -> None:
    """Say how many terms of a citance a query has no room for, if any."""
    if len(searched) < len(terms):
        warn(
            f"the citance is too long: of {format_count(len(terms), 'term')}, only the "
            f"{len(searched):,} of the greatest weight are searched for"
        )

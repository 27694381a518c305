"""`citespan search`: from a citing sentence to the passages it is about."""

import json as json_module
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from elasticsearch import Elasticsearch

from citespan.cli.evidence_view import show_evidence
from citespan.cli.options import Json, model_help, ranker_help, reformulation_help
from citespan.cli.output import print_json, warn
from citespan.cli.reformulation_options import with_reformulation_options
from citespan.deploy.client import connect
from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.catalogue import Catalogue
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.ranking.ranker import DEFAULT
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.idf import IdfSource
from citespan.pipelines.retrieval.layouts.layout import TOP
from citespan.pipelines.retrieval.search import console_request
from citespan.searching import SearchSettings

BatchFormat = Literal["jsonl", "csv", "markdown"]
_AS_INDEXED = "as indexed"
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


def _apply_preset(context: typer.Context, name: str | None) -> str | None:
    if name is not None:
        context.default_map = {**(context.default_map or {}), **_PRESETS[name]}
    return name


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
    ranker: Annotated[str, typer.Option(help=ranker_help())] = DEFAULT,
    reformulation: Annotated[str, typer.Option(help=reformulation_help())] = "baseline",
    model: Annotated[str, typer.Option(help=model_help())] = "vsm",
    top: Annotated[
        int | None,
        typer.Option(
            help="Number of passages to show at most; of all articles, number of articles.",
            show_default=str(TOP),
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            help="Number of candidate sentences to rank; without a ranker, of spans to merge; "
            "of all articles, number of articles to rank.",
            show_default="200; the fewest that leave three, or --top; 3",
        ),
    ] = None,
    merge: Annotated[
        bool,
        typer.Option(
            help="Without a ranker: merge spans into the retrieved spans that contain them."
        ),
    ] = True,
    shortest: Annotated[
        int | None,
        typer.Option(
            help="Without a ranker: sentences in the shortest span.", show_default=_AS_INDEXED
        ),
    ] = None,
    longest: Annotated[
        int | None,
        typer.Option(
            help="Without a ranker: sentences in the longest span.", show_default=_AS_INDEXED
        ),
    ] = None,
    idf: Annotated[
        IdfSource,
        typer.Option(
            help="Documents in which the model counts terms: the article's spans, the documents of "
            "--background, or both. Only the layout sentences has others than the article."
        ),
    ] = "article",
    _preset: Annotated[
        Literal["naacl2015"] | None,
        typer.Option(
            "--preset",
            help="Options set together: naacl2015 is the method of Cohan et al. (2015), "
            "--ranker none with the defaults of the other options.",
            is_eager=True,
            callback=_apply_preset,
        ),
    ] = None,
    year: Annotated[
        str | None,
        typer.Option(
            help="Of all articles, those published in 2010, 2010-, -2015 or 2010-2015.",
            show_default=False,
        ),
    ] = None,
    journal: Annotated[
        list[str] | None,
        typer.Option(help="Of all articles, those of a journal; may be repeated."),
    ] = None,
    section: Annotated[
        list[str] | None,
        typer.Option(
            help="Of all articles, passages in sections of a kind, such as results, methods, "
            "discussion or abstract; may be repeated."
        ),
    ] = None,
    per_article: Annotated[
        int, typer.Option(help="Of all articles, number of passages of each at most.")
    ] = 1,
    from_file: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="Search for all citances of a file: TSV or CSV with columns article and citance "
            "(and id), or JSON Lines with these keys; - reads stdin.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[  # noqa: A002  the option's name
        BatchFormat | None,
        typer.Option(
            help="Of what --from prints.", show_default="jsonl in a pipe, markdown in a terminal"
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Where --from writes JSON Lines; a file that is there is continued.",
            show_default=False,
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option(help="Without a ranker: show the score of each term.")
    ] = False,
    dsl: Annotated[
        bool, typer.Option("--dsl", help="Only print the request, for Kibana's console.")
    ] = False,
    json: Json = False,
    *,
    options: Options,
) -> None:
    """Find the passages of an article, or of all articles, that a citing sentence is about.

    A ranker says which sentences are evidence, with a probability, and whether the article
    supports the sentence at all. Both layouts of an index give the same results. In a pipe, ⟦ and
    ⟧ mark the passage within its context, and ⟨ and ⟩ the matched words.

    Example: citespan search "p53 stops the cell cycle after DNA damage (Smith, 2010)" --article
    p53-dna-damage
    """
    given = (ranker, reformulation, model, TOP if top is None else top, depth, merge)
    if from_file is not None:
        if citance is not None or article is not None or dsl:
            raise InputError(
                "--from names a file of citances and articles; give no others, nor --dsl"
            )
        from citespan.cli.search_batch import search_batch

        lengths = _choose_lengths(shortest, longest, SpanLengths())
        settings = SearchSettings(*given, lengths, options, explain, idf)
        search_batch(from_file, settings, "jsonl" if json else format, out)
        return
    if format is not None or out is not None:
        raise InputError("--format and --out are for the citances of a file; add --from")
    if citance is None:
        raise InputError("give a citing sentence, or a file of them by --from")
    text = sys.stdin.read() if citance == "-" else citance
    if article is None:
        from citespan.cli.search_articles import search_articles

        if shortest or longest or explain or dsl or not merge or idf != "article":
            raise InputError("spans, requests and --idf are for one article; name it by --article")
        settings = SearchSettings(*given, None, options)
        narrowed = (year, journal or (), section or ())
        search_articles(text, settings, top, per_article, *narrowed, json=json)
        return
    if year or journal or section:
        raise InputError(
            "--year, --journal and --section narrow a search of all articles; remove --article"
        )
    client = connect()
    entry = Catalogue(client).find(article)
    lengths = _choose_lengths(shortest, longest, SpanLengths(entry.shortest, entry.longest))
    settings = SearchSettings(*given, lengths, options, explain, idf)
    _search_article(client, text, settings, entry, dsl=dsl, json=json)


def _search_article(
    client: Elasticsearch,
    text: str,
    settings: SearchSettings,
    entry: ArticleEntry,
    *,
    dsl: bool,
    json: bool,
) -> None:
    request = settings.make_request(client, text, entry)
    warn_omitted(request.terms, request.searched)
    if dsl:
        body = console_request(client, request)
        typer.echo(f"GET {entry.index}/_search")
        typer.echo(json_module.dumps(dict(body), indent=2, ensure_ascii=False))
        return
    request.require_terms()
    [found] = settings.find(client, [text], [request])
    if json:
        print_json(settings.to_json(request, found))
        return
    show_evidence(found, request.searched, explain=settings.explain)


def warn_omitted(terms: Sequence[Term], searched: Sequence[Term]) -> None:
    """Say how many terms of a citance a query has no room for, if any."""
    if len(searched) < len(terms):
        warn(
            f"the citance is too long: of {format_count(len(terms), 'term')}, only the "
            f"{len(searched):,} of the greatest weight are searched for"
        )


def _choose_lengths(
    shortest: int | None, longest: int | None, indexed: SpanLengths
) -> SpanLengths | None:
    """Return the lengths of spans; None for those that articles were indexed with."""
    if shortest is None and longest is None:
        return None
    return SpanLengths(shortest or indexed.shortest, longest or indexed.longest)

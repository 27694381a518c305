"""`citespan link`, `cited` and `summarise`: what indexed articles are cited for."""

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from citespan.cli.library import SENTENCE_COLUMNS
from citespan.cli.options import Csv, Json, parse_shard, setting_help
from citespan.cli.output import out, print_csv, print_json, progress, warn
from citespan.cli.readings import warn_by_reason
from citespan.cli.tables import listing, print_counts
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.links import VERDICTS, CitationLink
from citespan.library import connect, identify_article
from citespan.pipelines.citations.stored import LINK_COLUMNS, make_link_rows, read_all_links
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.citance_lines import read_citance_lines
from citespan.pipelines.corpus.identifiers import find_spellings
from citespan.pipelines.counts import format_count
from citespan.pipelines.limits import count_processors
from citespan.pipelines.ranking.ranker import DEFAULT
from citespan.pipelines.store.catalogue import Catalogue

if TYPE_CHECKING:
    from citespan.pipelines.citations.cited import CitedArticle
    from citespan.pipelines.citations.link_report import LinkProblem, LinkReport
    from citespan.pipelines.citations.summaries.summary import Summary

_COLUMNS = (*SENTENCE_COLUMNS, "facet", "probability", "citances")
_SHOWN = 20


def link(
    ranker: Annotated[str, typer.Option(help=setting_help("ranker"))] = DEFAULT,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Link only the I-th of N disjoint parts of the citing articles, so that N "
            "machines can share the work.",
        ),
    ] = None,
    rivals: Annotated[
        bool,
        typer.Option(
            "--rivals",
            help="Look for indexed articles that fit a citation better than the cited one too, "
            "also for citations that are linked without. All articles are searched for each.",
        ),
    ] = False,
    processes: Annotated[
        int,
        typer.Option(
            min=1,
            help="Number of processes that search and rank, if there are many citations.",
            show_default="one for each processor",
        ),
    ] = count_processors(),
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Link the citations of all indexed articles to their evidence in the articles cited.

    Each citation of an indexed article is searched for in the article that it cites, if that is
    indexed too. What is linked already stays, unless one of the two articles has changed; so run it
    after each load. If it is interrupted, repeat the command: it resumes where it stopped. With
    --csv, it prints all links, each with its best passage.

    Example: citespan link
    """
    from citespan.citing import link as link_all

    part = parse_shard(shard)
    client = connect()
    with ExitStack() as shown:
        report = link_all(
            ranker=ranker,
            shard=part,
            rivals=rivals,
            processes=processes,
            client=client,
            on_start=lambda total: shown.enter_context(progress("Linking", total)),
        )
    warn_by_reason("not linked", map(_place_problem, report.problems))
    if json:
        print_json(report.to_json())
    elif csv:
        print_csv(make_link_rows(client, read_all_links(client, part)), LINK_COLUMNS)
    else:
        _print_report(report)
    raise typer.Exit(1 if report.counts["failed"] else 0)


def _place_problem(problem: "LinkProblem") -> tuple[str, str]:
    place = f"citation {problem.citation}" if problem.citation else "all citations"
    return f"{problem.article}, {place}", problem.reason


def _print_report(report: "LinkReport") -> None:
    verdicts: dict[str, int] = {verdict: report.verdicts[verdict] for verdict in VERDICTS}
    print_counts("citations", report.counted, {"linked": verdicts}, report.citations)
    links = f"; {format_count(report.removed, 'former link')} deleted" if report.removed else ""
    out.print(
        f"{format_count(report.articles, 'article')} with citations, in {report.seconds:.1f} s"
        f"{links}"
    )
    if report.better:
        out.print(f"another article fits {format_count(report.better, 'citation')} better")
    if report.citances:
        articles = format_count(report.citances, "article")
        out.print(f"what others say of {articles} has changed; `citespan search` finds them by it")
    if not report.citations:
        warn("no citations are stored; see `citespan index --help`")


def cited(
    article: Annotated[str, typer.Argument(help="The article, by any of its identifiers.")],
    uncited: Annotated[
        bool, typer.Option("--uncited", help="List the sentences that nobody cites instead.")
    ] = False,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Show what an indexed article is cited for: by whom, and for which sentences.

    A sentence is cited if it is in a passage that is evidence for a citation. `citespan link`
    finds these passages; run it after loading articles. With --csv, it prints a line for each
    citation with its best passage, or for each uncited sentence.

    Example: citespan cited p53-dna-damage
    """
    from citespan.citing import cited as find_cited

    client = connect()
    found = find_cited(article, client=client)
    if json:
        print_json(found.to_json())
    elif csv and uncited:
        about = identify_article(Catalogue(client).find(found.article))
        print_csv((about | asdict(sentence) for sentence in found.uncited), SENTENCE_COLUMNS)
    elif csv:
        print_csv(make_link_rows(client, found.links), LINK_COLUMNS)
    elif uncited:
        _print_uncited(found)
    else:
        _print_cited(found)
    if found.outdated:
        links = format_count(found.outdated, "further link")
        warn(f"{links} of articles that have changed: run `citespan link`")


def _print_cited(found: "CitedArticle") -> None:
    _print_head(found)
    if found.links:
        _print_sentences(found)
    said: list[tuple[str, str, str, Text]] = [
        *(
            (link.citing, link.verdict, f"{link.support:.2f}", _describe(link))
            for link in found.links
        ),
        *((citance.citing, "", "", _text(citance.text)) for citance in found.without_evidence),
    ]
    if said:
        table = _make_table("citing article", "verdict", "evidence", "cited for")
        for citing, verdict, support, text in said[:_SHOWN]:
            table.add_row(_text(citing), verdict, support, text)
        out.print(table)
        _print_rest(len(said))


def _describe(link: CitationLink) -> Text:
    """Return what a citation says, what differs, and which article fits it better."""
    lines = [_text(link.query), *(_text(str(each)) for each in link.differences)]
    if link.better:
        lines.append(_text(f"{link.better} fits better: {link.better_title}"))
    return Text("\n").join(lines)


def _print_sentences(found: "CitedArticle") -> None:
    sections = _make_table("section", "sentences", "citations")
    for section, citations in found.sections.items():
        number = sum(sentence.section == section for sentence in found.sentences)
        sections.add_row(_text(section or "(no section)"), f"{number:,}", f"{citations:,}")
    out.print(sections)
    sentences = _make_table("sentence", "citations", "text")
    for sentence in found.cited[:_SHOWN]:
        sentences.add_row(f"{sentence.number}", f"{sentence.citations:,}", _text(sentence.text))
    out.print(sentences)
    _print_rest(len(found.cited))


def _print_uncited(found: "CitedArticle") -> None:
    _print_head(found)
    width = len(f"{len(found.sentences)}")
    for sentence in found.uncited:
        out.print(_text(f"{sentence.number:>{width}}  {sentence.text}"))


def _print_head(found: "CitedArticle") -> None:
    out.print(Text.assemble((found.article, "bold"), f"  {found.title}" if found.title else ""))
    if found.abstract_only:
        out.print("abstract only")
    for notice in found.notices:
        out.print(Text(str(notice), style="bold red"))
    if not found.links:
        out.print("no citation of it is linked; see `citespan link --help`")
        return
    verdicts = ", ".join(f"{number:,} {verdict}" for verdict, number in found.verdicts.items())
    citing = format_count(len(found.citing), "article")
    out.print(f"{format_count(len(found.links), 'citation')} in {citing}: {verdicts}")
    out.print(
        f"{len(found.cited):,} of {format_count(len(found.sentences), 'sentence')} cited; "
        "--uncited lists the others"
    )


def _make_table(*headings: str) -> Table:
    table = Table()
    for heading in headings:
        is_figure = heading in ("sentences", "citations", "evidence", "sentence")
        table.add_column(
            heading, justify="right" if is_figure else "left", no_wrap=is_figure, overflow="fold"
        )
    return table


def _print_rest(number: int) -> None:
    if number > _SHOWN:
        out.print(f"{number - _SHOWN:,} more; --json has them all")


def _text(written: str) -> Text:
    """Return a text of an article, of which nothing is mark-up."""
    return Text(" ".join(written.split()))


def summarise(
    article: Annotated[str, typer.Argument(help="The article, by any of its identifiers.")],
    words: Annotated[int, typer.Option(help="Words of the summary at most.")] = 250,
    citances: Annotated[
        Path | None,
        typer.Option(
            help="A file of citances, as `citespan search --from` reads it, or - for stdin; those "
            "of this article count.",
            show_default="those that `citespan link` has linked",
        ),
    ] = None,
    ranker: Annotated[str, typer.Option(help=setting_help("ranker"))] = DEFAULT,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Summarise an indexed article by what it is cited for.

    Citances that are about the same sentences are one cluster. Sentences are chosen that are
    evidence for many citances of many clusters, so that each discourse facet has the share that it
    has of all that is cited, and none that repeats another.

    Example: citespan summarise p53-dna-damage --citances citances.tsv
    """
    from citespan.citing import summarise as make_summary

    client = connect()
    entry = Catalogue(client).find(article)
    own, rejected = _read_citances(citances, entry) if citances is not None else (None, 0)
    with progress("Ranking", len(own) if own is not None else None) as advance:
        found = make_summary(
            entry.article, own, words=words, ranker=ranker, client=client, on_ranked=advance
        )
    if json:
        print_json(found.to_json())
    elif csv:
        print_csv((identify_article(entry) | row for row in found.to_rows()), _COLUMNS)
    else:
        _print_summary(found)
    raise typer.Exit(1 if rejected else 0)


def _read_citances(path: Path, entry: ArticleEntry) -> tuple[dict[str, str], int]:
    """Return the citances of an article by their ids, and how many lines can't be used."""
    known = {entry.article, *entry.also_known_as}
    found: dict[str, str] = {}
    rejected = others = 0
    for line in read_citance_lines(path):
        if isinstance(line, Rejected):
            warn(f"{line.source}: {line.reason}")
            rejected += 1
        elif line.article and known.isdisjoint(find_spellings(line.article)):
            others += 1
        else:
            found[line.id if line.id not in found else f"{line.id}:{line.number}"] = line.citance
    if others:
        warn(f"{format_count(others, 'citance')} of other articles left out")
    return found, rejected


def _print_summary(found: "Summary") -> None:
    out.print(Text.assemble((found.article, "bold"), f"  {found.title}" if found.title else ""))
    # the same for all, they tell nothing: the model's most frequent facet is as often right
    facets = ["facet"] if len({sentence.facet for sentence in found}) > 1 else []
    table = listing("sentence", *facets, "citances", "text")
    for sentence in found:
        facet = [sentence.facet] if facets else []
        table.add_row(
            *map(Text, (str(sentence.number), *facet, str(len(sentence.citances)), sentence.text))
        )
    out.print(table)
    shares = ", ".join(
        f"{share:.0%} {facet}"
        for facet, share in sorted(found.facets.items(), key=lambda item: -item[1])
        if share >= 0.005
    )
    facets_cited = f"; of what is cited, {shares}" if facets else ""
    out.print(
        f"{format_count(found.words, 'word')}, from {format_count(found.citances, 'citance')} in "
        f"{format_count(found.clusters, 'cluster')}{facets_cited}"
    )

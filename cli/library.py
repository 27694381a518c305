"""`citespan articles`, `show` and `delete`: what is indexed."""

import re
import sys
from dataclasses import asdict
from typing import Annotated, Literal

import typer
from rich.text import Text

from citespan.cli.options import Csv, Json
from citespan.cli.output import out, print_csv, print_json, print_result, warn
from citespan.cli.tables import listing
from citespan.deploy.client import connect
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import CITESPAN, EXPERIMENTS
from citespan.library import articles as list_articles
from citespan.library import count_articles, describe_article, describe_sentences, identify_article
from citespan.library import show as read_sentences
from citespan.pipelines.batches import batched
from citespan.pipelines.counts import count_articles_and_abstracts
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.deletable import Deletable, delete_found, find_deletable
from citespan.pipelines.retrieval.passage import ShownSentence
from citespan.pipelines.store.abstracts import is_abstract
from citespan.pipelines.store.catalogue import Catalogue

_RANGE = re.compile(r"(\d{1,9})?(?:(-)(\d{1,9})?)?")
_AT_ONCE = 200
_SHOWN = 100
_COLUMNS = (
    *("article", "title", "pmid", "pmcid", "doi", "authors", "year", "journal"),
    *("notices", "notice", "also_known_as", "abstract_only", "layout", "models"),
    *("sentences", "spans", "characters"),
)
SENTENCE_COLUMNS = (
    *("article", "pmid", "doi", "number", "start", "end", "section", "page", "text"),
)
_NEEDED = ("article", "title", "layout", "index", "edition", "sentences", "spans", "citations")


def articles(
    text: Annotated[
        str | None,
        typer.Argument(
            help="Words of the title, an identifier, or the beginning of one; without it, all "
            "articles are listed by their ids."
        ),
    ] = None,
    count: Annotated[bool, typer.Option("--count", help="Only print how many there are.")] = False,
    top: Annotated[
        int, typer.Option(min=1, max=10_000, help="Number of articles to list at most.")
    ] = 100,
    experiments: Annotated[
        bool, typer.Option("--experiments", help="Those that experiments have indexed, instead.")
    ] = False,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """List, find or count the articles that are indexed.

    An abstract is listed, in the layout abstracts, unless the full text of the same article is
    indexed too; it is counted in any case. Collections of abstracts are not listed.

    Example: citespan articles "DNA damage"
    """
    names = EXPERIMENTS if experiments else CITESPAN
    if count and csv:
        raise InputError("--count prints no list: leave out --csv")
    client = connect()
    if csv:
        rows = list_articles(text, top=top, names=names, client=client).to_rows()
        print_csv(rows, _COLUMNS)
        return
    total = count_articles(text, names=names, client=client)
    full = count_articles(text, full_texts=True, names=names, client=client)
    found = [] if count else list_articles(text, top=top, names=names, client=client)
    if json:
        listed = [
            describe_article(entry) | {"source": [place.to_dict() for place in entry.source or ()]}
            for entry in found
        ]
        print_json({"count": total, "abstracts": total - full, "articles": listed})
        return
    if not count and found:
        _print_articles(found)
    shown = "" if count or len(found) == total else f", of which {len(found):,} are listed"
    out.print(f"{count_articles_and_abstracts(full, total - full)}{shown}")


def _print_articles(found: list[ArticleEntry]) -> None:
    table = listing("article", "title", "sentences", "layout")
    for entry in found:
        table.add_row(
            Text(entry.article), Text(entry.title or ""), f"{entry.sentences:,}", entry.layout
        )
    out.print(table)


def show(
    article: Annotated[str, typer.Argument(help="The article, by any of its identifiers.")],
    sentences: Annotated[
        str | None,
        typer.Option(
            metavar="FIRST-LAST",
            help="Numbers of sentences, from 0, both included: 510-525, 510- or 510.",
            show_default="all",
        ),
    ] = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Show the sentences of an indexed article or abstract, with their numbers and sections.

    Example: citespan show p53-dna-damage --sentences 3-6
    """
    first, last = _parse_range(sentences)
    client = connect()
    entry = Catalogue(client).find(article)
    found = read_sentences(entry.article, first, last, client=client)
    if json:
        print_json(describe_sentences(entry, found))
    elif csv:
        about = identify_article(entry)
        print_csv((about | asdict(sentence) for sentence in found), SENTENCE_COLUMNS)
    else:
        _print_sentences(entry, found)


def _parse_range(written: str | None) -> tuple[int | None, int | None]:
    if written is None:
        return None, None
    match = _RANGE.fullmatch(written.strip())
    if not written.strip() or match is None or match[0] == "-":
        raise InputError(f"--sentences {written}: write numbers as in 510-525, 510- or 510")
    first = int(match[1]) if match[1] else None
    if match[2] is None:
        return first, first
    return first, int(match[3]) if match[3] else None


def _print_sentences(entry: ArticleEntry, found: list[ShownSentence]) -> None:
    out.print(Text.assemble((entry.article, "bold"), f"  {entry.title}" if entry.title else ""))
    if is_abstract(entry):
        out.print("abstract only")
    width = len(str(found[-1].number))
    place = None
    for sentence in found:
        if (sentence.section, sentence.page) != place:
            place = sentence.section, sentence.page
            page = f", page {sentence.page}" if sentence.page is not None else ""
            out.print()
            out.print(Text((sentence.section or "(no section)") + page, style="bold"))
        number = Text(f"{sentence.number:>{width}}  ", style="dim")
        out.print(number + Text(" ".join(sentence.text.split())))


def delete(
    articles: Annotated[
        list[str] | None,
        typer.Argument(
            help="Ids of articles, as `citespan articles` lists them, and PMIDs of abstracts.",
            metavar="ARTICLE...",
        ),
    ] = None,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes", "-y", help="Delete without asking; needed where nobody can be asked."
        ),
    ] = False,
    kind: Annotated[
        Literal["article", "abstract"] | None,
        typer.Option(help="What the identifiers are of; needed where one is of both."),
    ] = None,
    collection: Annotated[
        str, typer.Option(metavar="NAME", help="Delete abstracts of this collection.")
    ] = "",
    experiments: Annotated[
        bool, typer.Option("--experiments", help="Delete from the indices of experiments instead.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Delete all articles; only with --experiments.")
    ] = False,
    json: Json = False,
) -> None:
    """Delete indexed articles and abstracts with all their documents.

    What is to be deleted is shown with its title, and asked for on a terminal; a script says
    --yes. Nothing is deleted if one of them is not indexed, or is only another name of an article.
    Their files stay where they are: loading them again indexes them again.

    Example: citespan delete p53-dna-damage
    """
    if every and not experiments:
        raise InputError("--all deletes what experiments have indexed: add --experiments")
    if bool(articles) == every:
        raise InputError("name the articles to delete, or --experiments --all")
    client = connect()
    names = EXPERIMENTS if experiments else CITESPAN
    if every:
        found = [
            Deletable("article", version.entry.article, version.entry.title or "", version=version)
            for version in Catalogue(client, names).scan(_NEEDED)
        ]
    else:
        found = find_deletable(client, articles or (), kind, collection, names)
    if not yes:
        _confirm(found)
    deleted: list[str] = []
    for some in batched(found, _AT_ONCE):
        deleted += delete_found(client, some, names)
    gone = set(deleted)
    for entry in found:
        if entry.id not in gone:
            warn(
                f"not deleted: {entry.id}: another command has just written it; repeat the command"
            )
    counted = _count_kinds([entry for entry in found if entry.id in gone])
    print_result(json, {"deleted": deleted}, out.print, f"{counted} deleted")
    raise typer.Exit(0 if len(deleted) == len(found) else 1)


def _confirm(found: list[Deletable]) -> None:
    """Show what is to be deleted, and ask.

    Raises:
        InputError: if nobody can be asked.
        Exit: with 1, if the answer is no.
    """
    if not sys.stdin.isatty():
        named = ", ".join(entry.id for entry in found[:3]) + (", …" if len(found) > 3 else "")
        raise InputError(f"nobody is asked here whether to delete {named}: add --yes")
    for entry in found[:_SHOWN]:
        warn(f"{entry.kind} {entry.id}: {entry.title}")
    if len(found) > _SHOWN:
        warn(f"and {len(found) - _SHOWN:,} more")
    if not typer.confirm(f"Delete {_count_kinds(found)}?", err=True):
        warn("nothing was deleted")
        raise typer.Exit(1)


def _count_kinds(found: list[Deletable]) -> str:
    abstracts = sum(entry.kind == "abstract" for entry in found)
    return count_articles_and_abstracts(len(found) - abstracts, abstracts)

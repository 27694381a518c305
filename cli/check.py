"""`citespan check`: whether cited articles have passages about what a manuscript says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from elasticsearch import Elasticsearch

from citespan.cli.annotations import KINDS as FINDINGS
from citespan.cli.annotations import STATUS, Outcome, read_kinds, read_lines
from citespan.cli.check_formats import DEFAULT_FORMAT, FORMATS, WITH_LINES, write_missing
from citespan.cli.decisions import DecisionFiles, name_person
from citespan.cli.fetch import FOLDER, Email, fetch_references, load_fetched, read_settings
from citespan.cli.folder import Articles, open_articles, read_fetched
from citespan.cli.options import manuscript_format_help, require_one, setting_help
from citespan.cli.output import open_private, progress, warn, writing
from citespan.pipelines.citations.checking import CheckedManuscript
from citespan.pipelines.citations.manuscript import read_citations
from citespan.pipelines.citing.citations import ArticleCitations
from citespan.pipelines.citing.source_lines import SourceLines
from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.corpus.retraction_list import RETRACTIONS
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError, OutsideError, UnknownNameError
from citespan.pipelines.fetching.fetching import FetchSettings
from citespan.pipelines.limits import Limits
from citespan.pipelines.ranking.ranker import DEFAULT
from citespan.pipelines.retrieval.request import TOP
from citespan.serve.report import make_html


def check(
    manuscripts: Annotated[
        list[str],
        typer.Argument(
            metavar="MANUSCRIPT...", help="The file of one article, or several, or - for stdin."
        ),
    ],
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            help="How to print: "
            + ", ".join(f"{name} ({form.description})" for name, form in FORMATS.items()),
            show_default=DEFAULT_FORMAT,
        ),
    ] = "",
    reader: Annotated[
        str, typer.Option(help=f"Format of the manuscript: {manuscript_format_help()}")
    ] = "auto",
    articles: Articles = None,
    ranker: Annotated[str, typer.Option(help=setting_help("ranker"))] = DEFAULT,
    top: Annotated[int, typer.Option(help="Number of passages for a citation at most.")] = TOP,
    rivals: Annotated[
        bool,
        typer.Option(help="Look for indexed articles that fit a citation better than the cited."),
    ] = True,
    html: Annotated[
        Path | None, typer.Option(help="Write a report for browsers to this file.")
    ] = None,
    missing: Annotated[
        Path | None,
        typer.Option(
            help="Write the cited articles that are not indexed to this file, with their "
            "identifiers, as comma-separated values."
        ),
    ] = None,
    fetch: Annotated[
        bool,
        typer.Option(
            "--fetch",
            help="Fetch the cited articles that are not indexed, as `citespan fetch` does, load "
            "what is free, and check again.",
        ),
    ] = False,
    folder: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER", help="With --fetch, where to; with --articles, that folder."
        ),
    ] = FOLDER,
    email: Email = "",
    retractions: Annotated[
        Path | None,
        typer.Option(
            envvar=RETRACTIONS,
            help="The list of Retraction Watch, a CSV file: say which references are retracted, "
            "doubted or corrected.",
        ),
    ] = None,
    known: Annotated[
        Path | None,
        typer.Option(
            help="Identifiers that exist, one a line, or a CSV file with columns called pmid, "
            "pmcid or doi: say which identifiers of references are not among them."
        ),
    ] = None,
    decisions: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A file of decisions about the citations, repeated for several; by default the "
            "one beside the manuscript, MANUSCRIPT.decisions.jsonl, if it is there.",
        ),
    ] = None,
    decide: Annotated[
        bool,
        typer.Option(
            "--decide",
            help="Ask about each citation that is left to decide, and keep the answers in the "
            "first file of decisions.",
        ),
    ] = False,
    by: Annotated[
        str,
        typer.Option(
            help="With --decide, the name to keep with them; by default that of your account."
        ),
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="--format json.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="--format csv.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="--format markdown.")] = False,
    fail_on: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="End with status 4 if a citation is one of these: " + ", ".join(FINDINGS),
        ),
    ] = "",
    since: Annotated[
        str,
        typer.Option(
            metavar="REVISION",
            help="Check only the citations in lines that have changed since this revision of the "
            "manuscript's git repository.",
        ),
    ] = "",
) -> None:
    """Check a manuscript: find the evidence for each of its citations in the cited article.

    Each citation has one status: found (the article has a passage about the same matter, which
    need not agree), differs (it has one, but numbers, directions, negations, comparisons, groups
    or quoted words are not the same), weak, none (no evidence), not indexed, or unresolved with
    the reason. Citations without a reference and references without a citation are listed, and
    references that are not what they say: whose title, first author or year is not that of the
    article which the identifier names, that are listed twice, retracted or corrected. The
    manuscript need not be indexed, and nothing of it is stored.

    With --fetch, the cited articles that are free are fetched and loaded first, so they are stored.
    With --articles, no server is needed: the articles of a folder are looked up and searched, and
    those that are fetched are added to it.

    What you decide about citations with --decide, or on the page of `citespan serve`, is kept in a
    file beside the manuscript; the next check shows it, what has changed since, and what is left.

    With --format github, sarif or junit, each finding has the line of its citation, where the
    manuscript's format has lines.

    Example: citespan check manuscript.tex --html report.html --missing missing.csv
    """
    form = _choose_format(format_, {"json": json, "csv": csv, "markdown": markdown})
    fails = read_kinds(fail_on)
    if len(manuscripts) > 1 and (html or missing or decisions):
        raise InputError(
            "--html, --missing and --decisions are for one manuscript; check each by itself"
        )
    person = name_person(by) if decide else ""
    kept = {
        manuscript: DecisionFiles(manuscript, decisions or (), person, bool(since))
        for manuscript in manuscripts
    }
    for target in filter(None, (html, missing, *(files.target for files in kept.values()))):
        _require_writable(target)
    fetching = read_settings(email) if fetch else None
    judge = partial(
        _judge, ranker=ranker, top=top, rivals=rivals, retractions=retractions, known=known
    )
    needs_lines = bool(since) or form in WITH_LINES
    checks = _Checks(
        reader, since, needs_lines, fails, articles, judge, fetching, folder, missing is not None
    )
    outcomes = [
        replace(outcome, checked=kept[outcome.file].add_to(outcome.checked))
        for outcome in checks.run(manuscripts)
    ]
    for outcome in outcomes:
        if html is not None:
            with open_private(html) as file:
                file.write(make_html(outcome.checked))
        if missing is not None:
            write_missing(outcome.checked, missing)
    FORMATS[form].write(outcomes)
    for written in filter(None, (html, missing)) if form == DEFAULT_FORMAT else ():
        typer.echo(f"written: {written}")
    _warn(outcomes, checks)
    if failing := sum(outcome.failing for outcome in outcomes):
        warn(f"--fail-on {fail_on}: {format_count(failing, 'citation')}")
        raise typer.Exit(STATUS)
    has_problems = checks.has_quarantined or any(outcome.has_problems for outcome in outcomes)
    has_problems |= any(files.mistakes for files in kept.values())
    raise typer.Exit(1 if has_problems or len(outcomes) < len(manuscripts) else 0)


@dataclass(slots=True)
class _Checks:
    """How manuscripts are checked.

    Attributes:
        reader: the name of their format.
        since: a revision; only what has changed since then is checked. "" for all.
        needs_lines: whether the lines of citations are wanted.
        fails: kinds of what fails the check.
        articles: a folder of articles in place of a server; None for the server.
        judge: checks what was read, given a client.
        fetching: how to fetch what is not indexed; None for not at all.
        folder: where to, without a folder of articles.
        has_list: whether a list of the missing articles is written to a file.
        client: what answers, once a manuscript was read.
        has_quarantined: whether any file of the folder of articles is quarantined.
    """

    reader: str
    since: str
    needs_lines: bool
    fails: frozenset[str]
    articles: Path | None
    judge: Callable[..., CheckedManuscript]
    fetching: FetchSettings | None
    folder: Path
    has_list: bool
    client: Elasticsearch | None = None
    has_quarantined: bool = False

    def run(self, manuscripts: Sequence[str]) -> list[Outcome]:
        """Check manuscripts; of several, those that can't be read are left out with a warning.

        Raises:
            InputError: if the only one can't be read.
        """
        outcomes = []
        for manuscript in manuscripts:
            try:
                outcomes.append(self._run(manuscript))
            except InputError as error:
                if len(manuscripts) == 1:
                    raise
                warn(f"citespan: {error}")
        return outcomes

    def _run(self, manuscript: str) -> Outcome:
        found = _read(manuscript, self.reader)
        lines = read_lines(manuscript, found.article.text) if self.needs_lines else None
        if self.since:
            found = _keep_changed(found, manuscript, self.since, lines)
        if self.client is None:
            may_be_empty = self.fetching is not None
            self.client, self.has_quarantined = open_articles(
                self.articles, may_be_empty=may_be_empty
            )
        checked = self.judge(found, client=self.client)
        fetched = None
        if self.fetching is not None and checked.missing:
            missed = [reference for reference, _ in checked.missing.values()]
            fetched, loaded = fetch_references(
                missed,
                found.article.source,
                self.articles or self.folder,
                self.fetching,
                load_fetched if self.articles is None else read_fetched,
            )
            checked = self.judge(found, client=self.client) if loaded else checked
        return Outcome(checked, manuscript, lines, self.fails, fetched, self.has_list)


def _choose_format(named: str, flags: Mapping[str, bool]) -> str:
    wanted = [name for name, given in flags.items() if given]
    require_one(*(["--format"] if named else []), *(f"--{name}" for name in wanted))
    name = named or next(iter(wanted), DEFAULT_FORMAT)
    if name not in FORMATS:
        raise InputError(
            f"{UnknownNameError('format', name, [*FORMATS])}; that of the manuscript is --reader"
        )
    return name


def _read(manuscript: str, reader: str) -> ArticleCitations:
    from citespan.pipelines.limited_call import call_within

    found = call_within(Limits(), source_of(Path(manuscript)), read_citations, manuscript, reader)
    for problem in found.problems:
        warn(problem)
    return found


def _keep_changed(
    found: ArticleCitations, manuscript: str, since: str, lines: SourceLines | None
) -> ArticleCitations:
    from citespan.cli.changes import keep_changed

    kept = keep_changed(found, Path(manuscript), since, lines)
    warn(
        f"{found.article.source}: {len(kept.citations):,} of "
        f"{format_count(len(found.citations), 'citation')} changed since {since}"
    )
    return kept


def _judge(found: ArticleCitations, **settings: Any) -> CheckedManuscript:
    from citespan.citing import check as check_manuscript

    with progress("Checking", len(found.citations)) as advance:
        return check_manuscript(found, on_checked=advance, **settings)


def _require_writable(target: Path) -> None:
    """Raise an InputError if a file can't be written to, before any work is done."""
    is_there = target.exists()
    with writing(target):
        target.open("a").close()
        if not is_there:
            target.unlink()


def _warn(outcomes: Sequence[Outcome], checks: _Checks) -> None:
    for outcome in outcomes:
        found = outcome.checked.found
        if not found.citations and not checks.since:
            warn(f"{found.article.source}: no citation found in the text")
        if outcome.fetched is not None and outcome.fetched.away:
            raise OutsideError(outcome.fetched.away)
    checked = [outcome.checked for outcome in outcomes]
    if any(manuscript.missing for manuscript in checked) and not any(
        citation.article for each in checked for citation in each.citations
    ):
        from citespan.library import count_articles

        if not count_articles(client=checks.client):
            warn("no articles are indexed; see `citespan index --help`")

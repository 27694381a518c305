"""`citespan fetch`: the articles that a list names, as far as they are free."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from citespan.cli.options import Csv, Json
from citespan.cli.output import out, print_csv, print_json, progress, warn
from citespan.cli.readings import warn_by_reason, warn_rejected
from citespan.cli.tables import print_counts
from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError, OutsideError
from citespan.pipelines.fetching import europe_pmc, ncbi
from citespan.pipelines.fetching.fetching import (
    Fetched,
    Fetcher,
    FetchReport,
    FetchSettings,
    list_paths,
)
from citespan.pipelines.fetching.folder import FetchFolder
from citespan.pipelines.fetching.wanted import Wanted, list_references, read_wanted
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.limits import Limits
from citespan.pipelines.shown import flatten
from citespan.pipelines.store.layout import shared_layout

FOLDER = Path("fetched")
API_KEY = "NCBI_API_KEY"
EUROPE_PMC = "CITESPAN_EUROPE_PMC_URL"
EUTILS = "CITESPAN_EUTILS_URL"
CONVERTER = "CITESPAN_CONVERTER_URL"
_COLUMNS = (
    *("wanted", "outcome", "reason", "title", "pmid", "pmcid", "doi"),
    *("licence", "notices", "files"),
)
_SHOWN = 20
_TOLD = ("full text", "not open", "unknown")
Email = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        envvar="CITESPAN_EMAIL",
        help="Your e-mail address, which the services ask for in each request.",
    ),
]


def fetch(
    wanted: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="What `check --missing` has written, a file with a PMID, PMC id or DOI on each "
            "line, a library, or a manuscript, whose references are fetched; - reads identifiers "
            "from stdin.",
        ),
    ] = None,
    query: Annotated[
        str, typer.Option(help="Fetch what this query finds, in the syntax of Europe PMC.")
    ] = "",
    limit: Annotated[
        int, typer.Option(min=1, help="With --query, the number of articles at most.")
    ] = 100,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to, and where to resume from.")
    ] = FOLDER,
    index: Annotated[
        bool, typer.Option("--index", help="Load what is in the folder into the index as well.")
    ] = False,
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Ask again for articles whose full text was not open or not known."
        ),
    ] = False,
    email: Email = "",
    europe_pmc_url: Annotated[
        str, typer.Option(metavar="URL", envvar=EUROPE_PMC, help="Europe PMC.")
    ] = europe_pmc.ADDRESS,
    eutils_url: Annotated[
        str, typer.Option(metavar="URL", envvar=EUTILS, help="The E-utilities.")
    ] = ncbi.UTILITIES,
    converter_url: Annotated[
        str, typer.Option(metavar="URL", envvar=CONVERTER, help="NCBI's ID converter.")
    ] = ncbi.CONVERTER,
    seconds: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long one answer of a service may take.")
    ] = 60.0,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Fetch articles that are free: full texts by Europe PMC, and records by PubMed.

    Full texts are those of PubMed Central's open-access subset, as JATS XML; of other articles the
    abstract is fetched. Each article ends as full text, abstract, not open, unknown to all
    services, failed, or unusable. If the command is interrupted or something failed, repeat it:
    what is in the folder is not fetched again.

    The services' limits are kept: 3 requests a second for NCBI, 10 with an API key in NCBI_API_KEY,
    and 5 for Europe PMC.

    Example: citespan fetch missing.csv --folder articles --index --email you@university.example
    """
    if (wanted is None) == (not query.strip()):
        raise InputError("name a FILE with what is to be fetched, or a --query")
    api_key = os.environ.get(API_KEY, "").strip()
    settings = FetchSettings(email, api_key, europe_pmc_url, eutils_url, converter_url, seconds)
    listed = None if wanted is None else read_list(wanted)
    with FetchFolder(folder) as place:
        fetcher = Fetcher(settings, place, warn)
        found = fetcher.search(query, limit) if listed is None else listed
        report = run(fetcher, found, again)
    loaded = load_fetched(folder, report) if index else None
    if csv:
        print_csv((flatten(result.to_json()) for result in report.results), _COLUMNS)
    else:
        _print(report, folder, loaded, json)
    if report.away:
        raise OutsideError(report.away)
    raise typer.Exit(1 if report.has_problems or (loaded is not None and loaded.quarantined) else 0)


def read_settings(email: str) -> FetchSettings:
    """Return the settings of the environment, with an e-mail address.

    Raises:
        InputError: if one of them can't be used.
    """
    read = os.environ.get
    return FetchSettings(
        email,
        read(API_KEY, "").strip(),
        read(EUROPE_PMC) or europe_pmc.ADDRESS,
        read(EUTILS) or ncbi.UTILITIES,
        read(CONVERTER) or ncbi.CONVERTER,
    )


def read_list(wanted: str) -> list[Wanted]:
    """Return what a file wants; it is read within limits of time and memory."""
    from citespan.pipelines.limited_call import call_within

    return call_within(Limits(), source_of(Path(wanted)), read_wanted, wanted)


def run(fetcher: Fetcher, wanted: list[Wanted], again: bool = False) -> FetchReport:
    """Fetch what is wanted, with a progress bar, and warn of what failed or is unusable."""
    with progress("Fetching", len(wanted)) as advance:
        report = fetcher.fetch(wanted, advance, again)
    for outcome in ("failed", "unusable"):
        told = (each for each in report.results if each.outcome == outcome)
        warn_by_reason(outcome, ((result.wanted.place, result.reason) for result in told))
    return report


def fetch_references(
    references: Iterable[Reference],
    source: str,
    folder: Path,
    settings: FetchSettings,
    load: Callable[[Path, FetchReport], LoadReport | None],
) -> tuple[FetchReport, bool]:
    """Fetch what references name, load it, and say so on stderr; return what has become of each,
    and whether anything was loaded that was not there.

    Args:
        source: what the references are of.
        load: loads what the results have in the folder.
    """
    wanted = list(list_references(references, source))
    with FetchFolder(folder) as place:
        report = run(Fetcher(settings, place, warn), wanted)
    counted = ", ".join(f"{number:,} {outcome}" for outcome, number in report.totals.items())
    warn(f"fetched into {folder}: {counted}, of {format_count(len(wanted), 'missing article')}")
    loaded = load(folder, report)
    warn_rejected(loaded.quarantined if loaded is not None else ())
    return report, loaded is not None and loaded.articles > 0


def load_fetched(folder: Path, report: FetchReport) -> LoadReport | None:
    """Load what the results have in the folder; None if they have nothing there."""
    from citespan.library import index

    paths = [folder / name for name in list_paths(report.results)]
    if not paths:
        return None
    return index(*paths, layout=shared_layout().name)


def _print(report: FetchReport, folder: Path, loaded: LoadReport | None, json: bool) -> None:
    if json:
        index = loaded.to_json() if loaded is not None else None
        print_json(report.to_json() | {"folder": str(folder), "index": index})
        return
    _print_results(report.results)
    print_totals(report)
    if loaded is not None:
        from citespan.cli.index import print_report

        print_report(loaded, json=False)


def _print_results(results: list[Fetched]) -> None:
    """Print articles that were not fetched, that have other identifiers than references say, or
    that later publications speak of."""
    told = [
        result
        for result in results
        if result.notices or (result.reason and result.outcome in _TOLD)
    ]
    for result in told[:_SHOWN]:
        said = result.publication
        name = " ".join(filter(None, (said.title[:80], *said.identifiers))) or result.wanted.place
        about = "; ".join(filter(None, (result.outcome, result.reason, *result.notices)))
        out.print(Text(f"{about}: {name}"))
    if len(told) > _SHOWN:
        out.print(f"and {len(told) - _SHOWN:,} more; --json lists all")


def print_totals(report: FetchReport) -> None:
    """Print the number of each outcome, and the licences of the full texts."""
    wanted = len(report.results)
    print_counts("wanted", report.totals, {"full text": report.licences}, wanted)
    out.print(f"{format_count(wanted, 'article')} in {report.seconds:.1f} s")

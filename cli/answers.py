"""Zones of Medline abstracts, and answers to questions in them.

Example: citespan answers find "Does aspirin prevent stroke?" --year 2010-
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from citespan.cli.commands import lazy_group
from citespan.cli.options import Csv, Json, setting_help
from citespan.cli.output import out, print_csv, print_json, print_line, progress, warn
from citespan.cli.readings import has_quarantined, list_rejected, warn_rejected
from citespan.deploy.client import connect
from citespan.pipelines.answers.abstract_files import GatheredAbstracts, gather, read_abstracts
from citespan.pipelines.answers.answer import RANKER, Answer, list_directions
from citespan.pipelines.answers.answering import (
    AnswerSettings,
    SearchAbstracts,
    describe_answers,
    find_judge,
    search_indexed,
)
from citespan.pipelines.answers.candidates import (
    count_cut_words,
    search_abstracts,
    select_search_words,
)
from citespan.pipelines.answers.detection.model import AnswerModel
from citespan.pipelines.answers.detection.model import load_model as load_detector
from citespan.pipelines.answers.directions.comparison import Comparison, read_comparison
from citespan.pipelines.answers.directions.model import count_directions, load_model
from citespan.pipelines.answers.indexed_abstracts import get_abstract
from citespan.pipelines.answers.zones import model as zone_model
from citespan.pipelines.answers.zones.configuration import ALAMRI2015
from citespan.pipelines.answers.zones.zoning import ZonedSentence, assign_zones
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.citance_lines import read_citance_lines
from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.corpus.section_categories import Zone
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.shown import Found
from citespan.pipelines.written_results import ANSWER_COLUMNS
from citespan.pipelines.years import Years, read_years

app = lazy_group(
    __doc__,
    {
        "find": "citespan.cli.answers:find",
        "zone": "citespan.cli.answers:zone",
        "train": "citespan.cli.training:answers",
        "evaluate": "citespan.cli.answers_evaluation:app",
    },
)

AbstractFormat = Annotated[
    str,
    typer.Option(
        "--format", help="auto, medline, pubmed, pubmedqa or text (each file is one abstract)."
    ),
]
ZoneModelFolder = Annotated[
    Path | None,
    typer.Option(
        "--model",
        help="Folder of a zone model, made by `citespan answers train zones`.",
        show_default="the shipped model",
    ),
]
Compare = Callable[[str], Comparison | None]
Answered = tuple[Found[Answer], Comparison | None]
_BATCH_COLUMNS = ("id", "question", *ANSWER_COLUMNS)
_OPEN, _CLOSE = "⟦", "⟧"
_ZONE_COLUMNS = ("pmid", "doi", "start", "end", "text", "zone", "probability", "by")
_COLOURS: dict[Zone, str] = {
    "Introduction": "blue",
    "Methods": "magenta",
    "Results": "green",
    "Conclusions": "yellow",
}


def open_detector(name: str) -> AnswerModel:
    """Return the detector of Alamri and Stevenson 2015 by its name, or the one in a folder.

    Raises:
        InputError: if it can't be read.
    """
    return load_detector(None if name == ALAMRI2015.name else Path(name))


def read_abstract_files(paths: Iterable[Path], format_: str = "auto") -> GatheredAbstracts:
    """Read all abstracts below the paths, with a warning for each record that is not one."""
    gathered = gather(paths, format_)
    warn_rejected(gathered.rejected)
    return gathered


def find(
    question: Annotated[
        str | None, typer.Argument(help="A research question; - reads it from stdin.")
    ] = None,
    file: Annotated[
        Path | None, typer.Argument(help="A file or folder of abstracts, by default the index.")
    ] = None,
    index: Annotated[
        bool, typer.Option("--index", help="Search the indexed abstracts, the default.")
    ] = False,
    top: Annotated[int, typer.Option(min=1, max=1000, help="Number of sentences to show.")] = 10,
    per_abstract: Annotated[
        int, typer.Option(min=1, help="Largest number of sentences from one abstract, its best.")
    ] = 1,
    year: Annotated[
        str | None, typer.Option(help="Of publication: 2010, 2010-, -2015 or 2010-2015.")
    ] = None,
    format_: AbstractFormat = "auto",
    model: ZoneModelFolder = None,
    ranker: Annotated[str, typer.Option(help=setting_help("ranker"))] = RANKER,
    collection: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Search this collection of abstracts (see `citespan index --collection`), and "
            "nothing else; give it again for several.",
        ),
    ] = None,
    detector: Annotated[
        str | None,
        typer.Option(
            help="In place of a ranker, and for abstracts only: alamri2015, the detector of Alamri "
            "and Stevenson (2015), or the folder of one made by `citespan answers train answers`."
        ),
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(
            help="What trials measured, to show whether each found it increased, decreased or no "
            "difference.",
            show_default="from the question",
        ),
    ] = None,
    intervention: Annotated[
        str | None,
        typer.Option(help="What was tried for the outcome.", show_default="from the question"),
    ] = None,
    comparator: Annotated[
        str | None,
        typer.Option(
            help="What the intervention was compared with.", show_default="from the question"
        ),
    ] = None,
    from_file: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="Answer all questions of a file: TSV, CSV or JSON Lines with question, and "
            "possibly id; - reads stdin. Prints JSON Lines, or CSV with --csv.",
        ),
    ] = None,
    all_: Annotated[
        bool,
        typer.Option(
            "--all", help="Show also what has an answer with a probability below one half."
        ),
    ] = False,
    csv: Csv = False,
    json: Json = False,
) -> None:
    """Find the sentences that answer a question, best first over all abstracts and articles.

    A ranker orders abstracts and articles by BM25 and the log-odds that they have an answer; with
    --detector, a score is BM25 of the abstract times the probability of the sentence. Sentences of
    labelled sections have the label's zone. With --year, what has no year is left out. In a pipe,
    ⟦ and ⟧ mark the sentence within its context.

    Of each trial the direction is shown, with its probability, if outcome, intervention and
    comparator are given or the question names them, as in "Does INTERVENTION (compared with
    COMPARATOR) reduce OUTCOME?"; without a comparator, it is control or placebo.

    Example: citespan answers find "Does aspirin prevent stroke?" --year 2010-
    """
    parts = (outcome, intervention, comparator)
    for both, are_given in (
        (f"--index and {file}", file is not None and index),
        (f"--collection and {file}", file is not None and bool(collection)),
        ("--detector and a comparison", detector is not None and any(parts)),
        ("--from and a question", from_file is not None and question is not None),
    ):
        if are_given:
            raise InputError(f"{both}: choose one")
    text = _read_question(question, from_file)
    compare: Compare = (lambda _: None) if detector else lambda line: read_comparison(line, *parts)
    comparison = compare(text)
    years = read_years(year) if year else Years()
    zoner = zone_model.load_model(model)
    chosen = open_detector(detector) if detector is not None else find_judge(ranker)
    _warn_cut(text)
    settings = AnswerSettings(chosen, zoner, years, top, per_abstract, comparison)
    client = connect() if file is None else None
    search: SearchAbstracts
    if client is not None:
        only_abstracts = isinstance(chosen, AnswerModel)
        search = search_indexed(
            client, zoner.version, collections=collection or (), only_abstracts=only_abstracts
        )
        incomplete = False
    else:
        assert file is not None
        gathered = read_abstract_files([file], format_)
        incomplete = has_quarantined(gathered.rejected)
        search = partial(search_abstracts, gathered.abstracts)
    articles_of = None if collection else client
    if from_file is not None:

        def answer(asked: str) -> Answered:
            select_search_words(asked)
            own = replace(settings, comparison=compare(asked))
            return own.answer(asked, search, articles_of)[0], own.comparison

        _answer_all(from_file, answer, csv)
        return
    found, candidates = settings.answer(text, search, articles_of)
    if json:
        print_json(describe_answers(text, found, comparison))
    elif csv:
        print_csv(found.to_rows(), ANSWER_COLUMNS)
    else:
        _show(found, all_)
        if comparison is not None:
            _show_directions(found, comparison)
    if not found:
        warn(_explain_nothing(candidates, year, bool(year and search(text, Years(), 1))))
    raise typer.Exit(1 if incomplete else 0)


def _read_question(question: str | None, from_file: Path | None) -> str:
    """Return the question that is asked; "" if a file has the questions."""
    if from_file is not None:
        return ""
    if question is None:
        raise InputError("give a research question, or a file of them by --from")
    text = " ".join((sys.stdin.read() if question == "-" else question).split())
    select_search_words(text)
    return text


def _answer_all(path: Path, answer: Callable[[str], Answered], csv: bool) -> None:
    """Answer the questions of a file, and print a JSON object for each, or rows of CSV.

    Raises:
        typer.Exit: with status 1 if any line could not be answered.
    """
    answered = refused = 0
    if csv:
        print_csv((), _BATCH_COLUMNS)
    with progress("answering", None) as advance:
        for line in read_citance_lines(path, "question"):
            try:
                if isinstance(line, Rejected):
                    raise InputError(f"{line.source}: {line.reason}")
                found, comparison = answer(line.citance)
            except InputError as error:
                place = "" if isinstance(line, Rejected) else f"{source_of(path)}:{line.number}: "
                warn(f"{place}{error}")
                refused += 1
                continue
            answered += 1
            about = {"id": line.id, "question": line.citance}
            if csv:
                rows = found.to_rows() or [{}]
                print_csv((about | row for row in rows), _BATCH_COLUMNS, head=False)
            else:
                described = describe_answers(line.citance, found, comparison)
                print_line({"id": line.id, "line": line.number, **described})
            advance(1)
    warn(f"{format_count(answered + refused, 'line')}: {answered:,} answered, {refused:,} not")
    if refused:
        raise typer.Exit(1)


def _warn_cut(question: str) -> None:
    cut = count_cut_words(question)
    if cut:
        warn(
            f"the question is too long for a search: its last {format_count(cut, 'word')}, not "
            "counting stop words, are not searched for"
        )


def _explain_nothing(candidates: int, year: str | None, in_other_years: bool) -> str:
    """Say why there is no answer."""
    if candidates:
        have = "has words" if candidates == 1 else "have words"
        return (
            f"no answer: {format_count(candidates, 'abstract')} {have} of the question, but no "
            "sentence of Results or Conclusions"
        )
    if in_other_years:
        return f"no answer: --year {year} excludes every abstract with a word of the question"
    return "no answer: no abstract has any word of the question"


def _show_directions(found: Sequence[Answer], comparison: Comparison) -> None:
    derived = ", derived from the question" if comparison.derived else ""
    out.print()
    out.print(f"{count_directions(list_directions(found))}", style="bold", markup=False)
    out.print(f"of {comparison}{derived}", markup=False)
    out.print(load_model().explanation, style="dim", markup=False)


def _show(found: Sequence[Answer], every: bool) -> None:
    shown = [answer for answer in found if every or answer.is_likely]
    for answer in shown:
        name = answer.id if answer.full_text else f"PMID {answer.id}"
        chance = "" if answer.support is None else f"probability {answer.support:.2f}  "
        about = f"  {answer.year or 'no year'}  score {answer.score:.2f}  {chance}"
        sure = f" ({answer.zone_probability:.2f})" if answer.zone_from == "model" else ""
        out.print()
        head = Text.assemble(
            (f"{answer.rank}. ", "bold"), name, about, (answer.zone + sure, _colour(answer))
        )
        if answer.direction is not None:
            head.append(f"  {answer.direction.said} ({answer.direction.probability:.2f})", "bold")
        out.print(head)
        if answer.title:
            out.print(Padding(Text(answer.title, "bold"), (0, 0, 0, 3)))
        out.print(Padding(_mark(answer), (0, 0, 0, 3)))
    if folded := len(found) - len(shown):
        out.print()
        out.print(
            f"{format_count(folded, 'answer')} with a probability below one half: --all shows all",
            style="dim",
        )


def _colour(answer: Answer) -> str:
    return "default" if answer.full_text else _COLOURS[cast(Zone, answer.zone)]


def _mark(answer: Answer) -> Text:
    """Return the answer between its neighbours: coloured in a terminal, in brackets in a pipe."""
    text = answer.text if sys.stdout.isatty() else f"{_OPEN}{answer.text}{_CLOSE}"
    before, after = Text(answer.before, "dim"), Text(answer.after, "dim")
    parts = [before, Text(text, f"bold {_colour(answer)}"), after]
    return Text(" ").join(part for part in parts if part.plain)


def zone(
    source: Annotated[
        str, typer.Argument(help="An indexed PMID, a file, or - for stdin.", metavar="WHAT")
    ],
    format_: AbstractFormat = "auto",
    model: ZoneModelFolder = None,
    labels: Annotated[
        bool,
        typer.Option(help="Sentences of labelled sections get the label's zone, probability 1."),
    ] = True,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Show the zone of each sentence: Introduction, Methods, Results or Conclusions.

    In plain text, the first line is the title if a blank line follows it and it does not end with
    a full stop.

    Example: citespan answers zone abstracts.xml.gz --json
    """
    rejected: list[Rejected] = []
    loaded = zone_model.load_model(model)
    zoned = assign_zones(_read_abstracts(source, format_, rejected), loaded, labels)
    rows: list[dict[str, Any]] = []
    for count, (abstract, sentences) in enumerate(zoned):
        if json or csv:
            about = {"pmid": abstract.id} | ({"doi": abstract.doi} if csv else {})
            rows += (about | asdict(sentence) for sentence in sentences)
        else:
            out.print(*[""] * min(count, 1), _make_table(abstract, sentences), sep="\n")
    if json:
        print_json({"sentences": rows, **list_rejected(rejected)})
    elif csv:
        print_csv(rows, _ZONE_COLUMNS)
    warn_rejected(rejected)
    raise typer.Exit(1 if has_quarantined(rejected) else 0)


def _read_abstracts(source: str, format_: str, rejected: list[Rejected]) -> Iterator[Abstract]:
    """Yield the abstracts of a file, or that of a PMID; append other records to `rejected`."""
    if source.isascii() and source.isdigit() and not Path(source).exists():
        yield get_abstract(connect(), source)
        return
    for reading in read_abstracts(Path(source), format_):
        if isinstance(reading, Rejected):
            rejected.append(reading)
        elif isinstance(reading, Abstract):
            yield reading


def _make_table(abstract: Abstract, sentences: list[ZonedSentence]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    table.title = Text(f"{abstract.id}  {abstract.title}".rstrip(), style="bold")
    table.title_justify = "left"
    for sentence in sentences:
        style = _COLOURS[sentence.zone]
        source = "label" if sentence.by == "label" else f"{sentence.probability:.2f}"
        table.add_row(Text(sentence.zone, style), Text(source, "dim"), Text(sentence.text, style))
    return table

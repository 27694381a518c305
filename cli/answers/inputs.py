"""Options that several commands of `citespan answers` share, and the files these name."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from citespan.cli.output import warn
from citespan.pipelines.answers.abstract_files import GatheredAbstracts, gather
from citespan.pipelines.answers.detection.model import AnswerModel, load_model
from citespan.pipelines.answers.zones.configuration import ALAMRI2015
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.mancon import read_mancon
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.answer_examples import PaperCorpora, from_mancon

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
TitleQuestionFile = Annotated[
    Path, typer.Argument(help="Structured abstracts, some of which have a question as title.")
]
Mancon = Annotated[
    Path | None,
    typer.Option(
        help="ManConCorpus' XML, for the corpora of Alamri and Stevenson 2015; needs --medline as "
        "well."
    ),
]
Medline = Annotated[
    Path | None,
    typer.Option(help="The abstracts of ManConCorpus' PMIDs: Medline XML or PubMed's text export."),
]
Folds = Annotated[int, typer.Option(min=2, help="Number of folds.")]
About = Annotated[
    str, typer.Option(help="A description of the data with its licence, for the model's card.")
]


def open_detector(name: str) -> AnswerModel:
    """Return the detector of Alamri and Stevenson 2015 by its name, or the one in a folder.

    Raises:
        InputError: if it can't be read.
    """
    return load_model(None if name == ALAMRI2015.name else Path(name))


class PaperData(NamedTuple):
    """ManConCorpus with its abstracts.

    Attributes:
        corpora: the corpora of Alamri and Stevenson 2015.
        abstracts: all abstracts of the Medline file.
        incomplete: whether a claim or a record could not be read.
    """

    corpora: PaperCorpora
    abstracts: list[Abstract]
    incomplete: bool


def read_abstract_files(paths: Iterable[Path], format_: str = "auto") -> GatheredAbstracts:
    """Read all abstracts below the paths, with a warning for each record that is not one."""
    gathered = gather(paths, format_)
    warn_rejected(gathered.rejected)
    return gathered


def read_paper_data(mancon: Path | None, medline: Path | None) -> PaperData | None:
    """Read the corpora of Alamri and Stevenson 2015; None, with a warning, if a file is missing.

    Raises:
        InputError: if a file can't be read, or no abstract belongs to a claim.
    """
    if medline is None:
        pmids = f"the {len(read_mancon(mancon).pmids)} PMIDs of {mancon}" if mancon else "its PMIDs"
        warn(
            "the paper's own corpora are left out: ManConCorpus has no abstracts; give a Medline "
            f"file of {pmids}, which PubMed exports, by --medline"
            + ("" if mancon else " and the corpus' XML by --mancon")
        )
        return None
    if mancon is None:
        raise InputError("--medline: give ManConCorpus' XML by --mancon as well")
    corpus, gathered = read_mancon(mancon), read_abstract_files([medline])
    corpora = from_mancon(corpus, gathered.abstracts)
    warn_rejected(corpus.rejected)
    warn(
        f"{format_count(corpus.records, 'claim')}: {len(corpora.structured)} in structured "
        f"abstracts (corpus-2), {len(corpora.unstructured)} in unstructured ones (corpus-3), "
        f"{len(corpora.absent)} without an abstract, {len(corpora.unaligned)} like no sentence of "
        f"theirs, {len(corpus.rejected)} unreadable"
    )
    if not corpora.structured and not corpora.unstructured:
        raise InputError(f"{medline}: no abstract with a claim of {mancon}; get those of its PMIDs")
    incomplete = bool(corpus.rejected) or has_quarantined(gathered.rejected)
    return PaperData(corpora, gathered.abstracts, incomplete)


def has_quarantined(rejected: Iterable[Rejected]) -> bool:
    """Return whether any record could not be read."""
    return any(reading.outcome == "quarantined" for reading in rejected)


def warn_rejected(rejected: Iterable[Rejected]) -> None:
    """Print a line for each record that is not an abstract."""
    for reading in rejected:
        warn(f"{reading.outcome}: {reading.source}: {reading.reason}")

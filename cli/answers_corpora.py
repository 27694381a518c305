"""What the commands that train and measure detectors of answers read."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citespan.cli.output import complain
from citespan.pipelines.errors import InputError

if TYPE_CHECKING:
    from citespan.pipelines.answers.abstract_files import Gathered
    from citespan.pipelines.answers.answered_abstracts import PaperCorpora
    from citespan.pipelines.corpus.abstract import Abstract

Mancon = Annotated[
    Path | None,
    typer.Option(help="ManConCorpus' XML, for the paper's own corpora; needs --medline as well."),
]
Medline = Annotated[
    Path | None,
    typer.Option(help="Medline XML or PubMed's export of ManConCorpus' PMIDs."),
]


def paper_corpora(
    mancon: Path | None, medline: Path | None
) -> "tuple[PaperCorpora, list[Abstract], bool] | None":
    """The paper's corpora, all abstracts of the Medline file, and whether something could not be
    read; None, said in one line, where a file of the two is not given."""
    from citespan.pipelines.answers.abstract_files import gather
    from citespan.pipelines.answers.answered_abstracts import from_mancon
    from citespan.pipelines.corpus.mancon import read_mancon

    if medline is None:
        told = f"the {len(read_mancon(mancon).pmids)} PMIDs of {mancon}" if mancon else "its PMIDs"
        complain(
            "the paper's own corpora are left out: ManConCorpus has no abstracts; give a Medline "
            f"file of {told} by --medline" + ("" if mancon else " and the corpus by --mancon")
        )
        return None
    if mancon is None:
        raise InputError("--medline: give ManConCorpus' XML by --mancon as well")
    corpus, gathered = read_mancon(mancon), gather([medline])
    corpora = from_mancon(corpus, gathered.abstracts)
    told_of(gathered)
    for reading in corpus.rejected:
        complain(f"{reading.outcome}: {reading.source}: {reading.reason}")
    used = len(corpora.structured) + len(corpora.unstructured)
    complain(
        f"{corpus.records} claims: {len(corpora.structured)} in structured abstracts (corpus-2), "
        f"{len(corpora.unstructured)} in unstructured ones (corpus-3), {len(corpora.absent)} "
        f"without an abstract, {len(corpora.unaligned)} like no sentence of theirs, "
        f"{len(corpus.rejected)} unreadable"
    )
    if not used:
        raise InputError(f"{medline}: no abstract with a claim of {mancon}; get those of its PMIDs")
    return corpora, gathered.abstracts, bool(corpus.rejected) or quarantined(gathered)


def quarantined(gathered: "Gathered") -> bool:
    """Whether any record could not be read."""
    return any(reading.outcome == "quarantined" for reading in gathered.rejected)


def told_of(gathered: "Gathered") -> None:
    """Each record that is not an abstract, in a line."""
    for reading in gathered.rejected:
        complain(f"{reading.outcome}: {reading.source}: {reading.reason}")

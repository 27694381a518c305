"""`citespan background`, `sentences` and `tagger`: what is counted and learnt of texts."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from citespan.cli.commands import make_group
from citespan.cli.options import Json, format_help
from citespan.cli.output import out, print_json, print_result, progress, warn, writing
from citespan.cli.readings import find_units, has_quarantined, list_rejected, warn_rejected
from citespan.cli.tables import FigureTable
from citespan.deploy.client import connect
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import CitespanError, InputError
from citespan.pipelines.reformulation.background import count
from citespan.pipelines.reformulation.keywords import count_least_documents
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.layout import layout_of
from citespan.pipelines.text import punkt
from citespan.pipelines.text.spacy_pipelines import SHIPPED, load_pipeline
from citespan.pipelines.text.splitter import splitters
from citespan.pipelines.training.gold_parses import find_conllu
from citespan.pipelines.training.splitter import read_gold_sentences, score_boundaries
from citespan.pipelines.training.tagger import (
    load_shipped_configuration,
    read_configuration,
    train_tagger,
)
from citespan.pipelines.training.tagger_figures import evaluate_tagger

Conllu = Annotated[
    list[Path], typer.Argument(help="CoNLL-U files, or folders of them.", metavar="CONLLU...")
]
_ROWS = {
    "tokens": "Tokens, F1",
    "tags": "Tag accuracy",
    "uas": "UAS",
    "las": "LAS",
    "las_with_punctuation": "LAS, punctuation too",
    "sentences": "Sentences, F1",
    "noun_phrases": "Noun phrases, F1",
}


@make_group
def background() -> None:
    """Count background corpora, for the reformulations keywords, domain-terms and prf.

    Example: citespan background build articles/ --out background.json.gz
    """


@background.command("build")
def build_background(
    to: Annotated[Path, typer.Option("--out", help="The file to write.")],
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files or folders, or - for standard input; with --from-index, identifiers of "
            "articles, by default all of them.",
            metavar="PATH...",
        ),
    ] = None,
    from_index: Annotated[
        bool, typer.Option("--from-index", help="Count indexed articles.")
    ] = False,
    format_: Annotated[str, typer.Option("--format", help=format_help())] = "auto",
    corpus: Annotated[
        str | None,
        typer.Option(
            help="Name of the corpus, stored in the file.",
            show_default="the names of the files or articles",
        ),
    ] = None,
    licence: Annotated[
        str, typer.Option(help="Licence of the corpus, stored in the file.")
    ] = "not stated",
    min_documents: Annotated[
        int,
        typer.Option(
            min=1,
            help="Leave out terms that occur in fewer documents, to keep the table of a large "
            "corpus small. Keywords then treats them as occurring in one document, "
            "domain-terms as not occurring.",
        ),
    ] = 1,
    json: Json = False,
) -> None:
    """Count how many documents of a corpus contain each term, and how often it occurs.

    A document is an article, or an abstract if only that is available. The same corpus always
    gives the same file, byte for byte.

    citespan ships two such files: one of 60 articles of CRAFT and 500 abstracts of PubMedQA
    (biomedical; for keywords, prf and domain-terms), and one of the glosses of WordNet 3.0
    (general; for domain-terms).

    Examples: citespan background build articles/ --out background.json.gz; citespan background
    build --from-index --out background.json.gz
    """
    if to.is_dir() or not to.parent.is_dir():
        raise InputError(f"{to}: can't be written; name a file in a folder that exists")
    given = paths or []
    if not given and not from_index:
        raise InputError("nothing to count; give files or folders, or --from-index")
    name = corpus or ", ".join(map(_name_path, given)) or "all indexed articles"
    rejected: list[Rejected] = []
    documents = _read_indexed(given) if from_index else _read_files(given, format_, rejected)
    counted = count(documents, name, licence, min_documents)
    with writing(to):
        to.write_bytes(counted.to_bytes())
    least = count_least_documents(Options().least_idf)
    if counted.documents < least:
        warn(
            f"{to}: too small for keywords, which needs {least} documents or more: "
            "in fewer, no word is rare enough"
        )
    counts = {
        "corpus": counted.corpus,
        "documents": counted.documents,
        "terms": len(counted.counts),
        "occurrences": counted.occurrences,
        "out": str(to),
    }
    written = (
        f"{format_count(counted.documents, 'document')}: "
        f"{format_count(len(counted.counts), 'term')}, "
        f"{format_count(counted.occurrences, 'occurrence')} written to {to}"
    )
    print_result(json, counts | list_rejected(rejected), out.print, written, markup=False)
    raise typer.Exit(1 if has_quarantined(rejected) else 0)


def _name_path(path: str) -> str:
    return "standard input" if path == "-" else Path(path).resolve().name


def _read_files(paths: list[str], format_: str, rejected: list[Rejected]) -> Iterator[str]:
    units = list(find_units(map(Path, paths), format_))
    with progress("Counting", sum(reader.count(unit) for reader, unit in units)) as advance:
        for reader, unit in units:
            for reading in reader.read(unit):
                if isinstance(reading, Rejected):
                    warn_rejected([reading])
                    rejected.append(reading)
                else:
                    yield reading.text
                advance(1)


def _read_indexed(ids: list[str]) -> Iterator[str]:
    client = connect()
    entries = [Catalogue(client).find(article) for article in ids] or [
        version.entry for version in Catalogue(client).scan()
    ]
    with progress("Counting", len(entries)) as advance:
        for entry in entries:
            yield layout_of(entry).reader.read_text(client, entry)
            advance(1)


@make_group
def sentences() -> None:
    """Train and measure sentence splitters.

    Example: citespan sentences evaluate dev/conllu --text dev/txt
    """


@sentences.command("train")
def train_splitter(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="PATH...")],
    to: Annotated[Path, typer.Option("--out", help="The JSON file to write.")],
    format_: Annotated[str, typer.Option("--format", help=format_help())] = "auto",
    json: Json = False,
) -> None:
    """Train Punkt on articles; the same articles give the same file, byte for byte.

    Example: citespan sentences train articles/ --out punkt.json
    """
    texts: list[str] = []
    rejected: list[Rejected] = []
    for reader, unit in find_units(sorted(paths), format_):
        for reading in reader.read(unit):
            if isinstance(reading, Rejected):
                rejected.append(reading)
            else:
                texts.append(reading.text)
    if not texts:
        raise InputError(f"{', '.join(map(str, paths))}: contains no article to train on")
    parameters = punkt.train_punkt(texts)
    with writing(to):
        to.write_text(punkt.parameters_to_json(parameters), encoding="utf-8")
    warn_rejected(rejected)
    counts = {
        "articles": len(texts),
        "characters": sum(map(len, texts)),
        "abbreviations": len(parameters.abbrev_types),
        "collocations": len(parameters.collocations),
        "sentence_starters": len(parameters.sent_starters),
        "out": str(to),
    }
    written = (
        f"{counts['articles']} articles: {counts['abbreviations']} abbreviations, "
        f"{counts['collocations']} collocations, {counts['sentence_starters']} sentence "
        f"starters written to {to}"
    )
    listed = {"rejected": [asdict(reading) for reading in rejected]}
    print_result(json, counts | listed, out.print, written, markup=False)
    raise typer.Exit(1 if rejected else 0)


@sentences.command("evaluate")
def evaluate_splitters(
    conllu: Annotated[Path, typer.Argument(help="A folder of CoNLL-U files with `# text =`.")],
    text: Annotated[Path, typer.Option(help="The folder of their texts, NAME.txt.")],
    json: Json = False,
) -> None:
    """Measure every splitter's boundaries against sentences that people have marked.

    A boundary is where a sentence starts. Since blank lines reveal where paragraphs start, these
    boundaries are counted only in the column "F1, all".

    Example: citespan sentences evaluate dev/conllu --text dev/txt
    """
    gold = list(read_gold_sentences(conllu, text))
    rows: list[dict[str, Any]] = []
    unavailable: list[dict[str, str]] = []
    for splitter in splitters:
        try:
            inside, everywhere = score_boundaries(splitter, gold)
        except CitespanError as error:
            unavailable.append({"splitter": splitter.name, "reason": str(error)})
            continue
        rows.append(
            {"splitter": splitter.name, "inside": inside.to_json(), "all": everywhere.to_json()}
        )
    rows.sort(key=lambda row: -row["inside"]["f1"])
    if json:
        print_json(
            {
                "texts": len(gold),
                "sentences": sum(len(sample.sentences) for sample in gold),
                "unaligned": sum(sample.unaligned for sample in gold),
                "splitters": rows,
                "unavailable": unavailable,
            }
        )
        return
    headings = ("Precision", "Recall", "F1", "Wrong", "Missed", "F1, all")
    table = FigureTable(["Splitter"], headings, decimals=4)
    for row in rows:
        figures = (row["inside"][name] for name in ("precision", "recall", "f1", "wrong", "missed"))
        table.add_row(row["splitter"], *figures, row["all"]["f1"])
    table.print()
    aligned = sum(len(sample.sentences) for sample in gold)
    unaligned = sum(sample.unaligned for sample in gold)
    out.print(f"{len(gold)} texts, {aligned} sentences, {unaligned} more not found in their text")
    for missing in unavailable:
        warn(missing["reason"])


@make_group
def tagger() -> None:
    """Train and measure the tagger and parser behind noun phrases.

    Example: citespan tagger evaluate craft/dev/conllu
    """


@tagger.command("train")
def train_pipeline(
    conllu: Conllu,
    to: Annotated[Path, typer.Option("--out", help="The folder to write the spaCy pipeline to.")],
    held_out: Annotated[
        int,
        typer.Option(
            min=1,
            help="How many files, the last by name, are not trained on but choose the weights.",
        ),
    ] = 6,
    config: Annotated[
        Path | None,
        typer.Option(
            help="A configuration of spaCy's own format.", show_default="the shipped pipeline's"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Train a spaCy pipeline on CoNLL-U; the same files give the same weights.

    Columns 4 (part of speech), 5 (tag), 7 (head) and 8 (label) are learnt, and a `# newpar` line
    begins a paragraph. All of CRAFT takes about half an hour on one core.

    Example: citespan tagger train craft/train/conllu --out my-tagger
    """
    files = find_conllu(conllu)
    if len(files) <= held_out:
        raise InputError(
            f"--held-out {held_out}: only {len(files)} files, so that none are left to train on"
        )
    configuration = load_shipped_configuration() if config is None else read_configuration(config)
    if to.exists():
        raise InputError(f"{to}: is there already; name a new folder")
    nlp = train_tagger(files[:-held_out], files[-held_out:], configuration, to, progress=not json)
    scores = nlp.meta["performance"]
    report = {
        "files": len(files) - held_out,
        "held_out": [file.name for file in files[-held_out:]],
        "held_out_tags": scores["tag_acc"],
        "held_out_las": scores["dep_las"],
        "out": str(to),
    }
    written = (
        f"{report['files']} files: tag accuracy {scores['tag_acc']:.4f} and LAS "
        f"{scores['dep_las']:.4f} on the {held_out} held out; written to {to}"
    )
    print_result(json, report, out.print, written, markup=False)


@tagger.command("evaluate")
def evaluate_pipeline(
    conllu: Conllu,
    pipeline: Annotated[
        str, typer.Option(help="An installed spaCy package, a folder, or the shipped pipeline.")
    ] = SHIPPED,
    json: Json = False,
) -> None:
    """Measure a spaCy pipeline on texts that people have parsed, and its speed.

    Scores are given for raw text, where a token with other boundaries counts as wrong; for gold
    tokens; and for gold tokens in gold sentences, as parsers are usually compared.

    Example: citespan tagger evaluate craft/dev/conllu
    """
    report = evaluate_tagger(load_pipeline(pipeline), find_conllu(conllu))
    if json:
        print_json({"pipeline": pipeline} | asdict(report))
        return
    table = FigureTable([""], ["Raw text", "Gold tokens", "Gold sentences"], decimals=4)
    measured = (report.raw_text, report.gold_tokens, report.gold_sentences)
    for name, title in _ROWS.items():
        table.add_row(title, *(getattr(scores, name) for scores in measured))
    table.print()
    size = "" if report.bytes is None else f"; {report.bytes / 1e6:.1f} MB on disk"
    out.print(f"{report.files} files, {report.paragraphs} paragraphs, {report.words} words")
    out.print(
        f"{report.words_per_second:,.0f} words/s, {report.words_per_cpu_second:,.0f} for each "
        f"second of processor time{size}"
    )

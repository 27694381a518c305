"""The files that the examples in the docs name, small ones, under those names."""

import gzip
import json
import shutil
import tarfile
from pathlib import Path

from made_abstracts import made_pubmedqa
from made_collections import make_claim, write_findings, write_trials, write_windows
from made_mancon import made_medline
from places import ROOT, TEST_DATA
from small_loads import line

from citespan.pipelines.citations.decisions import decide, make_subject
from citespan.pipelines.evaluation.shipped import sample

_PARSED = """\
# newpar
# text = Mice ate.
1\tMice\tmouse\tNOUN\tNNS\t_\t2\tnsubj\t_\t_
2\tate\teat\tVERB\tVBD\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
_MENTIONED = "Loss of p53 leads to fever, and fever to heat."


def write_example_files(folder: Path) -> None:
    """Write all of them into an empty folder."""
    for name in ("pipelines", "experiments", "deploy"):
        (folder / name).symlink_to(ROOT / name)
    _write_articles(folder)
    _write_vocabularies(folder)
    _write_abstracts(folder)
    for name in ("dev", "craft/dev"):
        (folder / name / "conllu").mkdir(parents=True)
        (folder / name / "conllu" / "mice.conllu").write_text(_PARSED, encoding="utf-8")
    (folder / "dev" / "txt").mkdir()
    (folder / "dev" / "txt" / "mice.txt").write_text("Mice ate.\n", encoding="utf-8")


def _write_articles(folder: Path) -> None:
    shutil.copytree(sample("jats"), folder / "articles")
    (folder / "articles.jsonl").write_text(line("made-0", 5), encoding="utf-8")
    (folder / "list.txt").write_text("articles/p53-dna-damage.xml\n", encoding="utf-8")
    (folder / "oa_comm").mkdir()
    for number in range(8):
        with tarfile.open(folder / "oa_comm" / f"{number}.tar.gz", "w:gz") as archive:
            archive.add(TEST_DATA / "readers/jats/PMC0000001.nxml", f"PMC000000{number}.nxml")
    shutil.copytree(sample("tac2014") / "data", folder / "data")
    for name in ("data/train", "data/test"):
        shutil.copytree(TEST_DATA / "readers/scisumm", folder / name)
    (folder / "citances.tsv").write_text(
        "article\tcitance\np53-dna-damage\tp53 stops the cell cycle [12]\n", encoding="utf-8"
    )
    (folder / "questions.tsv").write_text("question\nDoes aspirin prevent stroke?\n")
    shutil.copy(TEST_DATA / "readers/latex/made.tex", folder / "manuscript.tex")
    shutil.copy(TEST_DATA / "bibliographies/made.bib", folder)
    (folder / "known.csv").write_text("pmid,doi\n101,10.1000/made\n", encoding="utf-8")
    (folder / "retraction_watch.csv").write_text(
        "RetractionNature,OriginalPaperDOI,OriginalPaperPubMedID\nRetraction,10.1000/made,0\n",
        encoding="utf-8",
    )
    entry = {"id": "p53", "type": "article-journal", "file": "articles/p53-dna-damage.xml"}
    library = [{**entry, "title": "The p53 pathway in the response to DNA damage"}]
    (folder / "library.json").write_text(json.dumps(library), encoding="utf-8")
    write_trials(folder / "trials")
    write_findings(folder / "directions.tsv")
    write_windows(folder / "windows.jsonl")
    (folder / "claims.jsonl").write_text("".join(map(make_claim, range(6))), encoding="utf-8")
    unanswered = {"article": "T0", "text": "Zinc cures colds."}
    (folder / "none.jsonl").write_text(json.dumps(unanswered) + "\n", encoding="utf-8")
    for name, by in (("mine", "Ada"), ("theirs", "Bo")):
        made = decide(make_subject("Mice ate.", "Ito. Mice. 2001"), "right", by)
        (folder / f"{name}.decisions.jsonl").write_bytes(made.to_line())
    (folder / "meetings").mkdir()
    minutes = "Board, May 2024\nThe chair opened the meeting.\nThe budget was approved.\n"
    (folder / "meetings" / "board-2024.minutes").write_text(minutes, encoding="utf-8")


def _write_vocabularies(folder: Path) -> None:
    shutil.copytree(TEST_DATA / "vocabulary/umls", folder / "2025AB/META")
    shutil.copy(TEST_DATA / "vocabulary/obo/heat.obo", folder / "go.obo")
    shutil.copy(TEST_DATA / "vocabulary/mesh/desc2026.xml", folder)
    (folder / "txt").mkdir()
    (folder / "txt" / "fever.txt").write_text(_MENTIONED, encoding="utf-8")
    start = _MENTIONED.index("fever")
    (folder / "mentions.tsv").write_text(
        f"text\tstart\tend\tcode\nfever\t{start}\t{start + 5}\tHEAT:1\n", encoding="utf-8"
    )


def _write_abstracts(folder: Path) -> None:
    medline = gzip.compress(made_medline(range(30), range(30, 36)))
    for name in ("medline.xml.gz", "abstracts.xml.gz", "pubmed26n0001.xml.gz"):
        (folder / name).write_bytes(medline)
    for name in ("pubmedqa.json", "ori_pqal.json"):
        (folder / name).write_text(json.dumps(made_pubmedqa(40)), encoding="utf-8")

"""ManConCorpus: its questions and claims, and its abstracts brought back."""

from pathlib import Path

import pytest
from made_medline import citation, medline, section
from places import SHARED_DATA

from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.mancon import align_claim, read_mancon, rebuild_corpus
from citespan.pipelines.corpus.readers.medline import MedlineReader
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.documents.abstract_document import split_abstract
from citespan.pipelines.text.splitter import DEFAULT, splitters

REAL = SHARED_DATA / "mancon/mancon.xml"

SLEEP = "Mice that had run slept for two hours more than mice that had not (P < 0.05)."
CORPUS = f"""<CORPUS>
<REVIEW REVIEW_PMID="500" REVIEW_TITLE="Running  and sleep">
<CLAIM ASSERTION="YS" PMID="11" QUESTION="In mice, does running prolong sleep" TYPE="CAUS">
{SLEEP.replace("<", "&lt;")}</CLAIM>
<CLAIM ASSERTION="NO" PMID="12" QUESTION="In mice, does running prolong sleep" TYPE="EVAL">Running
had no effect on the sleep of these mice.</CLAIM>
<CLAIM ASSERTION="NO" PMID="13" QUESTION="In mice, does running prolong sleep" TYPE="CAUS">Not
in the file.</CLAIM>
<CLAIM ASSERTION="PERHAPS" PMID="14" QUESTION="Q" TYPE="CAUS">x</CLAIM>
<CLAIM ASSERTION="YS" PMID="x" QUESTION="Q" TYPE="CAUS">x</CLAIM>
<CLAIM ASSERTION="YS" PMID="15" QUESTION=" " TYPE="CAUS">x</CLAIM>
</REVIEW>
<REVIEW REVIEW_PMID="501" REVIEW_TITLE="Cheese">
<CLAIM ASSERTION="YS" PMID="11" QUESTION="Do mice eat cheese" TYPE="CAUS">They ate
all of it.</CLAIM>
</REVIEW>
</CORPUS>"""


def write(tmp_path: Path, data: str) -> Path:
    file = tmp_path / "mancon.xml"
    file.write_text(data, encoding="utf-8")
    return file


def test_questions_with_their_claims(tmp_path: Path) -> None:
    corpus = read_mancon(write(tmp_path, CORPUS))
    sleep, cheese = corpus.questions
    assert sleep.text == "In mice, does running prolong sleep"
    claims = [(claim.pmid, claim.assertion) for claim in sleep.claims]
    assert claims == [("11", "yes"), ("12", "no"), ("13", "no")]
    assert sleep.claims[0].text == SLEEP
    assert [c.pmid for c in cheese.claims] == ["11"]
    assert corpus.pmids == ("11", "12", "13")
    assert corpus.records == 7
    assert [(r.source.rpartition(": ")[2], r.reason) for r in corpus.rejected] == [
        ("claim 4", "ASSERTION is neither YS nor NO"),
        ("claim 5", "PMID 'x' is not a number"),
        ("claim 6", "no sentence or no question"),
    ]


@pytest.mark.parametrize(
    ("data", "reason"),
    [("", "empty file"), ("<CORPUS/>", "no claim in it"), ("<a/>", "the root element is <a>")],
)
def test_files_that_are_something_else(data: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"mancon.xml: .*{reason}"):
        read_mancon(write(tmp_path, data))


def test_abstracts_are_brought_back(tmp_path: Path) -> None:
    of_running = (
        section("We let 20 mice run.", "METHODS", "METHODS")
        + section(f"They ran. {SLEEP.replace('<', '&lt;')} Rats did not.", "RESULTS", "RESULTS")
    )  # fmt: skip
    file = tmp_path / "m.xml"
    file.write_bytes(medline([citation(11, SLEEP.replace("<", "&lt;"), of_running), citation(12)]))
    abstracts = {a.id: a for a in MedlineReader().abstracts(file) if isinstance(a, Abstract)}
    corpus = read_mancon(write(tmp_path, CORPUS))
    found = rebuild_corpus(corpus, abstracts, lambda a: split_abstract(a, splitters[DEFAULT]))
    (answered,) = found.answered
    sentence = answered.sentences[answered.answer]
    assert answered.abstract.text[sentence.start : sentence.end] == SLEEP
    assert sentence.start > answered.abstract.start, "the title is no answer"
    assert (answered.claim.pmid, len(answered.sentences)) == ("11", 4)
    assert [r.reason for r in found.absent] == ["PMID 13 has no abstract in the Medline file"]
    assert [r.reason for r in found.unaligned] == [
        "no sentence of PMID 12 is like the claim",
        "no sentence of PMID 11 is like the claim",
    ]
    assert len(found.answered) + len(found.absent) + len(found.unaligned) == corpus.records - 3


@pytest.mark.parametrize(
    ("sentences", "answer"),
    [
        (["Rats did not.", SLEEP, SLEEP], 1),
        (["Rats did not.", SLEEP.replace("two", "2").upper()], 1),
        ([f"RESULTS: {SLEEP} Rats did not sleep at all, nor did they want to."], 0),
        ([SLEEP[:45], SLEEP], 1),
        (["Mice slept."], None),
        (["", "."], None),
        ([], None),
    ],
)
def test_a_claim_is_aligned_to_the_sentence_most_like_it(
    sentences: list[str], answer: int | None
) -> None:
    assert align_claim(SLEEP, sentences) == answer


@pytest.mark.skipif(not REAL.is_file(), reason="../shared/data is not here")
def test_the_real_corpus() -> None:
    corpus = read_mancon(REAL)
    assert (len(corpus.questions), corpus.records, len(corpus.pmids)) == (24, 259, 254)
    assert not corpus.rejected
    claims = [claim for question in corpus.questions for claim in question.claims]
    assert sum(claim.assertion == "yes" for claim in claims) == 180
    assert [claims[n].pmid for n in (0, 8, -1)] == ["21596735", "12557864", "17126830"]

"""A checked manuscript made for tests, in which every text tries to be mark-up."""

from citespan.pipelines.citations.checking import CheckedCitation, CheckedManuscript
from citespan.pipelines.citations.entry_faults import EntryFault
from citespan.pipelines.citing.citations import ArticleCitations, find_citations
from citespan.pipelines.corpus.article import Article, Section
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Reference, ReferenceList
from citespan.pipelines.ranking.evidence import Evidence
from citespan.pipelines.retrieval.passage import Passage
from citespan.pipelines.text.splitter import splitters

ATTACK = '<script>alert("x")</script><img src=x onerror=go()>'
PUBLICATION = Publication(
    ("Ito, Kim", "Ry, B."), f"Sugar {ATTACK}", 2001, "J. Yeast", "101", "PMC7", "10.1000/a<b>c"
)
REFERENCES = (
    Reference("B1", ("B1",), "1", f"Ito: Sugar {ATTACK}", PUBLICATION),
    Reference("B2", ("B2",), "2", "Ry", Publication(doi='10.1000/"onmouseover="alert(1)')),
    Reference("B3", ("B3",), "3", "Od", Publication(pmid="12' onclick=", doi="javascript:1")),
    Reference("B4", ("B4",), "4", f"Never {ATTACK}"),
)
FAULTS = {
    "B1": (
        EntryFault("retracted", "work", "retracted", f"retracted by pmid:9 ({ATTACK})"),
        EntryFault("differs", "title", f"Sugar {ATTACK}", f"Bread {ATTACK}", "PMC7"),
    ),
    "B4": (EntryFault("twice", "entry", "both have pmid:1", "2"),),
}
TEXT = (
    f"Yeast {ATTACK} grows on sugar [1], whereas it does not on bread [2]. "
    "Nobody has seen it [3]. It rises [9]. We saw it rise [1]."
)


def make_citations() -> ArticleCitations:
    """Five citations of three references, one of them without a reference, in a section."""
    listed = ReferenceList(REFERENCES, (f"made.bib: {ATTACK} is broken",))
    article = Article(
        "made",
        f"Yeast {ATTACK}",
        TEXT,
        "/home/nobody/made.md",
        (Section(f"Results {ATTACK}", 0, len(TEXT)),),
        reference_list=listed,
    )
    return find_citations(article, splitters["punkt"])


def make_evidence(support: float) -> Evidence:
    """One passage, within others, of which three words match."""
    text = f"Sugar {ATTACK} feeds yeast."
    passage = Passage(
        1, 2.0, 4, 5, 0, len(text), f"Methods {ATTACK}", text, ((0, 5), (2, 5), (7, 13)),
        f"Before {ATTACK}.", f"After {ATTACK}.", {}, probability=0.5, matched=("sugar",)
    )  # fmt: skip
    return Evidence(
        "PMC7", f"Sugar {ATTACK}", (passage,), "lexical", support, 0.3, (f"bread {ATTACK}",)
    )


def make_checked() -> CheckedManuscript:
    """One citation each that is found, weak, not indexed and without a reference, and one of
    which there is no evidence."""
    found = make_citations()
    first, second, third, fourth, fifth = found.citations
    nothing = Evidence("PMC7", "Sugar", (), "lexical", 0.0, 0.3)
    checked = (
        CheckedCitation(first, "found", None, "", "PMC7", PUBLICATION, make_evidence(0.9)),
        CheckedCitation(
            second, "weak", None, "", "PMC7", REFERENCES[1].publication, make_evidence(0.2)
        ),
        CheckedCitation(third, "not indexed", publication=REFERENCES[2].publication),
        CheckedCitation(fourth, "unresolved", "no reference", f'no entry "{ATTACK}"'),
        CheckedCitation(fifth, "none", None, "", "PMC7", PUBLICATION, nothing),
    )
    return CheckedManuscript(found, checked, "lexical", "lexical 1", 0.3, FAULTS)

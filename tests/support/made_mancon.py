"""Files in ManConCorpus' format and Medline records of its PMIDs, made up for tests."""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from made_abstracts import DRUGS, ILLS, made_parts, made_title
from made_medline import citation, medline, section


def made_question(number: int) -> str:
    """The question that the claim of the abstract of that number answers."""
    drug, ill = DRUGS[number % len(DRUGS)], ILLS[number % len(ILLS)]
    return f"In patients with {ill}, does {drug} compared to placebo reduce pain"


def made_mancon(numbers: Sequence[int], further: str = "") -> str:
    """A claim for each abstract, the first sentence of its Results or of its Conclusions;
    `further` is more XML of the review."""
    claims = []
    for number in numbers:
        label, text = made_parts(number)[2 + number % 2]
        assert label in ("RESULTS", "CONCLUSIONS")
        claim = text.split(". ")[0] + "."
        claims.append(
            f'<CLAIM ASSERTION="YS" PMID="{number + 1}" TYPE="CAUS" '
            f"QUESTION={quoteattr(made_question(number))}>{escape(claim)}</CLAIM>"
        )
    return (
        '<CORPUS><REVIEW REVIEW_PMID="900" REVIEW_TITLE="made up">'
        f"{''.join(claims)}{further}</REVIEW></CORPUS>"
    )


def made_medline(structured: Sequence[int], unstructured: Sequence[int]) -> bytes:
    """Medline XML of the abstracts of these numbers, with labels and without."""
    records = []
    for number in (*structured, *unstructured):
        parts = [(label, escape(text)) for label, text in made_parts(number)]
        inside = "".join(section(text, label, label) for label, text in parts)
        if number in unstructured:
            inside = section(" ".join(text for _, text in parts))
        year = f"<Year>{2000 + number % 20}</Year>"
        records.append(citation(number + 1, made_title(number), inside, date=year))
    return medline(records)

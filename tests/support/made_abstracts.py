"""Abstracts made up for tests: the same few studies over and over, with other drugs and figures."""

from typing import Any

from citespan.pipelines.corpus.abstract import Abstract, AbstractPart, lay_out_abstract

DRUGS = ("zelatine", "morvanol", "pirexide", "quandomab", "lissoril", "tervapine", "oxaband")
ILLS = ("gout", "migraine", "anaemia", "eczema", "vertigo")


def made_parts(number: int) -> list[tuple[str, str]]:
    """(label, text) of the sections of the abstract of a number, eight sentences in all."""
    drug, ill = DRUGS[number % len(DRUGS)], ILLS[number % len(ILLS)]
    patients, share = 40 + number, 20 + number % 50
    return [
        (
            "BACKGROUND",
            f"Many patients with {ill} are not helped by the treatments that exist. "
            f"We wanted to know whether {drug} is of use in {ill}.",
        ),
        (
            "METHODS",
            f"A total of {patients} patients with {ill} were randomly given {drug} or placebo. "
            "Pain was measured every week for three months.",
        ),
        (
            "RESULTS",
            f"Pain fell by {share}% with {drug} and by 9% with placebo (p < 0.01). "
            f"Nausea was seen in {number % 7 + 1} patients.",
        ),
        (
            "CONCLUSIONS",
            f"These findings suggest that {drug} helps patients with {ill}. "
            "Larger studies should confirm this.",
        ),
    ]


def made_abstract(number: int, labels: bool = True) -> Abstract:
    """The abstract of that number, structured or not."""
    parts = [AbstractPart(label, text) for label, text in made_parts(number)]
    if not labels:
        parts = [AbstractPart("", " ".join(part.text for part in parts))]
    return abstract_of(parts, pmid=str(number + 1), title=made_title(number))


def made_title(number: int) -> str:
    """The title of the abstract of that number."""
    return f"Does {DRUGS[number % len(DRUGS)]} help patients with {ILLS[number % len(ILLS)]}?"


def abstract_of(parts: list[AbstractPart], pmid: str = "1", title: str = "") -> Abstract:
    """An abstract of these sections; they must be in English and not empty."""
    abstract = lay_out_abstract(Abstract(pmid, title, "", "made"), parts)
    assert isinstance(abstract, Abstract)
    return abstract


def made_pubmedqa(count: int) -> dict[str, Any]:
    """As many of them in PubMedQA's JSON."""
    records = {}
    for number in range(count):
        parts = made_parts(number)
        records[str(number + 1)] = {
            "QUESTION": made_title(number),
            "CONTEXTS": [text for _, text in parts[:-1]],
            "LABELS": [label for label, _ in parts[:-1]],
            "LONG_ANSWER": parts[-1][1],
            "YEAR": "2001",
        }
    return records

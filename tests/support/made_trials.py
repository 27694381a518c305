"""A small collection in the layout of TAC 2014, for what learns from citances."""

from pathlib import Path

DRUGS = [
    "aspirin",
    "ibuprofen",
    "metformin",
    "warfarin",
    "heparin",
    "insulin",
    "digoxin",
    "codeine",
]
OUTCOMES = ["pain", "strokes", "weight", "bleeding", "fever", "nausea"]


def write_trials(folder: Path, topics: int = 6, questions: int = 3) -> Path:
    """Write so many topics, each a trial of one drug with an answer to each question."""
    for number in range(topics):
        drug, name = DRUGS[number], f"T{number}"
        sentences = [
            f"A trial of {drug} in adults",
            f"We gave {drug} or placebo to {30 + number} adults.",
            "They were asked every week.",
            f"Little is known about {drug}.",
        ]
        records = []
        for question in range(questions):
            outcome = OUTCOMES[(number + question) % len(OUTCOMES)]
            answer = f"With {drug}, {outcome} fell by {number}{question}% (p = 0.0{question})."
            sentences += [answer, f"Reports of {outcome} were collected by nurses."]
            start = len("\n\n".join(sentences[:-1])) - len(answer)
            records.append(
                f"Topic ID: {name} | Citance Number: {question} | Reference Article: R.txt | "
                f"Citing Article: C{question}.txt | Citation Text: {outcome}: {drug} compared with "
                f"placebo. | Reference offset: ['{start}-{start + len(answer)}'] | Reference Text: "
                f"{answer} | Discourse Facet: Results_Citation | Annotator: A |"
            )
        sentences += ["The authors thank the nurses.", "More trials are needed."]
        for part in ("Documents_Text", "Annotation"):
            (folder / name / part).mkdir(parents=True)
        text = "\n\n".join(sentences)
        (folder / name / "Documents_Text" / "R.txt").write_text(text, encoding="utf-8")
        annotations = folder / name / "Annotation" / f"{name}.A.ann.txt"
        annotations.write_text("\n\n".join(records) + "\n", encoding="utf-8")
    return folder

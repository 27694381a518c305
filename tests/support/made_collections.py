"""Small collections in the layouts of TAC 2014 and CL-SciSumm, for what learns from citances."""

import json
from pathlib import Path

from citespan.pipelines.answers.directions.model import DIRECTIONS

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


FINDINGS = "article number annotator direction outcome intervention comparator".split()


def write_findings(file: Path, **changes: str) -> Path:
    """Write what an annotator found of each of `write_trials`' prompts."""
    lines = ["\t".join(FINDINGS)]
    for topic in range(6):
        for number in range(3):
            row = {
                "article": f"T{topic}",
                "number": str(number),
                "annotator": "A",
                "direction": DIRECTIONS[number],
                "outcome": OUTCOMES[(topic + number) % len(OUTCOMES)],
                "intervention": DRUGS[topic],
                "comparator": "placebo",
            }
            lines.append("\t".join((row | changes)[name] for name in FINDINGS))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def make_claim(number: int) -> str:
    texts = [f"Vitamin{number} was given. ", f"Vitamin{number} cured scurvy. ", "It is cheap."]
    start = len(texts[0])
    citance = {
        "text": f"Vitamin{number} cures scurvy.",
        "spans": [[start, start + len(texts[1]) - 1]],
    }
    return json.dumps({"id": f"J{number}", "text": "".join(texts), "citances": [citance]}) + "\n"


def write_windows(file: Path, count: int = 12) -> Path:
    lines = []
    for number in range(count):
        second = "These" if number % 2 else "Other"
        record = {
            "sentences": [
                f"Lamp {number} was lit.",
                f"{second} lamps are known <CITATION_MARKER>[{number}]</CITATION_MARKER>.",
            ],
            "labels": [number % 2, 1],
        }
        lines.append(json.dumps(record))
    file.write_text("\n".join([*lines, json.dumps({"sentences": ["A."], "labels": [0]})]))
    return file


THINGS = ["kettles", "lamps", "bells", "clocks", "kites", "drums", "locks", "boats"]
RECORD = (
    "Citance Number: {number} | Reference Article: {topic}.xml | Citing Article: Y{number}.xml | "
    "Citation Marker Offset: ['1'] | Citation Marker: A, 2000 | Citation Offset: ['{number}'] | "
    "Citation Text: <S sid =\"{number}\">{text}</S> | Reference Offset: ['{sid}'] | "
    'Reference Text: <S sid ="{sid}">{marked}</S> | Discourse Facet: {facet} | Annotator: A |'
)


def write_topics(folder: Path, topics: int = 6) -> Path:
    """Write so many topics, each a paper about one thing with four citances."""
    for number in range(topics):
        thing, topic = THINGS[number], f"T{number}"
        sentences = [
            f"A study of {thing}",
            f"We ask how {thing} are made and sold.",
            f"We describe a method to sort {thing} by weight.",
            f"The method sorts {thing} with an accuracy of nine in ten.",
            f"There is a long history of {thing} in every country.",
            f"Our method weighs all {thing} twice and compares both figures.",
            "The weather was fine on most of the days.",
            f"In all the results, sorted {thing} were cheaper by half.",
            "We thank the people who lent us what we needed.",
        ]
        cited = [
            (2, f"They sort {thing} by weight (A, 2000).", "Method_Citation"),
            (5, f"All {thing} are weighed twice (A, 2000) and compared.", "Method Citation"),
            (5, f"Weighing {thing} twice is due to A (2000).", "Method_Citation"),
            (7, f"Sorted {thing} were cheaper by half (A, 2000).",
             "['Results_Citation', 'Method_Citation']"),
        ]  # fmt: skip
        written = [f'<S sid="{sid}">{text}</S>' for sid, text in enumerate(sentences)]
        records = [
            RECORD.format(number=place, topic=topic, text=text, sid=sid, marked=sentences[sid],
                          facet=facet)
            for place, (sid, text, facet) in enumerate(cited, 1)
        ]  # fmt: skip
        for part in ("Reference_XML", "annotation", "summary"):
            (folder / topic / part).mkdir(parents=True)
        (folder / topic / "Reference_XML" / f"{topic}.xml").write_text(
            f"<PAPER>{written[0]}<ABSTRACT>{''.join(written[1:4])}</ABSTRACT>"
            f'<SECTION title="Method">{"".join(written[4:7])}</SECTION>'
            f'<SECTION title="Results">{"".join(written[7:])}</SECTION></PAPER>'
        )
        (folder / topic / "annotation" / f"{topic}.ann.txt").write_text("\n\n".join(records))
        summaries = folder / topic / "summary"
        (summaries / f"{topic}.abstract.txt").write_text("\n".join(written[:4]))
        (summaries / f"{topic}.community.xml").write_text(
            f"<COMMUNITY>{written[0]}{written[2]}{written[5]}{written[7]}</COMMUNITY>"
        )
        (summaries / f"{topic}.human.txt").write_text(
            f"The authors sort {thing} by weight. Sorted {thing} are cheaper by half."
        )
    return folder

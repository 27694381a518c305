"""What the sections of full-text articles are, by their headings: methods, results, back matter …

A heading is cut at " / ", which joins nested ones, and numbering is taken off. The innermost part
decides if it names back matter; else the outermost part whose words are in the table. Articles as
Evidence Inference 2.0 publishes them (DeYoung et al. 2020) have their headings in the text, each
on a line of its own ("BODY.RESULTS:"), without nesting: there, a heading that is not in the table
("BODY.ADVERSE EVENTS:") goes on with the kind of the section before it.

`pipelines/corpus/section_categories.py` does the same for the labels of abstracts, which have
fewer kinds and no back matter.
"""

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from citespan.pipelines.ranking.sentences import ArticleSentences

SectionKind = Literal[
    "title", "abstract", "introduction", "related work", "methods", "results", "discussion",
    "conclusions", "back matter", "caption", "other",
]  # fmt: skip

KINDS: Final[tuple[SectionKind, ...]] = SectionKind.__args__  # type: ignore[attr-defined]

# The first pattern that is found decides.
_KINDS: tuple[tuple[SectionKind, str], ...] = (
    (
        "back matter",
        r"competing|conflicts? of interests?|declarations?\b|disclosures?\b|acknowledge?ments?"
        r"|contributions?$|contributors?$|contributorship|funding|financial support|sponsors?\b"
        r"|role of the (?:funding|sponsor)|references$|bibliography|abbreviations"
        r"|pre-?publication history|supplement(?:ary|al) (?:materials?|data|information|files?)"
        r"|supporting information|additional files?|availability of|data (?:availability|sharing)"
        r"|ethics (?:statement|approval)|ethical (?:approval|statement|standards)|^ethics$"
        r"|consent (?:for|to)|author (?:details|information|notes)|authors['’] (?:note|information)"
        r"|patient consent|provenance|trial registration|registration$|open access|copyright"
        r"|list of abbreviations|^notes?$|footnotes?|^appendix|^appendices|^endnotes?",
    ),
    ("title", r"^title$"),
    ("abstract", r"^(?:abstract|summary|synopsis|author summary)\b"),
    (
        "related work",
        r"(?:related|previous|prior|relevant) (?:work|research|approaches|literature)",
    ),
    ("caption", r"^(?:figure|fig|table|box|caption|scheme)\b"),
    (
        "conclusions",
        r"conclu(?:sions?|ding)|future (?:work|directions)|^implications|^interpretation"
        r"|^summary and",
    ),
    ("discussion", r"discussions?|limitations|strengths|^comment|error analysis"),
    (
        "results",
        r"results?\b|findings|evaluations?$|^experiments?$|experimental results"
        r"|baseline (?:characteristics|data)|adverse events|^safety|^efficacy|participant flow",
    ),
    (
        "methods",
        r"methods?\b|methodology|materials|procedures?$|statistic|design$"
        r"|study (?:design|population|setting)"
        r"|participants?|patients|subjects|sample size|randomi[sz]ation|interventions?"
        r"|measures?$|measurements?$|data (?:analysis|analyses|collection|extraction)|recruitment"
        r"|^setting|blinding|eligibility|experimental (?:set-?up|settings?|procedures?)|^data$"
        r"|^model$|^algorithm$|^implementation$|protocol",
    ),
    (
        "introduction",
        r"introduction|background|^objectives?|^aims?\b|^purpose|motivation|rationale|hypothes[ie]s"
        r"|overview",
    ),
)
_PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _KINDS)
_NUMBERING = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2})*|[ivx]{1,4}|[a-z])[.):]?\s+", re.IGNORECASE)
_EDGES = " \t\n.:;,*"

# A heading that stands in the text: capitals and a colon, on a line of its own.
_IN_TEXT = re.compile(
    r"^[ \t\ufeff]*((?:TITLE|ABSTRACT|BODY)(?:\.[^a-z\n]{1,150}?)?)[: \t]*:[ \t]*$", re.MULTILINE
)

# The label of a part of an abstract that is one paragraph.
_LABEL = re.compile(
    r"\s*+(?:([A-Z][A-Z/&,' ]{2,60}[A-Z])(?::| (?=[A-Z0-9]))"
    r"|(Abstract|Background|Introduction|Objectives?|Aims?|Purpose|Rationale|Design|Setting"
    r"|Patients|Participants|Methods?|Methodology|Interventions?|Measurements|Results?|Findings"
    r"|Discussion|Interpretation|Conclusions?|Summary):)"
)


class SentencePlace(NamedTuple):
    """Where a sentence stands.

    Attributes:
        kind: of its section: "abstract" for all of an abstract.
        part: what the innermost heading says: "results" for the results of an abstract.
    """

    kind: SectionKind
    part: SectionKind


@lru_cache(maxsize=1 << 12)
def classify_heading(heading: str) -> SentencePlace:
    """Return what a section is, by its heading; "other" where the heading does not say."""
    kinds = [_classify(part) for part in heading.split(" / ")]
    if kinds[-1] == "back matter":
        return SentencePlace("back matter", "back matter")
    said = [kind for kind in kinds if kind != "other"]
    return SentencePlace(said[0], said[-1]) if said else SentencePlace("other", "other")


def _classify(heading: str) -> SectionKind:
    name = _NUMBERING.sub("", heading.lower().strip(_EDGES))
    return next((kind for kind, pattern in _PATTERNS if pattern.search(name)), "other")


def find_places(article: ArticleSentences) -> tuple[SentencePlace, ...]:
    """Return where each sentence of an article stands."""
    places: list[SentencePlace] = []
    within: SentencePlace | None = None
    labelled: SentencePlace | None = None
    before = None
    for text, section in zip(article.texts, article.sections, strict=True):
        if ":" in text:
            for found in _IN_TEXT.finditer(text):
                within = _classify_in_text(found[1], within)
        place = within or classify_heading(section)
        if section != before:
            labelled = None
        before = section
        if place.part in ("other", "abstract"):
            labelled = _read_label(text) or labelled
        places.append(labelled or place)
        if text.endswith("\n"):
            labelled = None
    return tuple(places)


def _read_label(text: str) -> SentencePlace | None:
    """Return where a sentence stands by the label that it begins with, as those of an abstract in
    one paragraph do: "RESULTS We found", "Results: We found"."""
    found = _LABEL.match(text)
    part = _classify(found[1] or found[2]) if found else "other"
    return None if part in ("other", "back matter", "title") else SentencePlace("abstract", part)


def _classify_in_text(heading: str, before: SentencePlace | None) -> SentencePlace:
    where, _, name = heading.partition(".")
    if where == "TITLE":
        return SentencePlace("title", "title")
    kind = _classify(name)
    if kind == "back matter":
        return SentencePlace(kind, kind)
    if where == "ABSTRACT":
        return SentencePlace("abstract", kind)
    goes_on = kind == "other" and before is not None and before.kind not in ("title", "abstract")
    return before if goes_on and before else SentencePlace(kind, kind)


def remove_headings(text: str) -> str:
    """Return a sentence without the headings that stand in it, each made into spaces."""
    return _IN_TEXT.sub(lambda found: " " * len(found[0]), text) if ":" in text else text

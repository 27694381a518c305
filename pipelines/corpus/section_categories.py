"""Which zone of an abstract a section is, by NLM's category and by the authors' label.

Paper B (section 3.1) has four zones and takes them from NLM's categories, BACKGROUND and
OBJECTIVE together as Introduction. A section whose label names two zones at once ("METHODS AND
RESULTS") is mixed, whatever NLM's category says of it. Where NLM gives no category, the label
decides, by the table `ZONES_OF_LABELS`: a label is upper-cased and cut at "and", "or", commas,
slashes and ampersands; each part loses words that only qualify it ("main", "key", "study") and a
final S, and must be in the table. Parts of one zone make that zone, of two make it mixed; a part
that is not in the table makes it unmapped.

The table was written from common usage in Medline and after a look at the 99 labels of PubMedQA.
Case reports are not in it: their one section is methods and results at once, without saying so.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal

from citespan.pipelines.corpus.abstract import AbstractSection, NlmCategory

Zone = Literal["Introduction", "Methods", "Results", "Conclusions"]
SectionZone = Zone | Literal["mixed", "unmapped"]

ZONES: tuple[Zone, ...] = ("Introduction", "Methods", "Results", "Conclusions")

ZONES_OF_CATEGORIES: dict[NlmCategory, Zone] = {
    "BACKGROUND": "Introduction",
    "OBJECTIVE": "Introduction",
    "METHODS": "Methods",
    "RESULTS": "Results",
    "CONCLUSIONS": "Conclusions",
}

ZONES_OF_LABELS: dict[Zone, tuple[str, ...]] = {
    "Introduction": (
        *("AIM", "BACKGROUND", "BACKGROUND DATA", "CONTEXT", "GOAL", "HYPOTHESES", "HYPOTHESIS"),
        *("IMPORTANCE", "INTRODUCTION", "ISSUE", "OBJECT", "OBJECTIVE", "PREMISE", "PROBLEM"),
        *("PURPOSE", "QUESTION", "RATIONALE", "SUMMARY BACKGROUND DATA", "SUMMARY OF BACKGROUND"),
        *("SUMMARY OF BACKGROUND DATA", "WHAT IS KNOWN"),
    ),
    "Methods": (
        *("ANALYSES", "ANALYSIS", "APPROACH", "CASES", "CONTROL", "DATA", "DATA ANALYSIS"),
        *("DATA COLLECTION", "DATA COLLECTION METHOD", "DATA EXTRACTION", "DATA SELECTION"),
        *("DATA SOURCE", "DESIGN", "ELIGIBILITY CRITERIA", "END POINT", "ENDPOINT"),
        *("EVIDENCE ACQUISITION", "EXPERIMENTAL DESIGN", "EXPOSURE", "INCLUSION CRITERIA"),
        *("INSTRUMENT", "INTERVENTION", "LOCATION", "MATERIAL", "MEASURE", "MEASUREMENT"),
        *("METHOD", "METHODOLOGY", "OUTCOME MEASURE", "OUTCOME MEASUREMENT", "OUTCOME"),
        *("OUTCOMES MEASURED", "PARTICIPANT", "PATIENT", "PERIOD", "POPULATION", "PROBAND"),
        *("PROCEDURE", "PROTOCOL", "REVIEW METHOD", "SAMPLE", "SAMPLING", "SEARCH METHOD"),
        *("SEARCH STRATEGY", "SELECTION", "SELECTION CRITERIA", "SETTING", "SOURCE"),
        *("STATISTICAL ANALYSIS", "STATISTICS", "SUBJECT", "SYNTHESIS METHOD", "TECHNIQUE"),
        *("TREATMENT", "VARIABLE"),
    ),
    "Results": ("DATA SYNTHESIS", "EVIDENCE SYNTHESIS", "FINDING", "OBSERVATION", "RESULT"),
    "Conclusions": (
        *("APPLICATION", "CLINICAL RELEVANCE", "CLINICAL SIGNIFICANCE", "COMMENT", "CONCLUSION"),
        *("DISCUSSION", "IMPLICATION", "INTERPRETATION", "LIMITATION", "PRACTICE IMPLICATION"),
        *("RECOMMENDATION", "RELEVANCE", "RELEVANCE TO CLINICAL PRACTICE", "SIGNIFICANCE"),
        *("SUMMARY", "TRANSLATIONAL RELEVANCE", "WHAT THIS STUDY ADDS"),
    ),
}

# Labels that stand for no zone; known, so that the text export's abstracts are cut at them.
WITHOUT_ZONE = (
    *("CASE DESCRIPTION", "CASE PRESENTATION", "CASE REPORT", "CLINICAL TRIAL REGISTRATION"),
    *("DATA AVAILABILITY", "DESCRIPTION", "FUNDING", "LEVEL OF EVIDENCE", "PRESENTATION"),
    *("PROSPERO REGISTRATION", "REGISTRATION", "TRIAL REGISTRATION", "UNLABELLED"),
)

_QUALIFIERS = frozenset(
    (
        *("BRIEF", "CLINICAL", "FUTURE", "KEY", "MAIN", "MAJOR", "OVERALL", "PRESENT", "PRIMARY"),
        *("PRINCIPAL", "RESEARCH", "SECONDARY", "SPECIFIC", "STUDY", "THE"),
    )
)
_OF_STUDY = re.compile(r" OF (?:THE |THIS )?(?:ARTICLE|PAPER|RESEARCH|REVIEW|STUDY|WORK)$")
_AND = re.compile(r"(?:(?<!\s)\s++)?(?:[,;/&+]|\bAND\b|\bOR\b)[\s,;/&+]*+(?:AND\b|OR\b)?\s*")
_NOT_IN_LABEL = re.compile(r"[^A-Z,;/&+ -]+")


def _singular(label: str) -> str:
    return label.removesuffix("S")


_ZONES = {_singular(label): zone for zone, labels in ZONES_OF_LABELS.items() for label in labels}
_NONE = frozenset(map(_singular, WITHOUT_ZONE))


def section_zone(section: AbstractSection) -> SectionZone:
    """Return the zone of a section of an abstract, or why it has none."""
    by_label = label_zone(section.title)
    if by_label == "mixed" or not section.category:
        return by_label
    return ZONES_OF_CATEGORIES[section.category]


def find_zones(sections: Iterable[AbstractSection], starts: Iterable[int]) -> Iterator[SectionZone]:
    """Yield what `section_zone` says of the section of each sentence of an abstract.

    Args:
        sections: of the abstract; the title is left out.
        starts: where the sentences start in its text, in order.
    """
    inside = [section for section in sections if section.kind == "abstract"]
    place = 0
    for start in starts:
        while place + 1 < len(inside) and inside[place].end <= start:
            place += 1
        yield section_zone(inside[place]) if inside else "unmapped"


@lru_cache(maxsize=4096)
def label_zone(label: str) -> SectionZone:
    """Return the zone that a label stands for by the table; "unmapped" for "" as well."""
    parts = [part for part in _AND.split(_clean(label)) if part]
    if not parts:
        return "unmapped"
    zones = {_zone(part) for part in parts}
    named = [zone for zone in ZONES if zone in zones]
    if len(named) > 1:
        return "mixed"
    return named[0] if len(zones) == 1 and named else "unmapped"


def is_known(label: str) -> bool:
    """Whether the label is one of the table's, mixed, or one known to stand for no zone."""
    return label_zone(label) != "unmapped" or _singular(_clean(label)) in _NONE


def category_of(written: str | None) -> NlmCategory:
    """Return what the attribute NlmCategory says, "" for all that names no zone."""
    return next((c for c in ZONES_OF_CATEGORIES if c == (written or "").strip().upper()), "")


def _clean(label: str) -> str:
    return " ".join(_NOT_IN_LABEL.sub(" ", label.upper()).split())


def _zone(part: str) -> Zone | None:
    """Return the zone of one part of a label, with its qualifiers taken away one by one."""
    words = _OF_STUDY.sub("", part.strip(" -")).split()
    while words:
        zone = _ZONES.get(_singular(" ".join(words)))
        if zone is not None:
            return zone
        if words[0] not in _QUALIFIERS:
            return None
        words = words[1:]
    return None

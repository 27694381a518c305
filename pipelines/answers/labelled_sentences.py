"""The sentences of an abstract, each with the zone that its section's label says."""

from dataclasses import dataclass, replace

from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.section_categories import ZONES, SectionZone, Zone, section_zone
from citespan.pipelines.text.splitter import DEFAULT, splitters


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence of an abstract, `abstract.text[start:end]`; the title is none of them.

    Attributes:
        section: the zone of its section, or why the section has none.
    """

    start: int
    end: int
    text: str
    section: SectionZone

    @property
    def label(self) -> Zone | None:
        """The zone of its section, if it has one."""
        return next((zone for zone in ZONES if zone == self.section), None)


def labelled_sentences(abstract: Abstract) -> list[LabelledSentence]:
    """The sentences by the default splitter; the end of a section ends a sentence."""
    sections = [(s, section_zone(s)) for s in abstract.sections if s.kind == "abstract"]
    found = []
    place = 0
    for sentence in splitters[DEFAULT].split(abstract.text[abstract.start :]):
        start, end = sentence.start + abstract.start, sentence.end + abstract.start
        while place + 1 < len(sections) and sections[place][0].end <= start:
            place += 1
        zone = sections[place][1] if sections else "unmapped"
        found.append(LabelledSentence(start, end, abstract.text[start:end], zone))
    return found


def without_sections(abstract: Abstract) -> Abstract:
    """The same abstract as if it were unstructured: no labels, no blank lines in it.

    The text keeps its length, so that offsets mean the same in both.
    """
    start = abstract.start
    text = abstract.text[:start] + abstract.text[start:].replace("\n", " ")
    inside = [s for s in abstract.sections if s.kind == "abstract"]
    title = tuple(s for s in abstract.sections if s.kind == "title")
    joined = (replace(inside[0], title="", category="", end=inside[-1].end),) if inside else ()
    return replace(abstract, text=text, sections=(*title, *joined))

"""Split an abstract into sentences, each with the zone that its section's label gives."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.corpus.section_categories import ZONES, SectionZone, Zone, find_zones
from citespan.pipelines.indexing.documents.abstract_document import split_abstract
from citespan.pipelines.text.splitter import DEFAULT, splitters


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence of an abstract, `abstract.text[start:end]`; the title is not one.

    Attributes:
        section: the zone of its section, or the reason why the section has none.
    """

    start: int
    end: int
    text: str
    section: SectionZone

    @property
    def label(self) -> Zone | None:
        """The zone of its section, or None."""
        return next((zone for zone in ZONES if zone == self.section), None)


def split_and_label(abstract: Abstract) -> list[LabelledSentence]:
    """Split an abstract with the default splitter; the end of a section ends a sentence."""
    return label_sentences(abstract, split_abstract(abstract, splitters[DEFAULT]))


def label_sentences(abstract: Abstract, sentences: Sequence[Sentence]) -> list[LabelledSentence]:
    """Give sentences of the abstract, in order, the zones of their sections."""
    zones = find_zones(abstract.sections, (sentence.start for sentence in sentences))
    return [
        LabelledSentence(
            sentence.start, sentence.end, abstract.text[sentence.start : sentence.end], zone
        )
        for sentence, zone in zip(sentences, zones, strict=True)
    ]


def hide_sections(abstract: Abstract) -> Abstract:
    """Return the abstract as if it were unstructured, without labels and blank lines.

    The text keeps its length, so that offsets are valid in both.
    """
    start = abstract.start
    text = abstract.text[:start] + abstract.text[start:].replace("\n", " ")
    inside = [s for s in abstract.sections if s.kind == "abstract"]
    title = tuple(s for s in abstract.sections if s.kind == "title")
    joined = (replace(inside[0], title="", category="", end=inside[-1].end),) if inside else ()
    return replace(abstract, text=text, sections=(*title, *joined))

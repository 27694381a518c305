"""The sentences of an abstract, each with the zone that its section's label says."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.corpus.section_categories import ZONES, SectionZone, Zone, zones_at
from citespan.pipelines.indexing.documents.abstract_document import abstract_sentences
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
    return labelled(abstract, abstract_sentences(abstract, splitters[DEFAULT]))


def labelled(abstract: Abstract, sentences: Sequence[Sentence]) -> list[LabelledSentence]:
    """The same of sentences that are known: those of the abstract, in order."""
    zones = zones_at(abstract.sections, (sentence.start for sentence in sentences))
    return [
        LabelledSentence(one.start, one.end, abstract.text[one.start : one.end], zone)
        for one, zone in zip(sentences, zones, strict=True)
    ]


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

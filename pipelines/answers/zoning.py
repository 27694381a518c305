"""Abstracts with the zone of each sentence (paper B, section 3.1)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from citespan.pipelines.answers.zone_features import analyses, items
from citespan.pipelines.answers.zone_model import ZoneModel, load
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.section_categories import Zone

Source = Literal["label", "model"]


@dataclass(frozen=True, slots=True)
class ZonedSentence:
    """A sentence of an abstract, `abstract.text[start:end]`, with its zone.

    Attributes:
        probability: of the zone at this place by the model; 1 where the label says it.
        by: "label" where the section's label gives the zone, else "model".
    """

    start: int
    end: int
    text: str
    zone: Zone
    probability: float
    by: Source


def zones(
    abstracts: Iterable[Abstract], model: ZoneModel | None = None, labels: bool = True
) -> Iterator[tuple[Abstract, list[ZonedSentence]]]:
    """Each abstract with its zoned sentences, streaming, in batches inside.

    Args:
        model: the shipped one if None.
        labels: whether sections with labels keep the zones of these (paper B, 3.2.2), so that
            the model says only the others.

    Raises:
        InputError: if the model can't be loaded, or the pipeline that its features need.
    """
    model = model or load()
    for analysis in analyses(abstracts, model.configuration):
        told = [sentence.label if labels else None for sentence in analysis.sentences]
        tagged = [] if all(told) else model.tag(items(analysis, model.configuration))
        zoned = []
        for place, sentence in enumerate(analysis.sentences):
            label = told[place]
            zone, probability = (label, 1.0) if label else tagged[place]
            by: Source = "label" if label else "model"
            zoned.append(
                ZonedSentence(sentence.start, sentence.end, sentence.text, zone, probability, by)
            )
        yield analysis.abstract, zoned

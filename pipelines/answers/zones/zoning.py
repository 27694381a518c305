"""Give each sentence of an abstract its zone (paper B, section 3.1), in files and in loads."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from citespan.pipelines.answers.zones.features import (
    analyse_abstracts,
    analyse_sentences,
    make_items,
)
from citespan.pipelines.answers.zones.model import ZoneModel, load_model
from citespan.pipelines.answers.zones.sentences import label_sentences
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.section_categories import Zone
from citespan.pipelines.indexing.documents.abstract_document import PredictedZone, SplitAbstract

Source = Literal["label", "model"]


@dataclass(frozen=True, slots=True)
class ZonedSentence:
    """A sentence of an abstract, `abstract.text[start:end]`, with its zone.

    Attributes:
        probability: the model's marginal probability of the zone; 1 if a label gives it.
        by: "label" if the section's label gives the zone, else "model".
    """

    start: int
    end: int
    text: str
    zone: Zone
    probability: float
    by: Source


def assign_zones(
    abstracts: Iterable[Abstract], model: ZoneModel | None = None, labels: bool = True
) -> Iterator[tuple[Abstract, list[ZonedSentence]]]:
    """Yield each abstract with its sentences and their zones, streaming.

    Args:
        model: the shipped one if None.
        labels: whether sentences of labelled sections get the zone of the label (paper B,
            3.2.2), and only the others that of the model.

    Raises:
        InputError: if the model can't be loaded, or the pipeline that its features need.
    """
    model = model or load_model()
    for analysis in analyse_abstracts(abstracts, model.configuration):
        given = [sentence.label if labels else None for sentence in analysis.sentences]
        tagged = [] if all(given) else model.tag(make_items(analysis, model.configuration))
        zoned = []
        for place, sentence in enumerate(analysis.sentences):
            label = given[place]
            zone, probability = (label, 1.0) if label else tagged[place]
            by: Source = "label" if label else "model"
            zoned.append(
                ZonedSentence(sentence.start, sentence.end, sentence.text, zone, probability, by)
            )
        yield analysis.abstract, zoned


class LoadingZoner:
    """A `Zoner` for loads of abstracts, so that zones are stored before a question is asked.

    The model is loaded when it is first needed: a load may have no abstract without labels.
    """

    @property
    def version(self) -> str:
        """The version of the model.

        Raises:
            InputError: if the model can't be loaded.
        """
        return load_model().version

    def __call__(self, abstracts: Sequence[SplitAbstract]) -> Iterator[list[PredictedZone]]:
        """Predict the zones of each abstract's sentences.

        Raises:
            InputError: if the model can't be loaded, or the pipeline that its features need.
        """
        model = load_model()
        split = [
            (abstract, label_sentences(abstract, sentences)) for abstract, sentences in abstracts
        ]
        for analysis in analyse_sentences(split, model.configuration):
            yield model.tag(make_items(analysis, model.configuration))

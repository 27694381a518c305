"""A zone model as a load of abstracts wants it, so that zones are there when a question comes."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from citespan.pipelines.answers.labelled_sentences import labelled
from citespan.pipelines.answers.zone_features import analyses_of, items
from citespan.pipelines.answers.zone_model import SHIPPED, ZoneModel, load
from citespan.pipelines.indexing.documents.zoner import PredictedZone, SplitAbstract


class LoadingZoner:
    """A `Zoner` by the zone model in a folder, which is opened when the first zone is asked for:
    a load may have no abstract without labels."""

    def __init__(self, folder: Path = SHIPPED) -> None:
        self._folder = folder

    @property
    def version(self) -> str:
        """That of the model.

        Raises:
            InputError: if the model can't be loaded.
        """
        return self._model().version

    def __call__(self, abstracts: Sequence[SplitAbstract]) -> Iterator[list[PredictedZone]]:
        """The zones of each abstract's sentences.

        Raises:
            InputError: if the model can't be loaded, or the pipeline that its features need.
        """
        model = self._model()
        split = [(abstract, labelled(abstract, sentences)) for abstract, sentences in abstracts]
        for analysis in analyses_of(split, model.configuration):
            yield model.tag(items(analysis, model.configuration))

    def _model(self) -> ZoneModel:
        return load(self._folder)

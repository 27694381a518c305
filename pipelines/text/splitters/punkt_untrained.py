"""Punkt that has learnt nothing."""

from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.text.punkt import untrained_starts
from citespan.pipelines.text.splitter import cut, splitters


@splitters.register
class PunktUntrained:
    """NLTK's `PunktSentenceTokenizer` without parameters, the yardstick for training."""

    name = "punkt-untrained"
    description = "NLTK's Punkt without parameters"

    def split(self, text: str) -> list[Sentence]:
        """See `Splitter.split`; nothing is raised."""
        return cut(text, untrained_starts)

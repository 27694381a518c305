"""Punkt with citespan's parameters and nothing else."""

from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.text.punkt import trained_starts
from citespan.pipelines.text.splitter import cut, splitters


@splitters.register
class PunktPlain:
    """Paper A's splitter as it is."""

    name = "punkt-plain"
    description = "NLTK's Punkt trained on biomedical articles, without further rules"

    def split(self, text: str) -> list[Sentence]:
        """See `Splitter.split`; nothing is raised."""
        return cut(text, trained_starts)

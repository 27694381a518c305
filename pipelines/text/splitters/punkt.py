"""Punkt with citespan's parameters, and rules for what Punkt can't know."""

from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.text.boundaries import revised
from citespan.pipelines.text.punkt import trained_starts
from citespan.pipelines.text.splitter import cut, splitters


@splitters.register
class Punkt:
    """Paper A's splitter, its boundaries revised by `citespan.pipelines.text.boundaries`."""

    name = "punkt"
    description = "NLTK's Punkt trained on biomedical articles, with rules for citations"

    def split(self, text: str) -> list[Sentence]:
        """See `Splitter.split`; nothing is raised."""
        return cut(text, lambda paragraph: revised(paragraph, trained_starts(paragraph)))

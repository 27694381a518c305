"""Paper A's splitter, NLTK's Punkt: with citespan's rules, as it is, and untrained."""

from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.text.boundaries import revise_starts
from citespan.pipelines.text.punkt import find_trained_starts, find_untrained_starts
from citespan.pipelines.text.splitter import cut_sentences, splitters


@splitters.register
class Punkt:
    """Punkt trained on biomedical articles, its boundaries revised by
    `citespan.pipelines.text.boundaries`."""

    name = "punkt"
    description = "NLTK's Punkt trained on biomedical articles, with rules for citations"

    def split(self, text: str) -> list[Sentence]:
        """See `Splitter.split`; nothing is raised."""
        return cut_sentences(text, lambda part: revise_starts(part, find_trained_starts(part)))


@splitters.register
class PunktPlain:
    """Punkt trained on biomedical articles, as it is."""

    name = "punkt-plain"
    description = "NLTK's Punkt trained on biomedical articles, without further rules"

    def split(self, text: str) -> list[Sentence]:
        """See `Splitter.split`; nothing is raised."""
        return cut_sentences(text, find_trained_starts)


@splitters.register
class PunktUntrained:
    """NLTK's `PunktSentenceTokenizer` without parameters, the baseline for training."""

    name = "punkt-untrained"
    description = "NLTK's Punkt without parameters"

    def split(self, text: str) -> list[Sentence]:
        """See `Splitter.split`; nothing is raised."""
        return cut_sentences(text, find_untrained_starts)

"""PySBD: the pragmatic segmenter's hand-written rules."""

from functools import cache
from typing import TYPE_CHECKING

from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.text.splitter import cut_sentences, splitters

if TYPE_CHECKING:
    from pysbd import Segmenter


@cache
def _segmenter() -> "Segmenter":
    try:
        from pysbd import Segmenter
    except ModuleNotFoundError as error:
        raise CitespanError(
            "the sentence splitter 'pysbd' needs PySBD: pip install 'citespan[splitters]'"
        ) from error
    return Segmenter(language="en", clean=False, char_span=True)


def _starts(paragraph: str) -> list[int]:
    return [span.start for span in _segmenter().segment(paragraph)]


@splitters.register
class PySBD:
    """PySBD 0.3 (Sadvilkar and Neumann 2020) for English."""

    name = "pysbd"
    description = "PySBD's rules for English (extra: splitters)"

    def split(self, text: str) -> list[Sentence]:
        """See `Splitter.split`."""
        return cut_sentences(text, _starts)

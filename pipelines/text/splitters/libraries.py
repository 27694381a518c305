"""Splitters of other libraries: the rules of PySBD 0.3 for English (Sadvilkar and Neumann 2020),
and spaCy's `sentencizer` over its English tokenizer, by which sentences end at end marks."""

from functools import cache
from typing import TYPE_CHECKING

from citespan.pipelines.errors import CitespanError
from citespan.pipelines.text.splitter import ParagraphSplitter, splitters

if TYPE_CHECKING:
    from pysbd import Segmenter
    from spacy.language import Language


@cache
def load_pysbd() -> "Segmenter":
    """Return PySBD's segmenter, made once.

    Raises:
        CitespanError: if PySBD is not installed.
    """
    try:
        from pysbd import Segmenter
    except ModuleNotFoundError as error:
        raise _miss("pysbd", "PySBD") from error
    return Segmenter(language="en", clean=False, char_span=True)


@cache
def load_sentencizer() -> "Language":
    """Return spaCy's pipeline with its sentencizer, made once.

    Raises:
        CitespanError: if spaCy is not installed.
    """
    try:
        import spacy
    except ModuleNotFoundError as error:
        raise _miss("spacy", "spaCy") from error
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    return pipeline


def _miss(name: str, library: str) -> CitespanError:
    return CitespanError(
        f"the sentence splitter '{name}' needs {library}: pip install 'citespan[splitters]'"
    )


def _find_spacy_starts(paragraph: str) -> list[int]:
    pipeline = load_sentencizer()
    # spaCy's limit is there for parsers and recognisers, and none runs here.
    pipeline.max_length = max(pipeline.max_length, len(paragraph) + 1)
    return [sentence.start_char for sentence in pipeline(paragraph).sents]


splitters.add(
    ParagraphSplitter(
        "pysbd",
        "PySBD's rules for English (extra: splitters)",
        lambda paragraph: [span.start for span in load_pysbd().segment(paragraph)],
    )
)
splitters.add(
    ParagraphSplitter("spacy", "spaCy's sentencizer (extra: splitters)", _find_spacy_starts)
)

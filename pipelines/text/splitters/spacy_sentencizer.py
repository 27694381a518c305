"""spaCy's sentencizer: sentences end at end marks."""

from functools import cache
from typing import TYPE_CHECKING

from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.text.splitter import cut_sentences, splitters

if TYPE_CHECKING:
    from spacy.language import Language


@cache
def _pipeline() -> "Language":
    try:
        import spacy
    except ModuleNotFoundError as error:
        raise CitespanError(
            "the sentence splitter 'spacy' needs spaCy: pip install 'citespan[splitters]'"
        ) from error
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    return pipeline


def _starts(paragraph: str) -> list[int]:
    pipeline = _pipeline()
    # spaCy's limit is there for parsers and recognisers, of which there are none here.
    pipeline.max_length = max(pipeline.max_length, len(paragraph) + 1)
    return [sentence.start_char for sentence in pipeline(paragraph).sents]


@splitters.register
class SpacySentencizer:
    """spaCy's rule-based `sentencizer` over its English tokenizer; no model is needed."""

    name = "spacy"
    description = "spaCy's sentencizer (extra: splitters)"

    def split(self, text: str) -> list[Sentence]:
        """See `Splitter.split`."""
        return cut_sentences(text, _starts)

"""The features of an abstract's sentences, as CRFsuite takes them.

A feature group is one function here, in `FEATURES` under its name: from an `Analysis` and the
number of a sentence to one value or several. What neighbouring sentences share is worked out once
for each sentence; CRFsuite itself puts the group's key before the values.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import sqrt
from typing import NamedTuple

from citespan.pipelines.answers.labelled_sentences import LabelledSentence, labelled_sentences
from citespan.pipelines.answers.ngrams import ngrams, stemmed, tokens, with_numbers_as_one
from citespan.pipelines.answers.tense import Tense
from citespan.pipelines.answers.tenses import tenses
from citespan.pipelines.answers.title_similarity import title_similarities
from citespan.pipelines.answers.zone_configuration import Configuration, FeatureName
from citespan.pipelines.corpus.abstract import Abstract

Values = str | list[str] | dict[str, float]
Item = dict[str, Values]

# How many abstracts' sentences go through the tagger at once.
_BATCH = 64
_SIMILARITIES = 10
_LOCATIONS = 10
_PLACES = 9
_LONGEST = 8
_WORDS_A_STEP = 5


@dataclass(frozen=True, slots=True)
class Analysis:
    """An abstract taken apart, one entry in each list for each sentence.

    Attributes:
        similarities: with the title, 0 to 1; empty where no feature asks for them.
        tenses: likewise.
    """

    abstract: Abstract
    sentences: list[LabelledSentence]
    title_ngrams: list[str]
    words: list[list[str]]
    ngrams: list[list[str] | dict[str, float]]
    similarities: list[float]
    tenses: Sequence[Tense]


def title_ngrams(analysis: Analysis, _: int) -> Values:
    """Uni- and bigrams of the title (paper B, 3.1.2)."""
    return analysis.title_ngrams


def current_ngrams(analysis: Analysis, place: int) -> Values:
    """Uni- and bigrams of the sentence (paper B, 3.1.2)."""
    return analysis.ngrams[place]


def previous_ngrams(analysis: Analysis, place: int) -> Values:
    """Uni- and bigrams of the sentence before, or a sign that there is none (3.1.2)."""
    return analysis.ngrams[place - 1] if place else "^"


def next_ngrams(analysis: Analysis, place: int) -> Values:
    """Uni- and bigrams of the sentence behind, or a sign that there is none (3.1.2)."""
    return analysis.ngrams[place + 1] if place + 1 < len(analysis.ngrams) else "$"


def title_similarity(analysis: Analysis, place: int) -> Values:
    """Cosine with the title in 11 bins, 0 to 10 (3.1.2)."""
    return str(round(_SIMILARITIES * analysis.similarities[place]))


def location(analysis: Analysis, place: int) -> Values:
    """Relative location, 1 to 10 (3.1.2)."""
    return str(1 + _LOCATIONS * place // len(analysis.words))


def tense(analysis: Analysis, place: int) -> Values:
    """Tense of the main verb (3.1.2)."""
    return analysis.tenses[place]


def places(analysis: Analysis, place: int) -> Values:
    """How many sentences stand before, how many behind, and how many there are."""
    last = len(analysis.words) - 1
    return [
        f"<{min(place, _PLACES)}",
        f">{min(last - place, _PLACES)}",
        f"#{min(last, 2 * _PLACES)}",
    ]


def opening(analysis: Analysis, place: int) -> Values:
    """The first word, the first two and the first three."""
    return [" ".join(analysis.words[place][:count]) for count in (1, 2, 3)]


def length(analysis: Analysis, place: int) -> Values:
    """Number of words, in steps of five."""
    return str(min(len(analysis.words[place]) // _WORDS_A_STEP, _LONGEST))


class Feature(NamedTuple):
    """A feature group. `key` stands before its values in a model's file, and so is short."""

    key: str
    values: Callable[[Analysis, int], Values]


FEATURES: dict[FeatureName, Feature] = {
    "title n-grams": Feature("t", title_ngrams),
    "n-grams": Feature("g", current_ngrams),
    "previous n-grams": Feature("p", previous_ngrams),
    "next n-grams": Feature("n", next_ngrams),
    "title similarity": Feature("s", title_similarity),
    "location": Feature("l", location),
    "tense": Feature("v", tense),
    "tense by tags": Feature("v", tense),
    "places": Feature("i", places),
    "opening": Feature("o", opening),
    "length": Feature("w", length),
}


def analyses(abstracts: Iterable[Abstract], configuration: Configuration) -> Iterator[Analysis]:
    """Each abstract taken apart as far as the configuration's features need it, streaming.

    Raises:
        InputError: if a tense is asked for and the shipped pipeline can't be loaded.
    """
    return analyses_of(((one, labelled_sentences(one)) for one in abstracts), configuration)


def analyses_of(
    split: Iterable[tuple[Abstract, list[LabelledSentence]]], configuration: Configuration
) -> Iterator[Analysis]:
    """The same of abstracts whose sentences are known."""
    waiting = iter(split)
    while batch := list(islice(waiting, _BATCH)):
        texts = [sentence.text for _, inside in batch for sentence in inside]
        tense_of = iter(tenses(texts, configuration.features))
        for abstract, inside in batch:
            words = [_words(sentence.text, configuration) for sentence in inside]
            similar = "title similarity" in configuration.features
            texts = [sentence.text for sentence in inside] if similar else []
            with_title = "title n-grams" in configuration.features
            yield Analysis(
                abstract,
                inside,
                ngrams(_words(abstract.title, configuration)) if with_title else [],
                words,
                [_weighted(ngrams(of_sentence), configuration) for of_sentence in words],
                title_similarities(abstract.text, abstract.title, texts) if similar else [],
                list(islice(tense_of, len(inside))),
            )


def items(analysis: Analysis, configuration: Configuration) -> list[Item]:
    """What CRFsuite is given for each sentence: the keys of feature groups with values."""
    groups = [FEATURES[name] for name in configuration.features]
    return [
        {group.key: group.values(analysis, place) for group in groups}
        for place in range(len(analysis.words))
    ]


def _weighted(values: list[str], configuration: Configuration) -> list[str] | dict[str, float]:
    if configuration.shared_weight is None or not values:
        return values
    return dict.fromkeys(values, configuration.shared_weight / sqrt(len(values)))


def _words(text: str, configuration: Configuration) -> list[str]:
    words = tokens(text)
    if configuration.numbers_as_one:
        words = with_numbers_as_one(words)
    return stemmed(words) if configuration.stemmed else words

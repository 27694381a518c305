"""The features of an abstract's sentences, as CRFsuite takes them (paper B, section 3.1.2).

A feature group is one function, listed in `FEATURES`, which returns one or more values for the
number of a sentence in an `Analysis`. CRFsuite puts the group's key before the values.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import sqrt
from typing import NamedTuple

from citespan.pipelines.answers.zones.configuration import Configuration, FeatureName
from citespan.pipelines.answers.zones.sentences import LabelledSentence, split_and_label
from citespan.pipelines.answers.zones.tense import Tense, find_tenses
from citespan.pipelines.answers.zones.words import (
    compare_with_title,
    make_ngrams,
    replace_numbers,
    stem,
    tokenize,
)
from citespan.pipelines.batches import batched
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
    """An abstract and what its features are computed from, an entry in each list for each sentence.

    Attributes:
        similarities: with the title, from 0 to 1; empty if no feature needs them.
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
    """Uni- and bigrams of the title."""
    return analysis.title_ngrams


def current_ngrams(analysis: Analysis, place: int) -> Values:
    """Uni- and bigrams of the sentence."""
    return analysis.ngrams[place]


def previous_ngrams(analysis: Analysis, place: int) -> Values:
    """Uni- and bigrams of the previous sentence, or "^" if there is none."""
    return analysis.ngrams[place - 1] if place else "^"


def next_ngrams(analysis: Analysis, place: int) -> Values:
    """Uni- and bigrams of the next sentence, or "$" if there is none."""
    return analysis.ngrams[place + 1] if place + 1 < len(analysis.ngrams) else "$"


def title_similarity(analysis: Analysis, place: int) -> Values:
    """Cosine with the title in 11 bins, 0 to 10."""
    return str(round(_SIMILARITIES * analysis.similarities[place]))


def location(analysis: Analysis, place: int) -> Values:
    """Relative location, 1 to 10."""
    return str(1 + _LOCATIONS * place // len(analysis.words))


def tense(analysis: Analysis, place: int) -> Values:
    """Tense of the main verb."""
    return analysis.tenses[place]


def places(analysis: Analysis, place: int) -> Values:
    """Numbers of sentences before and after it, and of all. Not in the paper."""
    last = len(analysis.words) - 1
    return [
        f"<{min(place, _PLACES)}",
        f">{min(last - place, _PLACES)}",
        f"#{min(last, 2 * _PLACES)}",
    ]


def opening(analysis: Analysis, place: int) -> Values:
    """The first word, the first two and the first three. Not in the paper."""
    return [" ".join(analysis.words[place][:count]) for count in (1, 2, 3)]


def length(analysis: Analysis, place: int) -> Values:
    """Number of words, in steps of five. Not in the paper."""
    return str(min(len(analysis.words[place]) // _WORDS_A_STEP, _LONGEST))


class Feature(NamedTuple):
    """A feature group; `key` stands before each of its values in a model's file."""

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


def analyse_abstracts(
    abstracts: Iterable[Abstract], configuration: Configuration
) -> Iterator[Analysis]:
    """Split abstracts and analyse what the configuration's features need, streaming.

    Raises:
        InputError: if a feature needs the tense and the shipped pipeline can't be loaded.
    """
    return analyse_sentences(
        ((abstract, split_and_label(abstract)) for abstract in abstracts), configuration
    )


def analyse_sentences(
    split: Iterable[tuple[Abstract, list[LabelledSentence]]], configuration: Configuration
) -> Iterator[Analysis]:
    """Analyse abstracts that are already split, streaming; raises what `analyse_abstracts` does."""
    for batch in batched(split, _BATCH):
        texts = [sentence.text for _, inside in batch for sentence in inside]
        tense_of = iter(find_tenses(texts, configuration.features))
        for abstract, inside in batch:
            words = [_normalise_words(sentence.text, configuration) for sentence in inside]
            similar = "title similarity" in configuration.features
            texts = [sentence.text for sentence in inside] if similar else []
            with_title = "title n-grams" in configuration.features
            yield Analysis(
                abstract,
                inside,
                make_ngrams(_normalise_words(abstract.title, configuration)) if with_title else [],
                words,
                [_weigh(make_ngrams(of_sentence), configuration) for of_sentence in words],
                compare_with_title(abstract.text, abstract.title, texts) if similar else [],
                list(islice(tense_of, len(inside))),
            )


def make_items(analysis: Analysis, configuration: Configuration) -> list[Item]:
    """Return what CRFsuite takes for each sentence: the values of each feature group by its key."""
    groups = [FEATURES[name] for name in configuration.features]
    return [
        {group.key: group.values(analysis, place) for group in groups}
        for place in range(len(analysis.words))
    ]


def _weigh(values: list[str], configuration: Configuration) -> list[str] | dict[str, float]:
    if configuration.shared_weight is None or not values:
        return values
    return dict.fromkeys(values, configuration.shared_weight / sqrt(len(values)))


def _normalise_words(text: str, configuration: Configuration) -> list[str]:
    words = tokenize(text)
    if configuration.numbers_as_one:
        words = replace_numbers(words)
    return stem(words) if configuration.stemmed else words

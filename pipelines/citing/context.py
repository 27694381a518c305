"""Whether the sentence before a citing one belongs to the citation as well.

In "Deaths fell by half. This was also seen in Japan [3]", reference 3 is cited for both sentences.
Only the first marker of a sentence is asked for: what stands before belongs to the first clause.
Logistic regression decides over how the citing sentence begins, words that refer to others or to
one's own work, what both sentences share, and where markers stand.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise, repeat
from math import fsum, log
from pathlib import Path
from typing import Any, Final

from citespan.pipelines.logistic_model import LogisticModel
from citespan.pipelines.model_folder import ModelKind

APART: Final = "apart"
BELONGS: Final = "belongs"
_LONGEST: Final = 2_000  # characters of a sentence; a longer one is none
_WORD = re.compile(r"[^\W\d_][\w'’-]{0,40}")
_OWN: Final = frozenset(
    (
        *("we", "our", "us", "here", "figure", "fig", "table", "present study", "this study"),
        *("current study", "this work"),
    )
)
_REFERRING: Final = frozenset(
    (
        *("this", "these", "those", "such", "that", "they", "it", "its", "their", "he", "she"),
        *("both", "the latter", "the former", "the authors", "similar", "similarly", "likewise"),
        *("however", "moreover", "furthermore", "additionally", "also", "thus", "therefore"),
        *("hence", "consistent", "conversely", "indeed", "interestingly", "importantly"),
        *("specifically", "although", "while", "consequently", "finally", "one", "another"),
        *("other", "some", "most", "many", "here", "our", "we", "in addition", "in line"),
        *("in agreement", "in contrast", "in particular", "in this", "in these", "in that"),
        *("in our", "by contrast", "for example", "for instance", "on the", "as a"),
    )
)
_TELLING: Final = frozenset(
    (
        *("this", "these", "those", "such", "that", "their", "its", "the same", "similar"),
        *("consistent", "agreement", "line with", "comparable", "accordance", "previous"),
        *("previously", "reported", "confirm", "confirmed", "confirms", "support", "supports"),
        *("supported", "contrast", "finding", "findings", "result", "results", "observation"),
        *("observations", "phenomenon", "effect", "approach", "method", "model", "hypothesis"),
        *("studies", "study", "data", "process", "idea", "notion", "evidence", "explanation"),
    )
)
_PHRASES: Final = _OWN | _TELLING
_PAIRS: Final = frozenset(tuple(phrase.split()) for phrase in _PHRASES if " " in phrase)
"""Those of two words, split, so that not each pair of words has to be joined."""
_LEAST_LETTERS: Final = 4
_SHARES: Final = (0.05, 0.1, 0.2, 0.35)
_LENGTHS: Final = (60, 110, 180, 280)
_PLACES: Final = (0.3, 0.6, 0.85)
_MOST_MARKERS: Final = 4


@dataclass(frozen=True)
class ContextModel:
    """A model of whether the sentence before belongs to a citation.

    Attributes:
        threshold: the probability from which it does.
    """

    pairs: LogisticModel
    threshold: float

    def belongs(
        self, before: str, sentence: str, marker: tuple[int, int], markers: int, before_cites: int
    ) -> bool:
        """Return whether the sentence before a citing one belongs to the citation.

        Args:
            marker: (start, end) of the marker in the sentence.
            markers, before_cites: numbers of markers in the sentence, and in the one before.
        """
        if max(len(before), len(sentence)) > _LONGEST:
            return False
        features = _describe_pair(before, sentence, marker, markers, before_cites)
        return fsum(map(self._gains.get, features, repeat(0.0))) >= self._least

    @cached_property
    def _gains(self) -> dict[str, float]:
        """What each feature adds to the log-odds that the sentence belongs: a load asks of every
        citing sentence, and an array for each would take five times as long."""
        return {name: other - without for name, (without, other) in self.pairs.weights.items()}

    @cached_property
    def _least(self) -> float:
        without, other = self.pairs.intercepts
        return log(self.threshold / (1 - self.threshold)) - (other - without)


def describe_pair(
    before: str, sentence: str, marker: tuple[int, int], markers: int, before_cites: int
) -> frozenset[str]:
    """Return the features of a citing sentence and the one before, see `ContextModel.belongs`."""
    return frozenset(_describe_pair(before, sentence, marker, markers, before_cites))


def _describe_pair(
    before: str, sentence: str, marker: tuple[int, int], markers: int, before_cites: int
) -> Iterator[str]:
    earlier, phrases_before, other = _find_words(before)
    words, phrases, mine = _find_words(sentence)
    cites = f"before has {min(before_cites, 2)} markers"
    yield cites
    for length in range(1, min(3, len(words)) + 1):
        yield f"begins {' '.join(words[:length])}"
    yield f"begins {' '.join(words[:1])}, {cites}"
    for word in phrases & _TELLING:
        yield f"has {word}"
        yield f"has {word}, {cites}"
    own, own_before = phrases & _OWN, phrases_before & _OWN
    yield f"own work {bool(own)}, before {bool(own_before)}"
    yield f"own work {bool(own)}, before {bool(own_before)}, {cites}"
    yield from (f"own: {word}" for word in own)
    yield from (f"own before: {word}" for word in own_before)
    yield f"before begins {' '.join(earlier[:1])}"
    yield f"refers {_refers(words)}, before {_refers(earlier)}, {cites}"
    yield f"{min(markers, _MOST_MARKERS)} markers"
    yield f"marker at {bisect(_PLACES, marker[0] / max(1, len(sentence)))}"
    yield f"behind marker {min(2, (len(sentence) - marker[1]) // 20)}"
    yield f"marker names {'et al' in sentence[slice(*marker)]}"
    shared = bisect(_SHARES, len(mine & other) / max(1, min(len(mine), len(other))))
    yield f"shared {shared}"
    yield f"shared {shared}, {cites}"
    yield f"length {bisect(_LENGTHS, len(sentence))}"
    yield f"length before {bisect(_LENGTHS, len(before))}"


def _refers(words: Sequence[str]) -> bool:
    """Whether a sentence of these words begins as if it referred to the one before."""
    return not _REFERRING.isdisjoint((" ".join(words[:1]), " ".join(words[:2])))


@lru_cache(maxsize=2)  # where one citing sentence follows another, it is asked for again
def _find_words(text: str) -> tuple[list[str], set[str], set[str]]:
    """Return the words of a text, which of the telling and own phrases it has, each of one or two
    words, and which words that are long enough to be shared."""
    words = _WORD.findall(text.lower())
    pairs = _PAIRS.intersection(pairwise(words))
    phrases = {*_PHRASES.intersection(words), *map(" ".join, pairs)}
    return words, phrases, {word for word in words if len(word) >= _LEAST_LETTERS}


def _parse(folder: Path, head: Mapping[str, Any]) -> ContextModel:
    pairs, threshold = LogisticModel.parse(folder, head), float(head["threshold"])
    if pairs.classes != (APART, BELONGS) or not 0 < threshold < 1:
        raise ValueError("other classes, or a threshold that is no probability")
    return ContextModel(pairs, threshold)


KIND: Final = ModelKind(
    "context model",
    "citespan contexts train",
    1,
    "context.json",
    Path(__file__).parent / "models" / "context",
    _parse,
)
load_model: Final = KIND.load

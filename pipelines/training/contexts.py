"""Train the model of whether the sentence before belongs to a citation, and measure it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import orjson

from citespan.pipelines.citing.context import APART, BELONGS, KIND, ContextModel, describe_pair
from citespan.pipelines.errors import InputError
from citespan.pipelines.logistic_model import LogisticModel
from citespan.pipelines.precision_recall import PrecisionRecall
from citespan.pipelines.training.family import Files, assign_folds, judge_others, make_folds
from citespan.pipelines.training.logistic import fit_logistic_model

MARKER: Final = "CITATION_MARKER"
_TAG = re.compile(rf"</?{MARKER}>")
# Markers as the sentences of such windows have them: in brackets, with years, or behind a word.
_CITES = re.compile(
    r"\[\s?\d[^\]]{0,40}\]|\(\d{1,3}(?:[,–-]\s?\d{1,3}){0,9}\)|[.,a-z)]\d{1,3}(?:[,–-]\d{1,3}){0,9}"
    r"(?=\s|$|\.)|et al\.|[(\[][^()\[\]]{0,60}?\d{4}"
)
_LAST_NUMBER = re.compile(r"[\d,–-]{1,20}$")
_CLOSING = re.compile(
    rf"(?:[\s\d,()\[\]‐‑‒–—−-]|</?{MARKER}>)+(?:(?<=\s)(?=[^\W_a-z]|[“‘\"'])|\.?$)"
)
_PENALTY: Final = 0.2
_LEAST_EXAMPLES: Final = 3
_THRESHOLDS: Final = tuple(number / 20 for number in range(4, 15))


@dataclass(frozen=True)
class Window:
    """Sentences around a marker.

    Attributes:
        belonging: the numbers of the sentences that belong to the citation.
        marked: the number of that with the marker.
        features: of the sentence before and the marked one; None if there is none before, or
            another marker stands before this one in its sentence.
    """

    sentences: tuple[str, ...]
    belonging: frozenset[int]
    marked: int
    features: frozenset[str] | None

    @property
    def label(self) -> str:
        """Whether the sentence before belongs to the citation."""
        return BELONGS if self.marked - 1 in self.belonging else APART


@dataclass(frozen=True)
class ContextFigures:
    """Precision, recall and F1 over sentences, by system; of a set that is apart in `held_out`."""

    windows: int
    folds: Mapping[str, PrecisionRecall]
    held_out_windows: int
    held_out: Mapping[str, PrecisionRecall]
    threshold: float

    def to_json(self) -> dict[str, Any]:
        """Return the figures by name."""
        return {
            "windows": self.windows,
            "folds": {name: figures.to_json() for name, figures in self.folds.items()},
            "held_out_windows": self.held_out_windows,
            "held_out": {name: figures.to_json() for name, figures in self.held_out.items()},
            "threshold": self.threshold,
        }


def read_windows(file: Path) -> list[Window]:
    """Read windows: lines of JSON with `sentences`, of which one has the marker as
    `<CITATION_MARKER>…</CITATION_MARKER>`, and `labels`, 1 for those that belong to it. Windows
    without a marker are left out. Numbers in front of a sentence close the one before, as in
    articles (`hide_closing_markers`).

    Raises:
        InputError: if the file can't be read, or a line is no window.
    """
    found = []
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise InputError(f"{file}: can't be read: {error.strerror}") from error
    for number, line in enumerate(lines, start=1):
        try:
            record = orjson.loads(line)
            pairs = list(zip(record["sentences"], record["labels"], strict=True))
            window = _make_window(
                [str(text) for text, _ in pairs], [bool(label) for _, label in pairs]
            )
        except (ValueError, TypeError, KeyError) as error:
            raise InputError(f"{file}, line {number}: no window of sentences and labels") from error
        found += [window] if window is not None else []
    if not found:
        raise InputError(f"{file}: no window with a marker")
    return found


def _make_window(written: list[str], labels: list[bool]) -> Window | None:
    marked = next(
        (number for number, sentence in enumerate(written) if _TAG.search(sentence)), None
    )
    if marked is None:
        return None
    closing = _CLOSING.match(written[marked])
    if marked and closing and MARKER in closing[0]:
        written[marked] = written[marked][closing.end() :]
        marked -= 1
        written[marked] += closing[0].rstrip()
    belonging = frozenset(number for number, label in enumerate(labels) if label)
    sentences = tuple(_TAG.sub("", sentence) for sentence in written)
    features = None
    tags = [tag.start() for tag in _TAG.finditer(written[marked])]
    own = _TAG.sub("", written[marked][: tags[0]])
    if marked and not _CITES.search(_drop_own_bracket(own)):
        end = len(_TAG.sub("", written[marked][: tags[-1]]))
        before = sentences[marked - 1]
        features = describe_pair(
            before,
            sentences[marked],
            (len(own), max(end, len(own) + 1)),
            1 + len(_CITES.findall(sentences[marked][end:])),
            len(_CITES.findall(before)),
        )
    return Window(sentences, belonging, marked, features)


def _drop_own_bracket(before: str) -> str:
    """Return what stands before a marker, without the bracket that it is in."""
    opened = max(before.rfind("["), before.rfind("("))
    closed = max(before.rfind("]"), before.rfind(")"))
    return _LAST_NUMBER.sub("", before[:opened] if opened > closed else before)


@dataclass(frozen=True, eq=False)
class ContextFamily:
    """A `Family`: models of whether the sentence before belongs to a citation.

    Attributes:
        windows: to train on; those that share a sentence are in one fold.
        held_out: others, to measure on; may be empty.
    """

    windows: Sequence[Window]
    held_out: Sequence[Window] = ()
    kind = KIND

    @cached_property
    def chances(self) -> list[float]:
        """That the sentence before belongs, by models of the other folds."""
        folds = make_folds(assign_folds(_group(self.windows)))
        return judge_others(self.windows, folds, _fit, _judge)

    @cached_property
    def figures(self) -> ContextFigures:
        """See `Family`. The threshold is that of the highest F1 out of fold."""
        scores = {
            threshold: _score(self.windows, self.chances, threshold) for threshold in _THRESHOLDS
        }
        best = max(scores, key=lambda threshold: scores[threshold].f1)
        figures: dict[str, PrecisionRecall] = {}
        if self.held_out:
            judged = list(_judge(_fit(self.windows), self.held_out))
            figures = _compare(self.held_out, judged, best)
        return ContextFigures(
            len(self.windows),
            _compare(self.windows, self.chances, best),
            len(self.held_out),
            figures,
            best,
        )

    def fit(self) -> ContextModel:
        return ContextModel(_fit(self.windows), self.figures.threshold)

    def dump(self, model: ContextModel) -> Files:
        return {"threshold": model.threshold, **model.pairs.to_json()}, {}

    def describe(self, model: ContextModel) -> dict[str, Any]:
        return {
            "pairs": sum(window.features is not None for window in self.windows),
            "belonging": sum(window.label == BELONGS for window in self.windows),
            "features": len(model.pairs.weights),
        }


def _group(windows: Sequence[Window]) -> list[str]:
    """Return a name for each window, the same for those that share a sentence."""
    parents = list(range(len(windows)))

    def find(number: int) -> int:
        while parents[number] != number:
            number = parents[number]
        return number

    first: dict[str, int] = {}
    for number, window in enumerate(windows):
        for sentence in window.sentences:
            smaller, other = sorted((find(number), find(first.setdefault(sentence, number))))
            parents[other] = smaller
    return [str(find(number)) for number in range(len(windows))]


def _fit(windows: Sequence[Window]) -> LogisticModel:
    own = [(window.features, window.label) for window in windows if window.features is not None]
    if {label for _, label in own} != {APART, BELONGS}:
        raise InputError("windows of one class only; give more data")
    return fit_logistic_model(
        [features for features, _ in own],
        [label for _, label in own],
        [1.0] * len(own),
        _PENALTY,
        _LEAST_EXAMPLES,
    )


def _judge(model: LogisticModel, windows: Sequence[Window]) -> Iterator[float]:
    judged = model.predict([window.features or () for window in windows])[:, 1]
    for window, chance in zip(windows, judged, strict=True):
        yield float(chance) if window.features is not None else 0.0


def _compare(
    windows: Sequence[Window], chances: Sequence[float], threshold: float
) -> dict[str, PrecisionRecall]:
    return {
        "model": _score(windows, chances, threshold),
        "the marker's sentence alone": _score(windows, chances, 2.0),
    }


def _score(
    windows: Sequence[Window], chances: Sequence[float], threshold: float
) -> PrecisionRecall:
    found, expected = set(), set()
    for number, (window, chance) in enumerate(zip(windows, chances, strict=True)):
        found.add((number, window.marked))
        if chance >= threshold:
            found.add((number, window.marked - 1))
        expected |= {(number, sentence) for sentence in window.belonging}
    return PrecisionRecall.of(found, expected)

"""`spans.jsonl`: what systems retrieved, whole, so that runs can be compared later.

Each line is an object for one citance and one system: `system`, `citance` and `article` (ids),
and `spans`, best first, each with `first_sentence`, `last_sentence` (both included, from 0),
`start`, `end` (characters of the article's text) and `score`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.outcome import Outcome


@dataclass(frozen=True, slots=True)
class RetrievedSpan:
    """A span as the file has it."""

    first_sentence: int
    last_sentence: int
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class RetrievedSpans:
    """What one system retrieved for one citance, best first."""

    system: str
    citance: str
    article: str
    spans: tuple[RetrievedSpan, ...]


def write_spans(path: Path, outcomes: Mapping[str, Sequence[Outcome]]) -> None:
    """Write what each system retrieved, systems and citances in the order given; an existing
    file is replaced."""
    with path.open("wb") as file:
        for system, theirs in outcomes.items():
            for outcome in theirs:
                spans = tuple(
                    RetrievedSpan(
                        span.first_sentence,
                        span.last_sentence,
                        *outcome.interval(span),
                        span.score,
                    )
                    for span in outcome.spans
                )
                line = RetrievedSpans(system, outcome.citance.id, outcome.article.id, spans)
                file.write(orjson.dumps(asdict(line), option=orjson.OPT_APPEND_NEWLINE))


def read_spans(path: Path) -> Iterator[RetrievedSpans]:
    """The lines of a file that `write_spans` made, in order, streaming.

    Raises:
        InputError: if the file can't be opened or a line isn't of the format.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                yield _line(f"{path}:{number}", line)
    except OSError as error:
        raise InputError(f"{path}: can't be read ({error.strerror})") from error


def _line(place: str, line: bytes) -> RetrievedSpans:
    remedy = "run the experiment again to have it written anew"
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{place}: not JSON ({error}); {remedy}") from error
    try:
        system, citance, article = (fields[key] for key in ("system", "citance", "article"))
        spans = tuple(_span(span) for span in fields["spans"])
        if not all(isinstance(one, str) for one in (system, citance, article)):
            raise TypeError("an id is not a string")
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{place}: not a line of spans ({error}); {remedy}") from error
    return RetrievedSpans(system, citance, article, spans)


def _span(fields: dict[str, int | float]) -> RetrievedSpan:
    numbers = [fields[key] for key in ("first_sentence", "last_sentence", "start", "end")]
    score = fields["score"]
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError(f"sentences and offsets must be whole numbers, not {numbers}")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise TypeError(f"score must be a number, not {score!r}")
    first, last, start, end = (int(number) for number in numbers)
    if first > last or start >= end:
        raise ValueError(f"a span must not end before it starts: {numbers}")
    return RetrievedSpan(first, last, start, end, float(score))

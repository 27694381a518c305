"""`spans.jsonl`: what systems retrieved, whole, so that runs can be compared later.

Each line is an object for one citance and one system: `system`, `citance` and `article` (ids),
and `spans`, best first, each with `first_sentence`, `last_sentence` (both included, from 0),
`start`, `end` (characters of the article's text) and `score`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import orjson
from pydantic import BeforeValidator, Strict, TypeAdapter

from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.validation import validate_json


def _id(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("an id is not a string")
    return value


def _number(value: object) -> object:
    if type(value) is not int or value < 0:
        raise ValueError(f"sentences and offsets must be whole numbers, not {value!r}")
    return value


_Id = Annotated[str, BeforeValidator(_id)]
_Number = Annotated[int, BeforeValidator(_number)]


@dataclass(frozen=True, slots=True)
class RetrievedSpan:
    """A span as the file has it."""

    first_sentence: _Number
    last_sentence: _Number
    start: _Number
    end: _Number
    score: Annotated[float, Strict()]

    def __post_init__(self) -> None:
        if self.first_sentence > self.last_sentence or self.start >= self.end:
            raise ValueError("a span must not end before it starts")


@dataclass(frozen=True, slots=True)
class RetrievedSpans:
    """What one system retrieved for one citance, best first."""

    system: _Id
    citance: _Id
    article: _Id
    spans: tuple[RetrievedSpan, ...]


_LINE = TypeAdapter(RetrievedSpans)


def write_spans(path: Path, outcomes: Mapping[str, Sequence[Outcome]]) -> None:
    """Write what each system retrieved, systems and citances in the order given.

    An existing file is replaced.
    """
    with path.open("wb") as file:
        for system, theirs in outcomes.items():
            for outcome in theirs:
                spans = tuple(
                    RetrievedSpan(
                        span.first_sentence, span.last_sentence, *outcome.interval(span), span.score
                    )
                    for span in outcome.spans
                )
                line = RetrievedSpans(system, outcome.citance.id, outcome.article.id, spans)
                file.write(orjson.dumps(asdict(line), option=orjson.OPT_APPEND_NEWLINE))


def read_spans(path: Path) -> Iterator[RetrievedSpans]:
    """Read the lines of a file that `write_spans` made, in order, one at a time.

    Raises:
        InputError: if the file can't be opened or a line isn't of the format.
    """
    remedy = "run the experiment again to have it written anew"
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                yield validate_json(_LINE, line, f"{path}:{number}", "a line of spans", remedy)
    except OSError as error:
        raise InputError(f"{path}: can't be read ({error.strerror})") from error

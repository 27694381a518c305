"""TREC run and qrels files over sentences, for trec_eval and whatever reads its formats.

The unit is the sentence, since a run and its qrels must name the same documents and spans are
without number: docno `ARTICLE:NUMBER`, sentences counted from 0.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from citespan.pipelines.evaluation.outcome import Outcome


def write_run(path: Path, outcomes: Iterable[Outcome], system: str) -> None:
    """One line per sentence retrieved: `citance Q0 docno rank score system`.

    Sentences stand in the order of their spans, within a span in the article's, and each once.
    Its score is the span's, lowered where needed so that scores fall strictly: trec_eval goes
    by score alone, as a 32-bit float, and would put sentences of one score in an order of its
    own.
    """
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for outcome in outcomes:
            for rank, (number, score) in enumerate(_ranked(outcome), start=1):
                fields = (
                    safe(outcome.citance.id),
                    "Q0",
                    _docno(outcome, number),
                    str(rank),
                    f"{score:.9g}",
                    safe(system),
                )
                file.write(" ".join(fields) + "\n")


def write_qrels(path: Path, outcomes: Iterable[Outcome]) -> None:
    """One line per sentence marked: `citance 0 docno relevance`.

    The relevance is the number of annotators who marked it. A citance for which nobody marked
    a sentence has no line, so trec_eval leaves it out.
    """
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for outcome in outcomes:
            for number, annotators in outcome.annotators_by_sentence.items():
                docno = _docno(outcome, number)
                file.write(f"{safe(outcome.citance.id)} 0 {docno} {annotators}\n")


def safe(name: str) -> str:
    """The name without white space, which separates the fields: each such character, and "%"
    itself, as the percent signs and hex digits of its UTF-8. Names stay distinct."""
    return re.sub(
        r"[\s%]", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), name
    )


def _docno(outcome: Outcome, number: int) -> str:
    return f"{safe(outcome.article.id)}:{number}"


def _ranked(outcome: Outcome) -> Iterable[tuple[int, np.float32]]:
    below = np.float32(np.inf)
    seen: set[int] = set()
    for span in outcome.spans:
        for number in range(span.first_sentence, span.last_sentence + 1):
            if number in seen:
                continue
            seen.add(number)
            score = min(np.float32(span.score), np.nextafter(below, np.float32(-np.inf)))
            yield number, score
            below = score

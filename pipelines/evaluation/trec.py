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
    """Write a line for each sentence retrieved: `citance Q0 docno rank score system`.

    Sentences stand in the order of their spans, within a span in the article's, and each once.
    Its score is the span's, lowered where needed so that scores fall strictly: trec_eval goes
    by score alone, as a 32-bit float, and would put sentences of one score in an order of its
    own.
    """
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for outcome in outcomes:
            for rank, (number, score) in enumerate(_rank_sentences(outcome), start=1):
                fields = (
                    escape(outcome.citance.id),
                    "Q0",
                    _name_document(outcome, number),
                    str(rank),
                    f"{score:.9g}",
                    escape(system),
                )
                file.write(" ".join(fields) + "\n")


def write_qrels(path: Path, outcomes: Iterable[Outcome]) -> None:
    """Write a line for each sentence marked: `citance 0 docno relevance`.

    The relevance is the number of annotators who marked it. A citance for which nobody marked
    a sentence has no line, so trec_eval leaves it out.
    """
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for outcome in outcomes:
            for number, annotators in outcome.annotators_by_sentence.items():
                docno = _name_document(outcome, number)
                file.write(f"{escape(outcome.citance.id)} 0 {docno} {annotators}\n")


def escape(name: str) -> str:
    """Return a name without white space, which separates the fields.

    Each such character, and "%" itself, becomes the percent signs and hex digits of its UTF-8,
    so that names stay distinct.
    """
    return re.sub(
        r"[\s%]", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), name
    )


def _name_document(outcome: Outcome, number: int) -> str:
    return f"{escape(outcome.article.id)}:{number}"


def _rank_sentences(outcome: Outcome) -> Iterable[tuple[int, np.float32]]:
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

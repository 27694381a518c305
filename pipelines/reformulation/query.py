"""What a reformulation makes of a citance: weighted terms, ready to be searched."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a query.

    Attributes:
        text: as it stood in the citance, one word or several; Elasticsearch analyses it.
        weight: the factor on its score; a term that occurs twice counts twice.
        kind: "word", or "phrase" where the words must stand side by side.
    """

    text: str
    weight: float = 1.0
    kind: Literal["word", "phrase"] = "word"


def counted(words: Iterable[str]) -> tuple[Term, ...]:
    """Words as terms in the order of their first occurrence, weighted by how often they occur.

    Words that differ only in case are one term.
    """
    first: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for word in words:
        first.setdefault(word.lower(), word)
        counts[word.lower()] += 1
    return tuple(Term(first[key], float(count)) for key, count in counts.items())

"""Reformulations combined by `+` (paper A, section 2.3.6)."""

from dataclasses import dataclass

from citespan.pipelines.citing.marker_patterns import remove_markers
from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.query import Query, Term, Word
from citespan.pipelines.reformulation.reformulation import (
    Context,
    Need,
    Reformulation,
    reformulations,
)
from citespan.pipelines.text.words import word_offsets

_FIRST = "baseline"
PUBLISHED = ("umls-reduce+umls-expand", "np+umls-expand")
"""The combinations of paper A."""


@dataclass(frozen=True)
class Composition:
    """Reformulations in the order in which they are applied, all reductions first."""

    steps: tuple[Reformulation, ...]

    @property
    def name(self) -> str:
        """As in `--reformulation`."""
        return "+".join(step.name for step in self.steps)

    def check(self, context: Context) -> None:
        """Raise an InputError, with the remedy, if something that a step needs is missing."""
        for step in self.steps:
            missing = [need for need in step.needs if not _is_available(need, context)]
            if missing:
                raise InputError(f"{step.name} needs {_REMEDIES[missing[0]]}")

    def query(self, citance: str, context: Context) -> Query:
        """Return the citance reformulated.

        Raises:
            InputError: if something that a step needs is missing or can't be used.
        """
        self.check(context)
        text = remove_markers(citance)
        query = Query(text, tuple(Word(start, end) for start, end in word_offsets(text)))
        query = reformulations[_FIRST].reformulate(query, context)
        for step in self.steps:
            query = step.reformulate(query, context)
        return query

    def terms(self, citance: str, context: Context) -> tuple[Term, ...]:
        """Return the terms to search for; none if nothing of the citance is left."""
        return self.query(citance, context).terms()


def parse(name: str) -> Composition:
    """Return the composition of a name such as "np+umls-expand".

    Raises:
        UnknownNameError: for an unknown reformulation.
        InputError: if a name is missing or repeated, or a reduction follows an expansion.
    """
    names = [part.strip() for part in name.split("+")]
    if not all(names):
        raise InputError(
            f"reformulation '{name}': a name is missing; combine them as in np+umls-expand"
        )
    steps = tuple(reformulations[part] for part in names)
    if len(set(names)) < len(names):
        raise InputError(f"reformulation '{name}': name each one once")
    in_order = sorted(steps, key=lambda step: step.role == "expansion")
    if list(steps) != in_order:
        better = "+".join(step.name for step in in_order)
        raise InputError(f"reformulation '{name}': expansions come last; write {better}")
    return Composition(steps)


_REMEDIES: dict[Need, str] = {
    "vocabulary": "a vocabulary: name one by --vocabulary or CITESPAN_VOCABULARY, made by "
    "`citespan vocabulary build`",
    "search": "an article to search in: name one by --article, indexed by `citespan index`",
}


def _is_available(need: Need, context: Context) -> bool:
    if need == "vocabulary":
        return context.options.vocabulary is not None
    return context.first_spans is not None

"""What a reformulation is, the registry of all of them, and how `+` combines them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from citespan.pipelines.citing.marker_patterns import remove_markers
from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Query, Term, Word
from citespan.pipelines.registry import Registry
from citespan.pipelines.text.words import word_offsets


@dataclass(frozen=True)
class Context:
    """The options, and what is known of the reference article.

    Attributes:
        article_text: returns the text of the reference article, whose abbreviations then count;
            None where no article is named.
        first_spans: returns the texts of the first spans, at most so many, that terms find in
            the article; None where there is nothing to search.
    """

    options: Options = field(default_factory=Options)
    article_text: Callable[[], str] | None = None
    first_spans: Callable[[Sequence[Term], int], Sequence[str]] | None = None


Role = Literal["reduction", "expansion"]
Need = Literal["vocabulary", "search"]


class Reformulation(Protocol):
    """One step from a citance to the terms to search for (paper A, section 2.3).

    Steps combine (section 2.3.6): reductions keep some of the words, or weight them; expansions
    add terms to these. Every reformulation gets the words that `baseline` leaves.

    Attributes:
        name: as in `--reformulation`.
        description: one line for `--help`.
        role: a reduction, or an expansion, which comes after all reductions.
        needs: what it can't do without: a vocabulary, an article to search in.
    """

    name: str
    description: str
    role: Role
    needs: tuple[Need, ...]

    def reformulate(self, query: Query, context: Context) -> Query:
        """Return the query with fewer words, other weights or more terms.

        Raises:
            InputError: if a resource that the options name can't be used.
        """
        ...


reformulations: Registry[Reformulation] = Registry(
    "reformulation", "citespan.pipelines.reformulation", "citespan.reformulations", Reformulation
)


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
    "vocabulary": "a vocabulary: name one by `vocabulary` or CITESPAN_VOCABULARY, made by "
    "`citespan vocabulary build`",
    "search": "an article to search in: name one by `article`, indexed by `citespan index`",
}


def _is_available(need: Need, context: Context) -> bool:
    if need == "vocabulary":
        return context.options.vocabulary is not None
    return context.first_spans is not None

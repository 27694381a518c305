"""Annotators' records brought together as citances."""

from collections.abc import Iterable
from dataclasses import dataclass

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.collection import Annotation, Citance


@dataclass(frozen=True, slots=True)
class Marked:
    """What one annotator marked for one citance.

    Attributes:
        passage: where in the citing article the citance stands, as the collection says it; ""
            where a number and a citing article are enough to tell citances apart.
        spans: sorted, without overlap.
    """

    source: str
    topic: str
    number: str
    article_id: str
    citing_article: str
    passage: str
    text: str
    marker: str
    annotator: str
    spans: tuple[tuple[int, int], ...]


def gather(marked: Iterable[Marked]) -> tuple[list[Citance], list[Rejected]]:
    """Citances in the order of their first record, and the records that repeat another.

    Records belong to one citance if topic, number, citing article and passage agree and their
    annotators differ. Collections use a number for several citing sentences too: a second record
    of the same annotator is another citance, unless it says just what the first did. The id is
    "topic/number", with "-2" and so on where that is taken.
    """
    groups: dict[tuple[str, ...], list[dict[str, Marked]]] = {}
    order: list[dict[str, Marked]] = []
    repeated = []
    for one in marked:
        key = (one.topic, one.number, one.citing_article, one.passage)
        citances = groups.setdefault(key, [])
        twin = next((c[one.annotator] for c in citances if _same(c.get(one.annotator), one)), None)
        if twin is not None:
            repeated.append(Rejected(one.source, f"says the same as {twin.source}"))
            continue
        free = next((c for c in citances if one.annotator not in c), None)
        if free is None:
            free = {}
            citances.append(free)
            order.append(free)
        free[one.annotator] = one
    taken: set[str] = set()
    return [_citance(by_annotator, taken) for by_annotator in order], repeated


def joined(spans: Iterable[tuple[int, int]], gap: int = 0) -> tuple[tuple[int, int], ...]:
    """Spans sorted, those that overlap or stand at most `gap` characters apart made one."""
    result: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1] + gap:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return tuple(result)


def _same(first: Marked | None, second: Marked) -> bool:
    return first is not None and (first.text, first.marker, first.spans) == (
        second.text,
        second.marker,
        second.spans,
    )


def _citance(by_annotator: dict[str, Marked], taken: set[str]) -> Citance:
    first = next(iter(by_annotator.values()))
    plain = "".join(f"{first.topic}/{first.number}".split())
    identifier, again = plain, 1
    while identifier in taken:
        again += 1
        identifier = f"{plain}-{again}"
    taken.add(identifier)
    return Citance(
        id=identifier,
        topic=first.topic,
        number=first.number,
        article_id=first.article_id,
        citing_article=first.citing_article,
        text=first.text,
        marker=first.marker,
        annotations=tuple(
            Annotation(annotator, one.spans) for annotator, one in sorted(by_annotator.items())
        ),
    )

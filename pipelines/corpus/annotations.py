"""The annotation records that TAC 2014 and CL-SciSumm share, brought together as citances.

A record is a line (in some files wrapped) of `Field: value |` pairs.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.collection import Annotation, Citance

_FIELDS = (
    *("Topic ID", "Citance Number", "Citation Number", "Reference Article", "Citing Article"),
    *("Citation Marker Offset", "Citation Marker", "Citation Offset", "Citation Text"),
    *("Reference Offset", "Reference Text", "Discourse Facet", "Annotator"),
)
_SAME = {"citation number": "citance number"}
_REQUIRED = ("citance number", "citing article", "citation text", "reference offset")
_FIELD = re.compile(rf"(?:^|\|)[ \t]*({'|'.join(_FIELDS)})[ \t]*:", re.IGNORECASE | re.MULTILINE)
_STARTS = (
    re.compile(r"^[ \t]*Topic ID[ \t]*:", re.IGNORECASE | re.MULTILINE),
    re.compile(r"^[ \t]*Cit(?:ance|ation) Number[ \t]*:", re.IGNORECASE | re.MULTILINE),
)
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_FACET = re.compile(r"(?<![a-z])(?:citation(?=[a-z]))*+([a-z]++)[ _]++citation", re.IGNORECASE)
_SAME_FACET = {"result": "results"}
_FILE_ENDING = re.compile(r"\.(?:txt|xml)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnnotationRecord:
    """One record. `fields` has lower-case names as keys, such as "reference offset"."""

    source: str
    fields: dict[str, str]

    def __getitem__(self, name: str) -> str:
        return self.fields.get(name, "")

    @property
    def facets(self) -> tuple[str, ...]:
        """The discourse facets, in lower case, of "Results_Citation" or a list of such names."""
        named = (one.lower() for one in _FACET.findall(self["discourse facet"]))
        return tuple(sorted({_SAME_FACET.get(one, one) for one in named}))

    def article(self, name: str) -> str:
        """Return the article that a field names, without a file ending."""
        return _FILE_ENDING.sub("", self[name])


def parse_annotations(text: str, source: str) -> Iterator[AnnotationRecord | Rejected]:
    """Yield the records of one annotation file; file and number, from 1, are each one's source.

    Args:
        text: the decoded file.
        source: the file's name for messages.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    for number, written in enumerate(_split(text), 1):
        place = f"{source}, record {number}"
        fields: dict[str, str] = {}
        marks = list(_FIELD.finditer(written))
        ends = [*(mark.start() for mark in marks[1:]), len(written)]
        for mark, end in zip(marks, ends, strict=False):
            name = mark[1].lower()
            value = " ".join(written[mark.end() : end].split()).rstrip("| ")
            fields.setdefault(_SAME.get(name, name), value)
        missing = [name for name in _REQUIRED if not fields.get(name)]
        if missing:
            yield Rejected(place, f"no {' and no '.join(missing)}")
        else:
            yield AnnotationRecord(place, fields)


def _split(text: str) -> Iterator[str]:
    """Blank lines part records unless the one before is still open (no "|" at its end); so does
    the name of a first field at the start of a line."""
    start = next((s for s in _STARTS if s.search(text)), None)
    blocks: list[str] = []
    for block in _BLANK_LINES.split(text.strip()):
        opens = start is not None and start.match(block)
        if blocks and not opens and not blocks[-1].rstrip().endswith("|"):
            blocks[-1] += "\n" + block
        else:
            blocks.append(block)
    for block in blocks:
        places = [m.start() for m in start.finditer(block)] if start else []
        for begin, end in zip([0, *places], [*places, len(block)], strict=True):
            if block[begin:end].strip():
                yield block[begin:end]


@dataclass(frozen=True, slots=True)
class Marked:
    """What one annotator marked for one citance.

    Attributes:
        passage: where in the citing article the citance stands, as the collection says it; ""
            where a number and a citing article are enough to tell citances apart.
        spans: sorted, without overlap.
        facets: of discourse that the annotator named, as "method".
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
    facets: tuple[str, ...] = ()


def gather_citances(marked: Iterable[Marked]) -> tuple[list[Citance], list[Rejected]]:
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
        facets=tuple(sorted({facet for one in by_annotator.values() for facet in one.facets})),
    )

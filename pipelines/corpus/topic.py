"""Topics of a collection, one reference article each, put together from annotation records.

TAC 2014 and CL-SciSumm share the records: lines (in some files wrapped) of `Field: value |` pairs.
"""

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.collection import Annotation, Citance, Collection
from citespan.pipelines.corpus.file_reader import FileReader
from citespan.pipelines.corpus.files import decode, holds_folder, list_files, read_bytes, source_of
from citespan.pipelines.errors import InputError

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
_FACET = re.compile(r"(?<![a-z])(?>(?:citation(?=[a-z]))*)([a-z]++)[ _]++citation", re.IGNORECASE)
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
        named = (name.lower() for name in _FACET.findall(self["discourse facet"]))
        return tuple(sorted({_SAME_FACET.get(name, name) for name in named}))

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
        label: what the spans do to the citance, as the collection says it; "" where it does not.
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
    label: str = ""


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
    for record in marked:
        key = (record.topic, record.number, record.citing_article, record.passage)
        citances = groups.setdefault(key, [])
        twin = next(
            (c[record.annotator] for c in citances if _same(c.get(record.annotator), record)), None
        )
        if twin is not None:
            repeated.append(Rejected(record.source, f"says the same as {twin.source}"))
            continue
        free = next((c for c in citances if record.annotator not in c), None)
        if free is None:
            free = {}
            citances.append(free)
            order.append(free)
        free[record.annotator] = record
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
            Annotation(annotator, marked.spans)
            for annotator, marked in sorted(by_annotator.items())
        ),
        facets=tuple(
            sorted({facet for marked in by_annotator.values() for facet in marked.facets})
        ),
        label=first.label,
    )


_LOOKED_AT = 100


@dataclass(slots=True)
class Topic:
    """What one topic's folder holds."""

    article: Article | Rejected
    marked: list[Marked] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    unusable: list[Rejected] = field(default_factory=list)

    def take(
        self,
        records: Iterable[AnnotationRecord | Rejected],
        mark: Callable[[AnnotationRecord], Marked | Rejected],
    ) -> None:
        """Sort records into those that `mark` can use and those it can't."""
        for record in records:
            marked = record if isinstance(record, Rejected) else mark(record)
            if isinstance(marked, Rejected):
                self.rejected.append(marked)
            else:
                self.marked.append(marked)


class TopicReader(FileReader):
    """The base of readers of collections: a unit is a topic's folder, with one reference article.

    Attributes:
        inside: the folder by whose name a topic is known.
    """

    inside: str

    @abstractmethod
    def read_topic(self, folder: Path) -> Topic:
        """Read a topic with its annotations."""

    def is_unit(self, folder: Path) -> bool:
        return holds_folder(folder, self.inside)

    def looks_like(self, file: Path) -> bool:
        return self.is_unit(file)

    def recognises(self, path: Path) -> bool:
        """Return whether a topic is among the first hundred files and topics below `path`."""
        return path.is_dir() and any(map(self.is_unit, islice(self.find(path), _LOOKED_AT)))

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:  # noqa: ARG002
        yield self.read_topic(file).article

    def collection(self, path: Path) -> Collection:
        topics = (self.read_topic(unit) for unit in self.find(path) if self.is_unit(unit))
        return collect_topics(self.name, path, topics)


def read_annotations(folder: Path) -> tuple[list[AnnotationRecord | Rejected], list[Rejected]]:
    """Return the annotation records of the .txt files in `folder`, and those files that can't be
    read."""
    records: list[AnnotationRecord | Rejected] = []
    broken = []
    for file in list_files(folder, ".txt"):
        try:
            records += parse_annotations(decode(read_bytes(file)), source_of(file))
        except InputError as error:
            broken.append(Rejected(source_of(file), str(error)))
    return records, broken


def collect_topics(name: str, path: Path, topics: Iterable[Topic]) -> Collection:
    """Return the topics below `path` as one collection.

    Raises:
        InputError: if there is no topic.
    """
    articles: dict[str, Article] = {}
    marked: list[Marked] = []
    rejected: list[Rejected] = []
    unusable: list[Rejected] = []
    remarks: list[str] = []
    count = records = 0
    for topic in topics:
        count += 1
        records += len(topic.marked) + len(topic.rejected)
        rejected += topic.rejected
        remarks += topic.remarks
        unusable += topic.unusable
        article = topic.article
        if isinstance(article, Article) and article.id in articles:
            first = articles[article.id].source
            article = Rejected(article.source, f"{first} is topic {article.id} already")
        if isinstance(article, Rejected):
            unusable.append(article)
            reason = f"its reference article can't be used: {article.reason}"
            rejected += (Rejected(m.source, reason, article.outcome) for m in topic.marked)
            continue
        articles[article.id] = article
        if not topic.marked and not topic.rejected:
            unusable.append(Rejected(article.source, "no annotation records", "skipped"))
        marked += topic.marked
    if not count:
        raise InputError(f"{path}: no {name} topic there; give a topic's folder or one of topics")
    citances, repeated = gather_citances(marked)
    return Collection(
        name=f"{name}:{path.resolve().name}",
        articles=articles,
        citances=tuple(citances),
        rejected=tuple(rejected + repeated),
        records=records,
        unusable=tuple(unusable),
        remarks=tuple(remarks),
    )

"""Topics of a collection, one reference article each, put together."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from citespan.pipelines.corpus.annotation_record import AnnotationRecord, annotation_records
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.citances import Marked, gather
from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.corpus.files import decoded, read_bytes, units, visible
from citespan.pipelines.errors import InputError

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


def has_topics(path: Path, is_topic: Callable[[Path], bool]) -> bool:
    """Whether a topic is among the first things below `path`."""
    return path.is_dir() and any(is_topic(p) for p in islice(units(path, is_topic), _LOOKED_AT))


def topic_records(folder: Path) -> tuple[list[AnnotationRecord | Rejected], list[Rejected]]:
    """The annotation records of the .txt files in `folder`, and those files that can't be read."""
    records: list[AnnotationRecord | Rejected] = []
    broken = []
    for file in visible(folder, ".txt"):
        try:
            records += annotation_records(decoded(read_bytes(file)), str(file))
        except InputError as error:
            broken.append(Rejected(str(file), str(error)))
    return records, broken


def collect(name: str, path: Path, topics: Iterable[Topic]) -> Collection:
    """The topics below `path` as one collection.

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
    citances, repeated = gather(marked)
    return Collection(
        name=f"{name}:{path.resolve().name}",
        articles=articles,
        citances=tuple(citances),
        rejected=tuple(rejected + repeated),
        records=records,
        unusable=tuple(unusable),
        remarks=tuple(remarks),
    )

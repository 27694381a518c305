"""TAC 2014 BiomedSumm: biomedical reference articles with citances and four annotators each.

A topic is a folder `D1401_TRAIN` with `Documents_Text/*.txt` (reference and citing articles) and
`Annotation/*.txt`, one file an annotator (see `annotations`); the official layout has the
topics in a folder `data`.

- Offsets count characters, the byte-order mark among them and carriage returns not. So the
  article's text is its document in UTF-8 without carriage returns and *with* the byte-order
  mark as character 0; the sections leave it out. The end of an offset pair is exclusive.
- The article's id is the topic's name; it is also known by its document's.
- A record whose offsets can't be read or lie outside the article is rejected. One whose
  "Reference Text" isn't what stands at its offsets is used by its offsets, with a remark
  (letters and digits are compared; "..." may stand for a gap).
"""

import re
from collections import Counter
from pathlib import Path

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import holds_folder, list_files, read_utf8, source_of
from citespan.pipelines.corpus.paragraphs import split_title
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.topic import (
    AnnotationRecord,
    Marked,
    Topic,
    TopicReader,
    read_annotations,
)
from citespan.pipelines.errors import InputError
from citespan.pipelines.intervals import union

_PAIR = re.compile(r"(\d{1,9})\s*[-–]\s*(\d{1,9})")
_BETWEEN_PAIRS = re.compile(r"[\[\]\s'\",;]*")
_NOT_COMPARED = re.compile(r"[\W_]+")
_FILE_ANNOTATOR = re.compile(r"\.([A-Za-z])\.", re.IGNORECASE)
_INSIDE = "Documents_Text"


@readers.register
class Tac2014Reader(TopicReader):
    """Reads topics' reference articles; as a collection, their citances too."""

    name = "tac2014"
    description = "TAC 2014 BiomedSumm topics: reference articles with annotated citances"

    inside = _INSIDE

    def read_topic(self, folder: Path) -> Topic:
        if not holds_folder(folder, _INSIDE):
            reason = f"not a TAC 2014 topic: no folder {_INSIDE} in it"
            return Topic(Rejected(source_of(folder), reason, "skipped"))
        records, broken = read_annotations(folder / "Annotation")
        named = Counter(
            r.article("reference article") for r in records if isinstance(r, AnnotationRecord)
        )
        named.pop("", None)
        reference = named.most_common(1)[0][0] if named else ""
        topic = Topic(_article(folder, reference), unusable=broken)
        topic.take(records, lambda record: _marked(record, topic, folder, reference))
        return topic


def _article(folder: Path, reference: str) -> Article | Rejected:
    if not reference:
        return Rejected(
            source_of(folder), "no record in its Annotation names the reference article"
        )
    documents = list_files(folder / _INSIDE, ".txt")
    file = next((d for d in documents if d.stem.lower() == reference.lower()), None)
    if file is None:
        return Rejected(source_of(folder), f"no {reference}.txt in Documents_Text")
    try:
        text = read_utf8(file).replace("\r", "")
    except InputError as error:
        return Rejected(source_of(file), str(error))
    if not text.strip("\ufeff \t\n"):
        return Rejected(source_of(file), "no text", "skipped")
    title, sections = split_title(text)
    return Article(
        id=folder.resolve().name,
        title=title,
        text=text,
        source=source_of(file),
        sections=sections,
        also_known_as=(file.stem,),
    )


def _marked(
    record: AnnotationRecord, topic: Topic, folder: Path, reference: str
) -> Marked | Rejected:
    named = record.article("reference article")
    if named.lower() != reference.lower():
        reason = f"its reference article is {named or 'not given'}, the topic's is {reference}"
        return Rejected(record.source, reason)
    offsets = record["reference offset"]
    pairs = [(int(m[1]), int(m[2])) for m in _PAIR.finditer(offsets)]
    if not pairs or not _BETWEEN_PAIRS.fullmatch(_PAIR.sub("", offsets)):
        return Rejected(record.source, f"reference offset is not a list of pairs: {offsets[:60]}")
    article = topic.article
    text = article.text if isinstance(article, Article) else ""
    if text:
        outside = next((p for p in pairs if not 0 <= p[0] < p[1] <= len(text)), None)
        if outside is not None:
            where = f"{outside[0]}-{outside[1]}"
            reason = f"reference offset {where} is not within the {len(text)} characters"
            return Rejected(record.source, f"{reason} of {reference}")
        quoted = _comparable(record["reference text"])
        if quoted and quoted != _comparable("".join(text[s:e] for s, e in pairs)):
            topic.remarks.append(
                f"{record.source}: reference text is not what stands at {offsets[:60]}, "
                "which is used"
            )
    file_annotator = _FILE_ANNOTATOR.search(Path(record.source).name)
    name = folder.resolve().name
    return Marked(
        source=record.source,
        topic=name,
        number=record["citance number"],
        article_id=name,
        citing_article=record.article("citing article"),
        passage="",
        text=record["citation text"],
        marker=record["citation marker"],
        annotator=record["annotator"] or (file_annotator[1] if file_annotator else ""),
        spans=union(pairs),
        facets=record.facets,
    )


def _comparable(text: str) -> str:
    return _NOT_COMPARED.sub("", text)

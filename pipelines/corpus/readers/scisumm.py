"""CL-SciSumm: computational-linguistics papers with their own sentences, and who cites them.

A topic is a folder with `Reference_XML/<topic>.xml` (sentences `<S sid>` in sections) and
`annotation/*.txt` (see `annotations`). Encodings differ and are guessed (`files.decode`).

- The article's id is the topic's name. Its sentences are those of the file; a section's are
  joined by spaces. `sid` 0, the title, is a section of its own. An `<S>` without `sid` is a
  sentence that no record can name; of two with one `sid` the first is meant.
- A record whose "Reference Offset" isn't a list of sids, or names one that the article lacks, is
  rejected as a whole: half of a gold standard would be another one. One whose "Reference Text"
  quotes other sids than the offsets is used by its offsets, with a remark.
- Numbers are not unique in a topic: a citance is identified by its number, the citing article and
  the "Citation Offset".
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from citespan.pipelines.corpus.article import Article, Rejected, Sentence
from citespan.pipelines.corpus.files import holds_folder, list_files, read_bytes, source_of
from citespan.pipelines.corpus.paragraphs import Heading, collapse_space, lay_out
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.topic import (
    AnnotationRecord,
    Marked,
    Topic,
    TopicReader,
    read_annotations,
)
from citespan.pipelines.corpus.xml import local_name, mend, parse
from citespan.pipelines.errors import InputError
from citespan.pipelines.intervals import union

_SENTENCE_TAG = re.compile(r"</?S\b[^<>]*>", re.IGNORECASE)
_QUOTED_SID = re.compile(r"<S\s+sid\s*=\s*[\"'](\d{1,9})[\"']", re.IGNORECASE)
_SID_LIST = re.compile(r"[\[\s'\",]*\d{1,9}(?:[\s'\",]+\d{1,9})*[\]\s'\",]*")
_SECTION_BREAK = 2

Spans = dict[str, tuple[int, int]]
_INSIDE = "Reference_XML"


@readers.register
class SciSummReader(TopicReader):
    """Reads topics' reference papers; as a collection, their citances too."""

    name = "scisumm"
    description = "CL-SciSumm topics: reference papers in XML with annotated citances"

    inside = _INSIDE

    def read_topic(self, folder: Path) -> Topic:
        article, spans = _article(folder)
        records, broken = read_annotations(folder / "annotation")
        topic = Topic(article, unusable=broken)
        topic.take(records, lambda record: _marked(record, topic, folder, spans))
        return topic

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:  # noqa: ARG002
        """Read the reference paper without the annotations."""
        yield _article(file)[0]


def _article(topic: Path) -> tuple[Article | Rejected, Spans]:
    """Return the reference paper of a topic, and the span of each of its sids."""
    if not holds_folder(topic, _INSIDE):
        reason = f"not a CL-SciSumm topic: no folder {_INSIDE} in it"
        return Rejected(source_of(topic), reason, "skipped"), {}
    name = topic.resolve().name
    files = list_files(topic / _INSIDE, ".xml")
    named = [file for file in files if file.stem.lower() == name.lower()] or files
    if len(named) != 1:
        return Rejected(
            source_of(topic), f"{len(named)} files in Reference_XML, not one {name}.xml"
        ), {}
    file = named[0]
    try:
        root = parse(mend(read_bytes(file)))
    except InputError as error:
        return Rejected(source_of(file), str(error)), {}
    blocks = _blocks(root)
    spans: Spans = {}
    sentences = []
    start = 0
    for _, block in blocks:
        for sid, text in block:
            sentences.append(Sentence(start, start + len(text)))
            spans.setdefault(sid, (start, start + len(text)))
            start += len(text) + 1
        start += 1
    spans.pop("", None)
    if not sentences:
        return Rejected(source_of(file), "no text", "skipped"), {}
    text, sections = lay_out((h, " ".join(t for _, t in block)) for h, block in blocks)
    article = Article(
        id=name,
        title=next((text[s.start : s.end] for s in sections if s.kind == "title"), ""),
        text=text,
        source=source_of(file),
        sections=sections,
        sentences=tuple(sentences),
        also_known_as=() if file.stem == name else (file.stem,),
    )
    return article, spans


def _blocks(root: etree._Element) -> list[tuple[Heading, list[tuple[str, str]]]]:
    """Return the (sid, text) of the sentences that stand together, with their heading."""
    blocks: list[tuple[Heading, list[tuple[str, str]]]] = []
    parent = None
    for node in root.iter("{*}S"):
        if next(node.iterancestors("{*}S"), None) is not None:
            continue  # part of the sentence that it is in; as one of its own it would be text twice
        text = collapse_space("".join(map(str, node.itertext())))
        if not text:
            continue
        sid = (node.get("sid") or "").strip()
        if not blocks or node.getparent() is not parent or sid == "0":
            parent = node.getparent() if sid != "0" else None
            blocks.append((_heading(node, sid), []))
        blocks[-1][1].append((sid, text))
    return blocks


def _heading(node: etree._Element, sid: str) -> Heading:
    if sid == "0":
        return Heading("", "title")
    heading = Heading("")
    for above in reversed(list(node.iterancestors())):
        if local_name(above.tag) == "ABSTRACT":
            heading = heading.below("Abstract", "abstract")
        else:
            heading = heading.below(collapse_space(above.get("title") or "").rstrip(" ."))
    return heading


def _marked(
    record: AnnotationRecord, topic: Topic, folder: Path, spans: Spans
) -> Marked | Rejected:
    name = folder.resolve().name
    reference = record.article("reference article")
    if reference and reference.lower() != name.lower():
        return Rejected(record.source, f"its reference article is {reference}, not {name}")
    offsets = record["reference offset"]
    if not _SID_LIST.fullmatch(offsets):
        return Rejected(record.source, f"reference offset is not a list of sids: {offsets[:60]}")
    sids = list(dict.fromkeys(str(int(sid)) for sid in re.findall(r"\d+", offsets)))
    unknown = [sid for sid in sids if sid not in spans]
    if unknown and isinstance(topic.article, Article):
        return Rejected(record.source, f"{name} has no sentence with sid {', '.join(unknown)}")
    quoted = set(_QUOTED_SID.findall(record["reference text"]))
    if quoted and quoted != set(sids):
        topic.remarks.append(
            f"{record.source}: reference text quotes sids {_listed(quoted)}, "
            f"reference offset says {_listed(sids)}, which is used"
        )
    return Marked(
        source=record.source,
        topic=name,
        number=record["citance number"],
        article_id=name,
        citing_article=record.article("citing article"),
        passage=",".join(re.findall(r"\d+", record["citation offset"])),
        text=_plain(record["citation text"]),
        marker=record["citation marker"],
        annotator=record["annotator"],
        spans=union((spans[sid] for sid in sids if sid in spans), gap=_SECTION_BREAK),
        facets=record.facets,
    )


def _listed(sids: set[str] | list[str]) -> str:
    return ", ".join(sorted(sids, key=int))


def _plain(text: str) -> str:
    return collapse_space(html.unescape(_SENTENCE_TAG.sub(" ", text)))

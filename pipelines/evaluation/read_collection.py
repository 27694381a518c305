"""Collections by the names that users give them, and split into sentences.

A collection of one's own in the formats of TREC: `trec:FOLDER`.

The folder has

- `articles`: a file or folder of any format that citespan reads;
- `topics.tsv`: a line for each topic, its number, a tab and its text; or `topics.xml`: an element
  `topic` for each, with the attribute `number`, and its text in `question`, `query` or `title`;
- `qrels.txt`: lines `TOPIC 0 ARTICLE:SENTENCE RELEVANCE` as run folders have them, sentences
  counted from 0 as `citespan show --sentences` numbers them. What is above 0 is relevant.

A topic is a citance of each article that has a relevant sentence for it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote

from citespan.pipelines.corpus.article import Article, Rejected, Sentence
from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.corpus.files import decode, read_bytes, source_of
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.reader import CollectionReader, readers
from citespan.pipelines.corpus.topic import Marked, Topic, collect_topics
from citespan.pipelines.corpus.xml import BadXmlError, parse
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit_reading import read_articles
from citespan.pipelines.intervals import union
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters

FORMAT = "trec"
_TEXTS = ("question", "query", "title")
_LINE = re.compile(r"(\S+)\s+\S+\s+(\S+):(\d{1,9})\s+(-?\d{1,9})", re.ASCII)


def read_trec_collection(folder: Path) -> Collection:
    """Read a collection; each line that can't be used is rejected with its place.

    Raises:
        InputError: if a file is missing or can't be read.
    """
    given = [folder / name for name in ("topics.tsv", "topics.xml") if (folder / name).exists()]
    if len(given) != 1:
        raise InputError(f"{folder}: put the topics there, as topics.tsv or as topics.xml")
    for name in ("articles", "qrels.txt"):
        if not (folder / name).exists():
            raise InputError(f"{folder / name}: no such file or folder; put it there")
    texts = _read_topics(given[0])
    sources = Sources([str(folder / "articles")], "auto")
    topics = [Topic(reading) for reading in read_articles(sources)]
    articles = {
        topic.article.id: topic.article for topic in topics if isinstance(topic.article, Article)
    }
    qrels = _Qrels(texts, articles)
    source = source_of(folder / "qrels.txt")
    for number, line in enumerate(decode(read_bytes(folder / "qrels.txt")).splitlines(), start=1):
        if line.strip():
            qrels.read(line, f"{source}:{number}")
    for topic in topics:
        if isinstance(topic.article, Article):
            topic.marked += qrels.mark(topic.article)
    asked = {number for number, _ in qrels.relevant}
    unasked = [
        Rejected(f"{source_of(given[0])}, topic {number}", "no relevant sentence", "skipped")
        for number in texts
        if number not in asked
    ]
    read = collect_topics(FORMAT, folder, topics)
    return replace(
        read,
        records=read.records + len(qrels.rejected),
        rejected=(*read.rejected, *qrels.rejected),
        unusable=(*read.unusable, *unasked),
    )


def _read_topics(file: Path) -> dict[str, str]:
    """Return the texts of topics by number.

    Raises:
        InputError: if one has no number or text, or two have the same number.
    """
    topics: dict[str, str] = {}
    parse_topics = _parse_xml if file.suffix == ".xml" else _parse_lines
    try:
        parsed = list(parse_topics(read_bytes(file)))
    except BadXmlError as error:
        raise InputError(f"{source_of(file)}: {error}") from error
    for place, number, text in parsed:
        if not number or not text or number in topics:
            problem = "the number is another's too" if number in topics else "no number or no text"
            raise InputError(f"{source_of(file)}, {place}: {problem}; give each topic both")
        topics[number] = text
    if not topics:
        raise InputError(f"{source_of(file)}: no topic there")
    return topics


def _parse_lines(data: bytes) -> Iterator[tuple[str, str, str]]:
    for count, line in enumerate(decode(data).splitlines(), start=1):
        if line.strip():
            number, _, text = line.partition("\t")
            yield f"line {count}", number.strip(), collapse_space(text)


def _parse_xml(data: bytes) -> Iterator[tuple[str, str, str]]:
    for count, topic in enumerate(parse(data).iter("topic"), start=1):
        named = (topic.find(name) for name in _TEXTS)
        element = next((child for child in named if child is not None), topic)
        text = collapse_space("".join(map(str, element.itertext())))
        yield f"topic {count}", topic.get("number", "").strip(), text


@dataclass(slots=True)
class _Qrels:
    """What the lines of a qrels file say of topics and articles.

    Attributes:
        texts: of topics, by number.
        relevant: numbers of sentences, by topic and article.
        sentences: of the articles that are judged.
    """

    texts: Mapping[str, str]
    articles: Mapping[str, Article]
    relevant: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)
    sentences: dict[str, tuple[Sentence, ...]] = field(default_factory=dict)

    def read(self, line: str, source: str) -> None:
        """Take a line, or reject it."""
        try:
            topic, article, sentence = self._parse(line)
        except InputError as error:
            self.rejected.append(Rejected(source, str(error)))
            return
        if sentence is not None:
            self.relevant.setdefault((topic, article), set()).add(sentence)

    def _parse(self, line: str) -> tuple[str, str, int | None]:
        """Return the topic, the article and the sentence; None if it is not relevant."""
        parsed = _LINE.fullmatch(line.strip())
        if parsed is None:
            raise InputError("not TOPIC 0 ARTICLE:SENTENCE RELEVANCE")
        topic, article = unquote(parsed[1]), unquote(parsed[2])
        number, relevance = int(parsed[3]), int(parsed[4])
        if topic not in self.texts:
            raise InputError(f"there is no topic '{topic}'")
        if article not in self.articles:
            raise InputError(f"there is no article '{article}'")
        sentences = len(self._split(article))
        if number >= sentences:
            raise InputError(f"article '{article}' has {sentences} sentences, counted from 0")
        return topic, article, number if relevance > 0 else None

    def mark(self, article: Article) -> Iterator[Marked]:
        """Yield the topics that have relevant sentences in an article, in the order of topics."""
        for number, text in self.texts.items():
            found = self.relevant.get((number, article.id))
            if found is None:
                continue
            sentences = self._split(article.id)
            yield Marked(
                source=f"qrels.txt, topic {number}, article {article.id}",
                topic=article.id,
                number=number,
                article_id=article.id,
                citing_article="",
                passage="",
                text=text,
                marker="",
                annotator="",
                spans=union((sentences[number].start, sentences[number].end) for number in found),
            )

    def _split(self, article: str) -> tuple[Sentence, ...]:
        if article not in self.sentences:
            found = split_article(self.articles[article], splitters[DEFAULT])
            self.sentences[article] = tuple(found)
        return self.sentences[article]


def read_collection(name: str) -> Collection:
    """Read the collection that FORMAT:PATH names.

    Raises:
        InputError: if there is none, or the format brings no citances.
    """
    format_, separator, path = name.partition(":")
    if not separator:
        raise InputError(f"collection '{name}': write it as FORMAT:PATH, as in scisumm:data/train")
    reader = None if format_ == FORMAT else readers[format_]
    if reader is not None and not isinstance(reader, CollectionReader):
        known = [reader.name for reader in readers if isinstance(reader, CollectionReader)]
        names = ", ".join(sorted((*known, FORMAT)))
        raise InputError(f"format '{format_}' has no citances; use one of: {names}")
    if not Path(path).exists():
        raise InputError(f"{path}: no such file or folder")
    if reader is None:
        return read_trec_collection(Path(path))
    return reader.collection(Path(path))


def make_absolute(name: str) -> str:
    """Return the same FORMAT:PATH for use in any working folder."""
    format_, _, path = name.partition(":")
    return f"{format_}:{Path(path).resolve()}"


def split_articles(collection: Collection) -> dict[str, Article]:
    """Return the articles of a collection by id, each split into sentences."""
    splitter = splitters[DEFAULT]
    return {
        article.id: replace(article, sentences=split_article(article, splitter))
        for article in collection.articles.values()
    }

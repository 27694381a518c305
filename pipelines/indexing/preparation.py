"""An article made ready to be written: its sentences, spans, and the hash of it all."""

import hashlib
from bisect import bisect_right
from dataclasses import dataclass

import orjson

from citespan.es_mappings import spans as span_index
from citespan.es_mappings.index_name import spans_index
from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.indexing.windows import SpanLengths, windows


@dataclass(frozen=True, slots=True)
class PreparedArticle:
    """An article with its sentences, as the loader passes it on."""

    article: Article
    sentences: tuple[Sentence, ...]
    content: str

    @property
    def index(self) -> str:
        """The index of its spans."""
        return spans_index(self.article.id)


def prepare(article: Article, sentences: tuple[Sentence, ...]) -> PreparedArticle:
    """The article with its content hash, which changes with anything that gets indexed."""
    digest = hashlib.sha256()
    for part in (
        article.id,
        article.title,
        article.text,
        repr([(s.title, s.start, s.end, s.kind) for s in article.sections]),
        repr([(s.start, s.end) for s in sentences]),
        repr(article.also_known_as),
    ):
        digest.update(part.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return PreparedArticle(article, sentences, digest.hexdigest())


def bulk_lines(prepared: PreparedArticle, lengths: SpanLengths) -> list[bytes]:
    """Two lines of a bulk request for each span: action and document, already JSON."""
    article, sentences = prepared.article, prepared.sentences
    section_starts = [section.start for section in article.sections]
    sections = []
    for sentence in sentences:
        at = bisect_right(section_starts, sentence.start) - 1
        section = article.sections[at] if at >= 0 else None
        sections.append((section.title or section.kind.capitalize()) if section else "")
    lines: list[bytes] = []
    for first, last in windows(len(sentences), lengths):
        start, end = sentences[first].start, sentences[last].end
        lines.append(b'{"index":{"_id":"%s"}}' % span_index.span_id(first, last).encode())
        lines.append(
            orjson.dumps(
                {
                    "article": article.id,
                    "section": sections[first],
                    "first_sentence": first,
                    "last_sentence": last,
                    "length": last - first + 1,
                    "start": start,
                    "end": end,
                    "text": article.text[start:end],
                }
            )
        )
    return lines

"""An article made ready to be written: the hash of what it is, and its spans as JSON."""

import hashlib
from bisect import bisect_right
from functools import cache
from importlib.metadata import version

import orjson

from citespan.es_mappings.spans import span_id
from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.indexing.documents.joints import joints, parted
from citespan.pipelines.indexing.documents.windows import SpanLengths, windows
from citespan.pipelines.text.splitter import Splitter


def content_hash(article: Article, splitter: Splitter) -> str:
    """A hash that changes with anything of the article that gets indexed.

    Sentences that are still to be found are stood for by the splitter's name and citespan's
    version, so an article that is loaded already need not be split to see that.
    """
    if article.sentences is None:
        sentences = f"{splitter.name} {_version()}"
    else:
        sentences = repr([(s.start, s.end) for s in article.sentences])
    digest = hashlib.sha256()
    for part in (
        article.id,
        article.title,
        article.text,
        repr([(s.title, s.start, s.end, s.kind) for s in article.sections]),
        sentences,
        repr(article.also_known_as),
    ):
        digest.update(part.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()


@cache
def _version() -> str:
    return version("citespan")


def span_operations(
    article: Article, sentences: tuple[Sentence, ...], lengths: SpanLengths
) -> list[bytes]:
    """For each span two lines of a bulk request: action and document, already JSON.

    Only the texts are worth a JSON library's time: what spans of one section share is encoded
    once, and the rest are numbers.
    """
    heads = [
        orjson.dumps({"article": article.id, "section": section})[:-1]
        for section in section_names(article, sentences)
    ]
    places = joints(sentences)
    operations: list[bytes] = []
    for first, last in windows(len(sentences), lengths):
        start, end = sentences[first].start, sentences[last].end
        text, inside = parted(article.text, start, end, places)
        operations.append(
            b'{"index":{"_id":"%s"}}\n%s,"first_sentence":%d,"last_sentence":%d,"length":%d,'
            b'"start":%d,"end":%d,%s"text":%s}'
            % (
                span_id(first, last).encode(),
                heads[first],
                first,
                last,
                last - first + 1,
                start,
                end,
                b'"joints":%s,' % orjson.dumps(inside) if inside else b"",
                orjson.dumps(text),
            )
        )
    return operations


def section_names(article: Article, sentences: tuple[Sentence, ...]) -> list[str]:
    """The section that each sentence is in, by its title, or by its kind if it has none."""
    starts = [section.start for section in article.sections]
    places = [bisect_right(starts, sentence.start) - 1 for sentence in sentences]
    return [
        article.sections[at].title or article.sections[at].kind.capitalize() if at >= 0 else ""
        for at in places
    ]

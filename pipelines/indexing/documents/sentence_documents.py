"""The documents of the layout `sentences`, and what the catalogue is to know of them."""

import orjson

from citespan.es_mappings.index_name import slug
from citespan.es_mappings.sentences import sentence_id
from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.indexing.documents.preparation import section_names
from citespan.pipelines.text import analyzer


def sentence_operations(
    article: Article, sentences: tuple[Sentence, ...], edition: str
) -> list[bytes]:
    """For each sentence two lines of a bulk request: action and document, already JSON."""
    routing = slug(article.id).encode()
    names = section_names(article, sentences)
    heads = {
        name: orjson.dumps({"edition": edition, "article": article.id, "section": name})[:-1]
        for name in set(names)
    }
    texts = _with_white_space(article, sentences)
    return [
        b'{"index":{"routing":"%s","_id":"%s"}}\n%s,"number":%d,"start":%d,"end":%d,"text":%s}'
        % (
            routing,
            sentence_id(edition, number).encode(),
            heads[name],
            number,
            sentence.start,
            sentence.end,
            orjson.dumps(text),
        )
        for number, (sentence, name, text) in enumerate(zip(sentences, names, texts, strict=True))
    ]


def sentence_lengths(article: Article, sentences: tuple[Sentence, ...]) -> list[int | None]:
    """The terms of each sentence; None where only the server can tell
    (`server_analysis.server_lengths`)."""
    return [analyzer.length(article.text[s.start : s.end]) for s in sentences]


def _with_white_space(article: Article, sentences: tuple[Sentence, ...]) -> list[str]:
    """The texts, each with the white space up to the next sentence."""
    edges = [sentence.start for sentence in sentences[1:]]
    ends = [*edges, sentences[-1].end] if sentences else []
    return [
        article.text[sentence.start : end] for sentence, end in zip(sentences, ends, strict=True)
    ]

"""The sentences of one article, as rankers see them in any layout."""

from dataclasses import dataclass
from itertools import pairwise

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.indexing.documents.content import name_sections


@dataclass(frozen=True)
class ArticleSentences:
    """All N sentences of an article, in order.

    Attributes:
        texts: (N,), each with the white space behind it.
        sections: (N,), the heading of the section that each is in, "" for none.
    """

    texts: tuple[str, ...]
    sections: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)


def take_sentences(article: Article) -> ArticleSentences:
    """Return the sentences of an article that has been split into sentences.

    Raises:
        ValueError: if it has not.
    """
    sentences = article.sentences
    if sentences is None:
        raise ValueError(f"article {article.id} is not split into sentences")
    edges = [*(sentence.start for sentence in sentences), len(article.text)]
    texts = tuple(article.text[start:end] for start, end in pairwise(edges))
    return ArticleSentences(texts, tuple(name_sections(article, sentences)))

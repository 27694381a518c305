"""The sentences of an article."""

from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.text.splitter import Splitter


def sentences(article: Article, splitter: Splitter) -> tuple[Sentence, ...]:
    """Those that the article's format brings itself, else those that `splitter` finds.

    Raises:
        CitespanError: from the splitter, if the library that it needs is not installed.
    """
    if article.sentences is not None:
        return article.sentences
    return tuple(splitter.split(article.text))

"""What summaries from citations are compared with: lead, the citances alone, LexRank and TextRank.

LexRank (Erkan and Radev 2004) and TextRank (Mihalcea and Tarau 2004) are those of sumy, with its
English stemmer and stop words, over the sentences that a summary may have.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.stored_article import StoredArticle
from citespan.pipelines.text.words import words

Peer = Callable[[StoredArticle, Sequence[str], int], str]


def lead(article: StoredArticle, citances: Sequence[str], limit: int) -> str:  # noqa: ARG001
    """Return the first words of the article, without title and headings."""
    return " ".join(" ".join(_take_sentences(article)).split()[:limit])


def citances_alone(article: StoredArticle, citances: Sequence[str], limit: int) -> str:  # noqa: ARG001
    """Return the citances themselves, each once, in the order of the collection."""
    return " ".join(_fill(dict.fromkeys(citances), str, limit))


def lexrank(article: StoredArticle, citances: Sequence[str], limit: int) -> str:  # noqa: ARG001
    """Return the most central sentences.

    Raises:
        InputError: if sumy is not installed.
    """
    return _run_sumy("lex_rank", "LexRankSummarizer", article, limit)


def textrank(article: StoredArticle, citances: Sequence[str], limit: int) -> str:  # noqa: ARG001
    """Return the sentences that most others recommend.

    Raises:
        InputError: if sumy is not installed.
    """
    return _run_sumy("text_rank", "TextRankSummarizer", article, limit)


PEERS: Final[Mapping[str, Peer]] = {
    "lead": lead,
    "LexRank": lexrank,
    "TextRank": textrank,
    "citances alone": citances_alone,
}


def _take_sentences(article: StoredArticle) -> list[str]:
    return [
        article.text(number, number) for number, may in enumerate(article.positions.evidence) if may
    ]


def _fill(sentences: Iterable[Any], write: Callable[[Any], str], limit: int) -> list[Any]:
    """Return those that fit into what those before them leave of the limit."""
    found = []
    for sentence in sentences:
        length = len(write(sentence).split())
        if length <= limit:
            found.append(sentence)
            limit -= length
    return found


def _run_sumy(module: str, name: str, article: StoredArticle, limit: int) -> str:
    try:
        from importlib import import_module

        from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
        from sumy.nlp.stemmers import Stemmer
        from sumy.utils import get_stop_words

        summariser = getattr(import_module(f"sumy.summarizers.{module}"), name)(Stemmer("english"))
    except ImportError as error:
        raise InputError("sumy is not installed; install citespan[dev] for its peers") from error
    summariser.stop_words = get_stop_words("english")
    sentences = [Sentence(text, _Tokenizer()) for text in _take_sentences(article)]

    def fill(rated: Sequence[Any]) -> list[Any]:
        return _fill(rated, lambda rated: str(rated.sentence), limit)

    found = summariser(ObjectDocumentModel([Paragraph(sentences)]), fill)
    return " ".join(map(str, found))


class _Tokenizer:
    """Finds words for sumy, whose own tokenizer would download data."""

    def to_words(self, sentence: str) -> list[str]:
        """Return the words of a sentence."""
        return words(sentence)

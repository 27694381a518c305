"""The yardstick, against BM25 computed from its formula."""

import math

import pytest
from made_outcomes import article

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.evaluation.sentence_bm25 import SentenceBM25
from citespan.pipelines.retrieval.merge import ScoredSpan

TEXT = article(
    "Kinases bind the receptor.",
    "The receptor is a membrane protein of the cell.",
    "Mice were fed.",
    "Receptor and receptor and kinases.",
)


def test_scores_are_those_of_the_formula() -> None:
    words = [
        ["kinases", "bind", "receptor"],
        ["receptor", "membrane", "protein", "cell"],
        ["mice", "were", "fed"],
        ["receptor", "receptor", "kinases"],
    ]
    average = sum(map(len, words)) / len(words)

    def score(number: int, query: list[str]) -> float:
        total = 0.0
        for word in query:
            having = sum(word in sentence for sentence in words)
            idf = math.log(1 + (len(words) - having + 0.5) / (having + 0.5))
            times = words[number].count(word)
            total += idf * times / (times + 1.5 * (0.25 + 0.75 * len(words[number]) / average))
        return total

    query = ["receptor", "kinases", "receptor"]
    expected = sorted(((score(n, query), n) for n in (0, 1, 3)), reverse=True)
    spans = SentenceBM25(TEXT).retrieve("The RECEPTOR of kinases, a receptor", 4)
    assert [span.first_sentence for span in spans] == [number for _, number in expected]
    assert [span.score for span in spans] == pytest.approx([score for score, _ in expected])
    assert all(span.first_sentence == span.last_sentence for span in spans)


def test_top_is_a_limit() -> None:
    index = SentenceBM25(TEXT)
    assert index.retrieve("receptor", 1) == index.retrieve("receptor", 3)[:1]


def test_of_equal_scores_the_earlier_sentence_is_first() -> None:
    index = SentenceBM25(article(*["same words here"] * 5, "other"))
    assert [span.first_sentence for span in index.retrieve("words", 4)] == [0, 1, 2, 3]


@pytest.mark.parametrize("citance", ["", "the of and", "unknown vocabulary", "7 (!) x"])
def test_nothing_in_common_retrieves_nothing(citance: str) -> None:
    assert SentenceBM25(TEXT).retrieve(citance, 2) == ()


@pytest.mark.parametrize("sentences", [(), ("the of.", "—")])
def test_an_article_without_words_has_nothing_to_retrieve(sentences: tuple[str, ...]) -> None:
    assert SentenceBM25(article(*sentences)).retrieve("the receptor", 2) == ()


def test_a_single_sentence_can_be_retrieved() -> None:
    spans = SentenceBM25(article("One receptor.")).retrieve("receptor", 2)
    assert [(span.first_sentence, span.last_sentence) for span in spans] == [(0, 0)]
    assert isinstance(spans[0], ScoredSpan)


def test_it_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    SentenceBM25(TEXT).retrieve("receptor", 2)
    assert capfd.readouterr() == ("", "")


def test_an_article_must_be_split() -> None:
    with pytest.raises(ValueError, match="not split"):
        SentenceBM25(Article(id="x", title="", text="text", source="made"))

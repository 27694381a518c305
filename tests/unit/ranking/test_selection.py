"""Passages for readers: distinct, inside one section, never a heading or back matter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.ranking.ranker import Ranking
from citespan.pipelines.ranking.selection import LONGEST, Positions, select
from citespan.pipelines.ranking.sentences import ArticleSentences

BACK = "Competing interests"


def make_article(*sentences: tuple[str, str]) -> ArticleSentences:
    return ArticleSentences(
        tuple(text for text, _ in sentences), tuple(section for _, section in sentences)
    )


def rank(*probabilities: float) -> Ranking:
    values = np.array(probabilities)
    return Ranking(np.where(values > 0, values, -np.inf), values, 1.0)


def choose(article: ArticleSentences, *probabilities: float, top: int = 3) -> list[tuple[int, int]]:
    found = select(rank(*probabilities), Positions.of(article), top)
    return [(passage.first, passage.last) for passage in found]


def test_neighbours_are_merged_where_they_score_too() -> None:
    article = make_article(*(("A sentence. ", "Results") for _ in range(6)))
    assert choose(article, 0.1, 0.9, 0.6, 0.1, 0.5, 0.1) == [(1, 2), (4, 4)]
    assert choose(article, 0.1, 0.9, 0.1, 0.1, 0.2, 0.1) == [(1, 1)]


def test_the_best_one_is_there_however_weak() -> None:
    article = make_article(*(("A sentence. ", "Results") for _ in range(3)))
    assert choose(article, 0.01, 0.02, 0.0) == [(1, 1)]
    assert choose(article, 0.0, 0.0, 0.0) == []


def test_weaker_sentences_follow_the_evidence() -> None:
    article = make_article(*(("A sentence. ", "Results") for _ in range(5)))
    found = select(rank(0.1, 0.9, 0.8, 0.0, 0.2), Positions.of(article), 3, weaker=True)
    assert [(passage.first, passage.last, passage.weaker) for passage in found] == [
        (1, 2, False), (4, 4, True), (0, 0, True),
    ]  # fmt: skip


def test_no_passage_crosses_a_section() -> None:
    article = make_article(("One. ", "Methods"), ("Two. ", "Results"), ("Three. ", "Results"))
    assert choose(article, 0.8, 0.9, 0.7) == [(1, 2), (0, 0)]


def test_a_heading_in_the_text_begins_a_section() -> None:
    article = make_article(("One. ", ""), ("BODY.AN UNKNOWN HEADING:\nTwo. ", ""), ("Three. ", ""))
    assert choose(article, 0.8, 0.9, 0.7) == [(1, 2), (0, 0)]


@pytest.mark.parametrize(
    "heading", ["Statistical analysis\n", "BODY.RESULTS:\n\n", "Results and discussion\n\n"]
)
def test_headings_are_no_evidence(heading: str) -> None:
    article = make_article(("It fell.\n", ""), (heading, ""), ("It rose. ", ""))
    assert choose(article, 0.1, 0.9, 0.5) == [(2, 2)]


def test_a_sentence_without_full_stop_inside_a_paragraph_is_no_heading() -> None:
    article = make_article(("It fell (p < .05) ", ""), ("and rose ", ""), ("again. ", ""))
    assert choose(article, 0.1, 0.9, 0.1) == [(1, 1)]


@pytest.mark.parametrize(
    "section", [BACK, "Acknowledgements", "Authors' contributions", "Body / Conflict of interest"]
)
def test_back_matter_is_no_evidence(section: str) -> None:
    article = make_article(("None declared. ", section), ("It rose. ", "Results"))
    assert choose(article, 0.9, 0.2) == [(1, 1)]


def test_the_probability_is_that_of_the_best_sentence() -> None:
    article = make_article(("One. ", "Results"), ("Two. ", "Results"))
    [found] = select(rank(0.4, 0.7), Positions.of(article), 3)
    assert (found.first, found.last, found.probability, found.score) == (0, 1, 0.7, 0.7)


@given(
    st.lists(
        st.tuples(
            st.floats(0, 1),
            st.sampled_from(["Methods", "Results", BACK]),
            st.sampled_from(["It is.\n", "It was.\n\n", "Heading\n\n"]),
        ),
        max_size=40,
    ),
    st.integers(1, 5),
    st.booleans(),
)
def test_passages_never_overlap_nor_leave_their_section(
    sentences: list[tuple[float, str, str]], top: int, weaker: bool
) -> None:
    article = make_article(*((text, section) for _, section, text in sentences))
    ranking = rank(*(probability for probability, _, _ in sentences))
    found = select(ranking, Positions.of(article), top, weaker=weaker)
    assert len(found) <= top
    taken = [number for passage in found for number in range(passage.first, passage.last + 1)]
    assert len(taken) == len(set(taken))
    for passage in found:
        assert passage.last - passage.first < LONGEST
        assert len({article.sections[n] for n in range(passage.first, passage.last + 1)}) == 1
    assert not any(article.sections[n] == BACK or "Heading" in article.texts[n] for n in taken)
    assert [passage.score for passage in found] == sorted(
        (passage.score for passage in found), reverse=True
    )
    rankable = [
        n
        for n, (p, section, text) in enumerate(sentences)
        if p > 0 and section != BACK and text.startswith("It")
    ]
    assert bool(found) == bool(rankable)
    evidence = select(ranking, Positions.of(article), top)
    assert [passage for passage in found if not passage.weaker] == evidence
    assert found[: len(evidence)] == evidence


def test_an_article_of_which_only_the_title_has_a_heading_has_passages() -> None:
    article = make_article(
        ("TITLE:\nPain after surgery.\n", ""), ("Pain fell. ", ""), ("It rose later. ", "")
    )
    assert choose(article, 0.1, 0.9, 0.1) == [(1, 1)]

"""What holds for every ranker in the registry."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citespan.pipelines import corpus
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.ranking.ranker import Ranker, Ranking, rankers
from citespan.pipelines.ranking.sentences import ArticleSentences, take_sentences
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters

EVERY = list(rankers)
WORDS = [
    "aspirin",
    "reduced",
    "strokes",
    "the",
    "p",
    "=",
    "0.03",
    "α",
    "TGF-β1",
    "—",
    "[3]",
    "\n\n",
]
HEADINGS = ["", "Abstract", "Results / Safety", "Competing interests", "3. Experiments"]

sentences = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
articles = st.lists(st.tuples(sentences, st.sampled_from(HEADINGS)), min_size=1, max_size=12).map(
    lambda rows: ArticleSentences(*map(tuple, zip(*rows, strict=True)))
)
ARTICLE = ArticleSentences(
    (
        "Aspirin and strokes\n\n",
        "Strokes are common in men. ",
        "Aspirin reduced strokes by 20% (p = 0.03). ",
        "The authors declare that they have no competing interests.",
    ),
    ("Title", "Introduction", "Results", "Competing interests"),
)


def check(ranking: Ranking, size: int) -> None:
    assert ranking.scores.shape == ranking.probabilities.shape == (size,)
    assert not np.isnan(ranking.scores).any()
    assert (ranking.scores < np.inf).all()
    assert ((ranking.probabilities >= 0) & (ranking.probabilities <= 1)).all()
    assert 0 <= ranking.support <= 1
    order = np.argsort(-ranking.scores, kind="stable")
    assert (np.diff(ranking.probabilities[order]) <= 1e-9).all(), "shown in another order"


@pytest.mark.parametrize("ranker", EVERY, ids=rankers.names())
def test_a_ranker_describes_itself(ranker: Ranker) -> None:
    assert rankers[ranker.name] is ranker
    assert ranker.description.strip() == ranker.description != ""
    assert ranker.version
    assert 0 < ranker.threshold < 1


@pytest.mark.parametrize("ranker", EVERY, ids=rankers.names())
@settings(max_examples=60, deadline=None)
@given(query=sentences, article=articles)
def test_any_query_ranks_any_article(ranker: Ranker, query: str, article: ArticleSentences) -> None:
    check(ranker.rank(query, article), len(article))


@pytest.mark.parametrize("ranker", EVERY, ids=rankers.names())
@pytest.mark.parametrize(
    "query",
    ["", " ", "the", "aspirin", "[3]", "(Lee, 2001)", "zebrafish", "aspirin strokes " * 6000],
)
def test_queries_of_no_word_one_word_and_100_kilobytes(ranker: Ranker, query: str) -> None:
    check(ranker.rank(query, ARTICLE), len(ARTICLE))


@pytest.mark.parametrize("ranker", EVERY, ids=rankers.names())
def test_an_article_of_one_sentence_and_one_without_words(ranker: Ranker) -> None:
    check(ranker.rank("aspirin", ArticleSentences(("Aspirin works.",), ("",))), 1)
    check(ranker.rank("aspirin", ArticleSentences(("— —",), ("",))), 1)
    check(ranker.rank("aspirin", ArticleSentences(("", "\n"), ("", ""))), 2)


@pytest.mark.parametrize("ranker", EVERY, ids=rankers.names())
@settings(max_examples=30, deadline=None)
@given(query=sentences, article=articles, data=st.data())
def test_only_candidates_are_ranked_and_each_as_without_the_choice(
    ranker: Ranker, query: str, article: ArticleSentences, data: st.DataObject
) -> None:
    numbers = st.sets(st.integers(0, len(article) - 1))
    chosen = sorted(data.draw(numbers))
    every, some = ranker.rank(query, article), ranker.rank(query, article, chosen)
    others = [number for number in range(len(article)) if number not in chosen]
    assert (some.scores[others] == -np.inf).all()
    assert (some.probabilities[others] == 0).all()
    assert (some.scores[chosen] == every.scores[chosen]).all()
    assert (some.probabilities[chosen] == every.probabilities[chosen]).all()
    assert some.support == every.support


@pytest.mark.parametrize("ranker", EVERY, ids=rankers.names())
def test_the_same_question_has_the_same_answer(ranker: Ranker) -> None:
    first = ranker.rank("aspirin reduces strokes", ARTICLE)
    again = ranker.rank("aspirin reduces strokes", replace(ARTICLE))
    assert (first.scores == again.scores).all()
    assert first.support == again.support


def test_evidence_is_ranked_before_what_has_no_word_of_the_query() -> None:
    ranking = rankers["evidence"].rank("Aspirin reduced strokes [12].", ARTICLE)
    assert int(np.argmax(ranking.scores)) == 2
    assert int(np.argmin(ranking.scores)) in (1, 3)


def test_ranking_imports_nothing_that_takes_long() -> None:
    code = (
        "import sys; from citespan.pipelines.ranking.ranker import rankers\n"
        "from citespan.pipelines.ranking.sentences import ArticleSentences\n"
        "rankers['evidence'].rank('aspirin', ArticleSentences(('Aspirin.',), ('',)))\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"lightgbm", "scipy", "sklearn", "pandas", "spacy", "ir_measures"}


def test_the_first_example_of_the_readme_shows_what_stops_the_cell_cycle() -> None:
    source = Path(corpus.__file__).parent / "sample" / "jats" / "p53-dna-damage.xml"
    [article] = readers["jats"].read_file(source, source.name)
    assert isinstance(article, Article)
    split = replace(article, sentences=split_article(article, splitters[DEFAULT]))
    sentences = take_sentences(split)
    query = "p53 stops the cell cycle after DNA damage (Smith, 2010)"
    ranking = rankers["evidence"].rank(query, sentences)
    best = sentences.texts[int(np.argmax(ranking.scores))]
    assert best.startswith("Cells therefore stop in G1 before they copy damaged DNA.")
    assert ranking.support > rankers["evidence"].threshold

"""Rankers of an experiment: each citance is ranked by trees that have not seen its article."""

from pathlib import Path

import numpy as np
import pytest
from made_collections import write_trials

from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.read_collection import read_collection, split_articles
from citespan.pipelines.ranking.sentences import take_sentences
from citespan.pipelines.training.ranker_fitting import train_on_folds


def test_each_citance_has_a_ranker_of_the_other_folds(tmp_path: Path) -> None:
    collection = read_collection(f"tac2014:{write_trials(tmp_path)}")
    articles = split_articles(collection)
    found = train_on_folds(articles, collection.citances, ())
    folds: dict[int, set[str]] = {}
    best = 0
    for citance, ranker in zip(collection.citances, found, strict=True):
        folds.setdefault(ranker.scored[citance.text].fold, set()).add(citance.topic)
        article = take_sentences(articles[citance.article_id])
        ranking = ranker.rank(citance.text, article)
        assert np.isfinite(ranking.scores).all()
        some = ranker.rank(citance.text, article, [1, 4])
        assert np.flatnonzero(np.isfinite(some.scores)).tolist() == [1, 4]
        assert some.support == ranking.support
        gold = Outcome(citance, articles[citance.article_id], ()).gold_sentences
        best += int(ranking.scores.argmax()) in gold
        with pytest.raises(ValueError, match="not scored"):
            ranker.rank("another query", article)
    assert len(folds) == 5
    assert sum(map(len, folds.values())) == 6  # a topic is in one fold
    assert best > len(found) / 2


def test_fewer_topics_than_folds_are_an_input_error(tmp_path: Path) -> None:
    collection = read_collection(f"tac2014:{write_trials(tmp_path, topics=1)}")
    with pytest.raises(InputError, match="topics or articles can't be 5 folds"):
        train_on_folds(split_articles(collection), collection.citances, ())

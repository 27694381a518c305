"""What holds for every retrieval model in the registry.

That Elasticsearch scores by the same formula is tested in tests/integration/test_scores.py.
"""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from citespan.pipelines.reformulation.background import read_shipped
from citespan.pipelines.retrieval.idf import ARTICLE, Idf
from citespan.pipelines.retrieval.lengths import round_lengths
from citespan.pipelines.retrieval.model import Statistics, models

NAMES = models.names()


@st.composite
def made_statistics(draw: st.DrawFn) -> Statistics:
    """Of two spans or more and one term or more, each term in some span."""
    shape = draw(st.tuples(st.integers(2, 12), st.integers(1, 5)))
    frequencies = draw(arrays(np.int64, shape, elements=st.integers(0, 6)))
    frequencies[0] += frequencies.sum(axis=0) == 0
    others = draw(arrays(np.int64, shape[0], elements=st.integers(1, 200)))
    lengths = frequencies.sum(axis=1) + others
    return Statistics(
        frequencies=frequencies.astype(float),
        lengths=round_lengths(lengths)[:, np.newaxis].astype(float),
        average_length=float(lengths.sum() / shape[0]),
        document_frequencies=(frequencies > 0).sum(axis=0).astype(float),
        total_frequencies=frequencies.sum(axis=0).astype(float),
        documents=shape[0],
        total_length=int(lengths.sum()),
        weights=draw(arrays(np.float64, shape[1], elements=st.sampled_from([0.3, 1.0, 2.0]))),
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_model_describes_itself_and_what_the_server_is_told(name: str) -> None:
    model = models[name]
    assert model.name == name
    assert model.description
    assert json.loads(json.dumps(dict(model.similarity)))["type"]


@pytest.mark.parametrize("name", NAMES)
@given(statistics=made_statistics())
def test_scores_are_finite_not_negative_and_zero_without_the_term(
    name: str, statistics: Statistics
) -> None:
    scores = models[name].score(statistics)
    assert scores.shape == statistics.frequencies.shape
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()
    assert (scores[statistics.frequencies == 0] == 0).all()


@pytest.mark.parametrize("name", NAMES)
@given(statistics=made_statistics())
def test_more_of_a_term_in_a_span_never_scores_lower(name: str, statistics: Statistics) -> None:
    more = replace(statistics, frequencies=statistics.frequencies * 2)
    model = models[name]
    assert (model.score(more) >= model.score(statistics) - 1e-12).all()


@pytest.mark.parametrize("name", NAMES)
@given(made=made_statistics())
def test_a_model_scores_by_the_terms_of_any_collection(name: str, made: Statistics) -> None:
    terms = ["receptor", "kinase", "unheard-of", "mice", "the"][: made.frequencies.shape[1]]
    assert ARTICLE.count(made, terms) is made
    table = read_shipped("biomedical")
    own = [table.counts.get(term, (1, 1)) for term in terms]
    for source in ("background", "both"):
        counted = Idf(source).count(made, terms)
        beside = made.document_frequencies * (source == "both")
        np.testing.assert_array_equal(
            counted.document_frequencies, beside + [documents for documents, _ in own]
        )
        assert counted.documents == table.documents + made.documents * (source == "both")
        assert counted.average_length == made.average_length
        scores = models[name].score(counted)
        assert np.isfinite(scores).all()
        assert ((scores == 0) | (made.frequencies > 0)).all()

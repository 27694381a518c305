"""Run and qrels files, as trec_eval's readers take them."""

from dataclasses import replace
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RR, P, R
from made_outcomes import make_outcome, tens

from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.trec import escape, write_qrels, write_run
from citespan.pipelines.retrieval.merge import ScoredSpan


@pytest.fixture
def run() -> list[Outcome]:
    return [
        # Ranked: sentences 4 5 1 2; marked: 1 (by two), 2 and 5.
        make_outcome(tens(8), [[(10, 29)], [(10, 19), (50, 59)]], [(4, 5), (1, 2)], name="first"),
        # Ranked: 0 1 2; marked: 0.
        make_outcome(tens(8), [[(0, 9)]], [(0, 1), (1, 2)], name="second"),
    ]


def test_the_files_line_by_line(run: list[Outcome], tmp_path: Path) -> None:
    write_run(tmp_path / "run", run, "np+umls expand")
    write_qrels(tmp_path / "qrels", run)
    assert (tmp_path / "run").read_text().splitlines() == [
        "first Q0 article:4 1 2 np+umls%20expand",
        "first Q0 article:5 2 1.99999988 np+umls%20expand",
        "first Q0 article:1 3 1 np+umls%20expand",
        "first Q0 article:2 4 0.99999994 np+umls%20expand",
        "second Q0 article:0 1 2 np+umls%20expand",
        "second Q0 article:1 2 1.99999988 np+umls%20expand",
        "second Q0 article:2 3 1 np+umls%20expand",
    ]
    assert (tmp_path / "qrels").read_text().splitlines() == [
        "first 0 article:1 2",
        "first 0 article:2 1",
        "first 0 article:5 1",
        "second 0 article:0 1",
    ]


def test_ir_measures_reads_both(run: list[Outcome], tmp_path: Path) -> None:
    write_run(tmp_path / "run", run, "system")
    write_qrels(tmp_path / "qrels", run)
    wanted = [P @ 1, P @ 2, P @ 3, P @ 5, P(rel=2) @ 3, R @ 3, AP, RR]
    found = {
        (metric.query_id, metric.measure): metric.value
        for metric in ir_measures.iter_calc(
            wanted,
            ir_measures.read_trec_qrels(str(tmp_path / "qrels")),
            ir_measures.read_trec_run(str(tmp_path / "run")),
        )
    }
    by_hand = {
        "first": [0, 1 / 2, 2 / 3, 3 / 5, 1 / 3, 2 / 3, (1 / 2 + 2 / 3 + 3 / 4) / 3, 1 / 2],
        "second": [1, 1 / 2, 1 / 3, 1 / 5, 0, 1, 1, 1],
    }
    for citance, values in by_hand.items():
        for measure, value in zip(wanted, values, strict=True):
            assert found[citance, measure] == pytest.approx(value), (citance, measure)


@given(scores=st.lists(st.floats(-1e6, 1e6, width=32) | st.just(7.0), min_size=2, max_size=8))
def test_the_order_survives_ties_and_the_rounding_of_scores(tmp_path_factory, scores) -> None:
    base = make_outcome(tens(16), [[(0, 159)]], [])
    spans = tuple(ScoredSpan(2 * i, 2 * i + 1, score) for i, score in enumerate(scores))
    path = tmp_path_factory.mktemp("runs") / "run"
    write_run(path, [replace(base, spans=spans)], "system")
    read = [(float(line.split()[4]), line.split()[2]) for line in path.read_text().splitlines()]
    # trec_eval: by 32-bit score falling, ties by name falling.
    expected = [f"article:{number}" for number in range(2 * len(scores))]
    assert [name for _, name in sorted(read, key=lambda r: (np.float32(r[0]), r[1]))] == (
        expected[::-1]
    )


def test_names_with_white_space_are_made_safe(tmp_path: Path) -> None:
    spaced = replace(tens(2), id="my article")
    citance = replace(
        make_outcome(tens(2), [[(0, 9)]], []).citance, article_id="my article", id="a\tb"
    )
    run = [Outcome(citance, spaced, (ScoredSpan(0, 0, 1.0),))]
    write_run(tmp_path / "run", run, "system")
    write_qrels(tmp_path / "qrels", run)
    assert (tmp_path / "run").read_text() == "a%09b Q0 my%20article:0 1 1 system\n"
    assert (tmp_path / "qrels").read_text() == "a%09b 0 my%20article:0 1\n"


@given(names=st.lists(st.text(alphabet="a %0\t2\u2003\x1c"), unique=True))
def test_safe_names_have_no_white_space_and_stay_distinct(names: list[str]) -> None:
    safe_names = [escape(name) for name in names]
    assert len(set(safe_names)) == len(names)
    assert all(name.split() == ([name] if name else []) for name in safe_names)


def test_a_citance_without_spans_or_marks_has_no_line(tmp_path: Path) -> None:
    run = [make_outcome(tens(2), [[]], [])]
    write_run(tmp_path / "run", run, "system")
    write_qrels(tmp_path / "qrels", run)
    assert (tmp_path / "run").read_text() == (tmp_path / "qrels").read_text() == ""

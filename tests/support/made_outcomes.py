"""Outcomes made by hand or by hypothesis, and run folders of them as `citespan evaluate run` writes
them, for the tests of evaluation."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.corpus.collection import Annotation, Citance
from citespan.pipelines.evaluation.experiment import resolve_configuration
from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.results import Results
from citespan.pipelines.evaluation.scores import score_systems
from citespan.pipelines.evaluation.specification import Experiment, SearchSystem
from citespan.pipelines.intervals import Interval, union
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.retrieval.merge import ScoredSpan

WORDS = ["kinase", "binds", "the", "receptor", "in", "vitro", "α", "p53", "—"]


def article(*sentences: str, name: str = "article") -> Article:
    """Sentences a space apart."""
    places, start = [], 0
    for sentence in sentences:
        places.append(Sentence(start, start + len(sentence)))
        start += len(sentence) + 1
    return Article(
        id=name, title="", text=" ".join(sentences), source="made", sentences=tuple(places)
    )


def tens(number: int) -> Article:
    """So many sentences of nine characters: sentence i is text[10i : 10i + 9]."""
    return article(*(f"sentence{chr(97 + i)}" for i in range(number)))


def make_outcome(
    of: Article,
    marked: Sequence[Sequence[Interval]],
    retrieved: Sequence[tuple[int, int]],
    *,
    topic: str = "topic",
    citing: str = "citing",
    name: str = "citance",
) -> Outcome:
    """`marked` holds each annotator's character intervals, `retrieved` first and last
    sentences, best first."""
    annotations = tuple(
        Annotation(f"annotator {number}", tuple(spans)) for number, spans in enumerate(marked)
    )
    citance = Citance(name, topic, "1", of.id, citing, "a citance", "(1)", annotations)
    spans = tuple(
        ScoredSpan(first, last, float(len(retrieved) - rank))
        for rank, (first, last) in enumerate(retrieved)
    )
    return Outcome(citance, of, spans)


@st.composite
def articles(draw: st.DrawFn) -> Article:
    sentence = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
    return article(*draw(st.lists(sentence, min_size=1, max_size=8)))


@st.composite
def outcomes(draw: st.DrawFn, annotators: int = 3) -> Outcome:
    """One to `annotators` annotators who may mark nothing, and nothing to five spans."""
    of = draw(articles())
    place = st.integers(0, len(of.text))
    interval = st.tuples(place, place).map(lambda pair: (min(pair), max(pair)))
    marked = draw(
        st.lists(st.lists(interval, max_size=3).map(union), min_size=1, max_size=annotators)
    )
    assert of.sentences is not None
    number = st.integers(0, len(of.sentences) - 1)
    window = st.tuples(number, number).map(lambda pair: (min(pair), max(pair)))
    return make_outcome(
        of,
        marked,
        draw(st.lists(window, max_size=5, unique=True)),
        topic=draw(st.sampled_from("AB")),
        citing=draw(st.sampled_from("XY")),
    )


def runs(annotators: int = 3) -> st.SearchStrategy[list[Outcome]]:
    """What a system did on one to six citances."""
    return st.lists(outcomes(annotators), min_size=1, max_size=6)


def write_run(
    folder: Path,
    outcomes: Mapping[str, Sequence[Outcome]],
    *,
    collection: str = "made:set",
    path: str = "made:/set",
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    columns: tuple[str, ...] = ("f1", "rouge_l"),
    description: str = "",
) -> Path:
    """Write a run of systems, the first being the baseline.

    Args:
        settings: those of a system that are not the defaults.
    """
    baseline = next(iter(outcomes))
    systems = tuple(
        SearchSystem(name=name, **{"model": "vsm", "reformulation": "baseline"} | dict(own))
        for name, own in ((outcome, (settings or {}).get(outcome, {})) for outcome in outcomes)
    )
    experiment = Experiment("made", description, baseline, systems, columns)
    Results(
        experiment=experiment,
        collection=collection,
        collection_path=path,
        records=len(outcomes[baseline]),
        records_used=len(outcomes[baseline]),
        citances=len(outcomes[baseline]),
        rejected=(),
        remarks=(),
        without_terms={},
        shortened={},
        queries_changed={},
        scores=score_systems(outcomes, baseline, measures, resamples=20),
        published_shown=False,
        published_caveat=None,
        configuration=resolve_configuration(experiment, Options(), None),
        versions={"citespan": "0"},
        run_folder=folder,
    ).write(outcomes)
    return folder

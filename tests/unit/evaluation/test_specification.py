"""Experiment files: the shipped one, the defaults, and every way to get one wrong."""

from dataclasses import replace
from pathlib import Path

import pytest

import citespan.experiments
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.published import TAC2014, PublishedFigure
from citespan.pipelines.evaluation.specification import (
    SearchSystem,
    YardstickSystem,
    read_experiment,
)
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.retrieval.request import TOP

EXPERIMENTS = Path(citespan.experiments.__path__[0])
SHIPPED = EXPERIMENTS / "models.yml"
NAACL = EXPERIMENTS / "naacl2015.yml"
LEAST = """
name: mine
baseline: one
systems:
  - {name: one, model: vsm, reformulation: baseline}
"""


TABLE = """
columns: [f1, rouge_l]
published:
  source: A paper
  collection: tac2014-train
  rows: {one: [0.156, 0.300** (-4.08%)]}
"""


def read(tmp_path: Path, text: str):
    path = tmp_path / "mine.yml"
    path.write_text(text, encoding="utf-8")
    return read_experiment(path)


def test_the_shipped_experiment_compares_the_four_models_and_the_yardstick() -> None:
    experiment = read_experiment(SHIPPED)
    assert (experiment.name, experiment.baseline) == ("models", "vsm")
    assert experiment.systems == (
        *(
            SearchSystem(name, name, "baseline", TOP, None, merge=True, spans=SpanLengths(1, 5))
            for name in ("vsm", "bm25", "dfr", "lmd")
        ),
        YardstickSystem("sentence-bm25", "sentence-bm25", 2),
    )


def test_the_paper_s_experiment_has_its_systems_its_columns_and_its_figures() -> None:
    experiment = read_experiment(NAACL)
    assert experiment.columns == (
        *("recall", "precision", "f1"),
        *("rouge_l_recall", "rouge_l_precision", "rouge_l"),
    )
    assert experiment.published is not None
    figures = experiment.published.figures
    names = [system.name for system in experiment.systems]
    assert names[: len(figures)] == list(figures)
    assert experiment.baseline == "baseline"
    for system in experiment.systems:
        assert isinstance(system, SearchSystem)
        assert (system.model, system.top, system.merge) == ("vsm", TOP, True)
        if system.name in figures:
            assert system.reformulation == system.name
    # What is printed as a difference is, within its rounding, that of the values printed: so
    # neither is mistyped.
    for system, row in figures.items():
        for column, figure in row.items():
            base = figures["baseline"][column].value
            if system == "baseline":
                assert figure.change is None
            else:
                change = 100 * (figure.value - base) / base
                assert figure.change == pytest.approx(change, abs=1), (system, column)
    stars = {system: [figure.stars for figure in row.values()] for system, row in figures.items()}
    assert stars["np+umls-expand"] == [1, 2, 2, 0, 2, 2]
    assert sum(map(sum, stars.values())) == 46


def test_what_is_left_out_has_defaults(tmp_path: Path) -> None:
    experiment = read(tmp_path, LEAST)
    assert experiment.description == ""
    [system] = experiment.systems
    assert system == SearchSystem("one", "vsm", "baseline", TOP, None, merge=True)
    assert isinstance(system, SearchSystem)
    assert (system.spans, system.ranker) == (SpanLengths(), "none")


def test_every_key_is_heeded(tmp_path: Path) -> None:
    experiment = read(
        tmp_path,
        LEAST.replace(
            "baseline}",
            "baseline, top: 2, depth: 50, merge: false, spans: {shortest: 2, longest: 3}}",
        )
        + "  - {name: two, yardstick: sentence-bm25, top: 7}\n"
        + "  - {name: three, model: vsm, reformulation: baseline, ranker: evidence}\n"
        + "description: |\n  Two\n  lines\n",
    )
    assert experiment.systems == (
        SearchSystem("one", "vsm", "baseline", 2, 50, merge=False, spans=SpanLengths(2, 3)),
        YardstickSystem("two", "sentence-bm25", 7),
        SearchSystem("three", "vsm", "baseline", ranker="evidence"),
    )
    assert experiment.description == "Two lines"
    assert (experiment.columns, experiment.published) == ((), None)


def test_a_table_has_its_columns_and_published_figures(tmp_path: Path) -> None:
    experiment = read(tmp_path, LEAST + TABLE)
    assert experiment.columns == ("f1", "rouge_l")
    published = experiment.published
    assert published is not None
    assert (published.source, published.collection) == ("A paper", TAC2014)
    assert published.figures == {
        "one": {"f1": PublishedFigure(0.156, 0, None), "rouge_l": PublishedFigure(0.3, 2, -4.08)}
    }


def test_a_system_has_options_of_its_own(tmp_path: Path) -> None:
    options = (
        "{sources: [MSH, GO], semantic_types: [T047], preferred: false, synonyms: conjunction, "
        "pipeline: other, vocabulary: a/b, background: c, general: d, feedback_spans: 5, "
        "feedback_terms: 20}"
    )
    (system,) = read(
        tmp_path, LEAST.replace("baseline}", f"baseline, options: {options}}}")
    ).systems
    assert isinstance(system, SearchSystem)
    assert system.options(Options()) == Options(
        vocabulary=Path("a/b"),
        sources=("MSH", "GO"),
        semantic_types=("T047",),
        preferred=False,
        synonyms="conjunction",
        pipeline="other",
        background=Path("c"),
        general=Path("d"),
        feedback_spans=5,
        feedback_terms=20,
    )
    (system,) = read(
        tmp_path, LEAST.replace("baseline}", "baseline, options: {feedback_spans: 5}}")
    ).systems
    assert isinstance(system, SearchSystem)
    given = Options(vocabulary=Path("v"), feedback_spans=9, feedback_terms=8)
    assert system.options(given) == replace(given, feedback_spans=5)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (LEAST, "", r"mine\.yml: not a mapping; write it as 'key: value'"),
        (LEAST, "- a", r"mine\.yml: not a mapping"),
        (LEAST, "a: [", r"mine\.yml:1: .*; correct the YAML"),
        (LEAST, "a: !!python/object:os.system {}", r"mine\.yml:1: .*; correct the YAML"),
        (LEAST, "a: 2014-99-99", r"mine\.yml: .*; correct the YAML"),
        ("name: mine", "", r"mine\.yml: name: missing; give a name"),
        ("name: mine", "name: 7", r"mine\.yml: name: 7 is not a name"),
        ("name: mine", "name: ../up", r"mine\.yml: name: '\.\./up' is not a name; use letters"),
        ("baseline: one", "", r"baseline: missing"),
        ("baseline: one", "baseline: two", r"baseline: no system 'two'; choose from: one"),
        (
            "baseline: one",
            "baseline: one\nseeds: 1",
            r"mine\.yml: seeds: unknown key; choose from: ",
        ),
        ("  - {name: one, model: vsm, reformulation: baseline}", "  []", r"systems: empty; give"),
        (
            "  - {name: one, model: vsm, reformulation: baseline}",
            "  7",
            r"systems: 7 is not a list",
        ),
        ("- {name: one, model: vsm, reformulation: baseline}", "- vsm", r"systems\[0\]: not a map"),
        ("model: vsm, ", "", r"systems\[0\]: model: missing; give a text"),
        ("model: vsm", "modle: vsm", r"systems\[0\]: modle: unknown key; choose from: name, model"),
        (
            "model: vsm",
            "model: okapi",
            r"systems\[0\]: model: unknown model 'okapi'; choose from: b",
        ),
        (
            "reformulation: baseline",
            "reformulation: none",
            r"systems\[0\]: reformulation: unknown reformulation 'none'; choose from: ",
        ),
        (
            "baseline}",
            "baseline, merg: true}",
            r"systems\[0\]: merg: unknown key; choose from: name",
        ),
        ("baseline}", "baseline, merge: 1}", r"systems\[0\]: merge: 1 is not true or false"),
        ("baseline}", "baseline, top: 0}", r"systems\[0\]: top: 0 is too small; give 1 or more"),
        ("baseline}", "baseline, top: true}", r"systems\[0\]: top: True is not a whole number"),
        ("baseline}", "baseline, top: 2.5}", r"systems\[0\]: top: 2\.5 is not a whole number"),
        ("baseline}", "baseline, top: 9, depth: 5}", r"depth: 5 is too small; give 9 or more"),
        (
            "baseline}\n",
            "baseline}\n  - {name: one, yardstick: sentence-bm25}\n",
            r"systems: two are called 'one'; give each its own name",
        ),
        (
            "baseline}\n",
            "baseline}\n  - {name: two, yardstick: sentence}\n",
            r"systems\[1\]: yardstick: unknown 'sentence'; choose from: sentence-bm25",
        ),
        (
            "baseline}\n",
            "baseline}\n  - {name: two, yardstick: sentence-bm25, depth: 9}\n",
            r"systems\[1\]: depth: unknown key; choose from: name, yardstick, top, stem",
        ),
        ("baseline}", "baseline, spans: 5}", r"spans: 5 is not a mapping"),
        ("baseline}", "baseline, spans: {least: 5}}", r"spans: least: unknown key"),
        ("baseline}", "baseline, spans: {shortest: 0}}", r"spans: shortest: 0 is too small"),
        ("baseline}", "baseline, spans: {shortest: 9}}", r"systems\[0\]: spans: .*9 to 5"),
        ("baseline: one", "baseline: one\nseed: -1", r"seed: -1 is too small; give 0 or more"),
        ("baseline: one", "baseline: one\nspans: {}", r"mine\.yml: spans: unknown key"),
        ("baseline}", "baseline, ranker: best}", r"ranker: unknown ranker 'best'; choose from"),
    ],
)
def test_a_mistake_is_named_with_file_key_and_remedy(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in LEAST
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, LEAST.replace(old, new))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[f1, rouge_l]", "[]", r"columns: empty; give at least one"),
        ("[f1, rouge_l]", "[f1, bleu]", r"columns: unknown measure 'bleu'; choose from: f1"),
        ("columns: [f1, rouge_l]", "", r"columns: missing; name the measures"),
        ("  source: A paper", "", r"published: source: missing; give a text"),
        ("tac2014-train", "tac", r"collection: unknown 'tac'; choose from: tac2014-train"),
        ("rows:", "row:", r"published: row: unknown key; choose from: source, collection, rows"),
        ("{one:", "{two:", r"published: rows: two: unknown key; choose from: one"),
        ("[0.156, ", "[", r"rows: one: 1 figures for 2 columns"),
        ("0.156", "many", r"rows: one: 'many' is not a figure; write it as in 0.173\* \(3.0%\)"),
        ("0.156", "7", r"rows: one: '7' is not a figure"),
        ("baseline}", "baseline, options: 7}", r"systems\[0\]: options: 7 is not a mapping"),
        ("baseline}", "baseline, options: {k: 1}}", r"options: k: unknown key; choose from: "),
        ("baseline}", "baseline, options: {synonyms: x}}", r"synonyms: unknown 'x'; choose from"),
        ("baseline}", "baseline, options: {sources: MSH}}", r"sources: 'MSH' is not a list"),
        ("baseline}", "baseline, options: {feedback_spans: 0}}", r"feedback_spans: 0 is too small"),
        ("baseline}", "baseline, options: {preferred: 1}}", r"preferred: 1 is not true or false"),
        ("baseline}", "baseline+}", r"reformulation 'baseline\+': a name is missing"),
        ("baseline}", "baseline+baseline}", r"reformulation: .* name each one once"),
    ],
)
def test_a_mistake_in_a_table_or_in_options_is_named(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in LEAST + TABLE
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, (LEAST + TABLE).replace(old, new))
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yml: can't be read .*; check the path"):
        read_experiment(tmp_path / "none.yml")


def test_another_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.yml"
    path.write_bytes(LEAST.encode("utf-16"))
    with pytest.raises(InputError, match=r"mine\.yml: not UTF-8 .*; save it as UTF-8"):
        read_experiment(path)

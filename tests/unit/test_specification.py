"""Experiment files: the shipped one, the defaults, and every way to get one wrong."""

from pathlib import Path

import pytest

import citespan.experiments
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.specification import (
    SearchSystem,
    YardstickSystem,
    read_experiment,
)
from citespan.pipelines.indexing.windows import SpanLengths
from citespan.pipelines.retrieval.search import TOP

SHIPPED = Path(citespan.experiments.__path__[0]) / "models.yml"
LEAST = """
name: mine
baseline: one
systems:
  - {name: one, model: vsm, reformulation: baseline}
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
            SearchSystem(name, name, "baseline", TOP, None, merge=True)
            for name in ("vsm", "bm25", "dfr", "lmd")
        ),
        YardstickSystem("sentence-bm25", "sentence-bm25", 2),
    )
    assert experiment.spans == SpanLengths(1, 5)


def test_what_is_left_out_has_defaults(tmp_path: Path) -> None:
    experiment = read(tmp_path, LEAST)
    assert experiment.description == ""
    assert experiment.spans == SpanLengths()
    assert experiment.systems == (SearchSystem("one", "vsm", "baseline", TOP, None, merge=True),)


def test_every_key_is_heeded(tmp_path: Path) -> None:
    experiment = read(
        tmp_path,
        LEAST.replace("baseline}", "baseline, top: 2, depth: 50, merge: false}")
        + "  - {name: two, yardstick: sentence-bm25, top: 7}\n"
        + "spans: {shortest: 2, longest: 3}\ndescription: |\n  Two\n  lines\n",
    )
    assert experiment.systems == (
        SearchSystem("one", "vsm", "baseline", 2, 50, merge=False),
        YardstickSystem("two", "sentence-bm25", 7),
    )
    assert experiment.spans == SpanLengths(2, 3)
    assert experiment.description == "Two lines"


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
        ("baseline: one", "baseline: one\nseed: 1", r"mine\.yml: seed: unknown key; choose from: "),
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
            r"systems\[1\]: depth: unknown key; choose from: name, yardstick, top",
        ),
        ("baseline: one", "baseline: one\nspans: 5", r"spans: 5 is not a mapping"),
        ("baseline: one", "baseline: one\nspans: {least: 5}", r"spans: least: unknown key"),
        (
            "baseline: one",
            "baseline: one\nspans: {shortest: 0}",
            r"spans: shortest: 0 is too small",
        ),
        ("baseline: one", "baseline: one\nspans: {shortest: 9}", r"mine\.yml: spans: .*9 to 5"),
    ],
)
def test_a_mistake_is_named_with_file_key_and_remedy(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in LEAST
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, LEAST.replace(old, new))
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yml: can't be read .*; check the path"):
        read_experiment(tmp_path / "none.yml")


def test_another_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.yml"
    path.write_bytes(LEAST.encode("utf-16"))
    with pytest.raises(InputError, match=r"mine\.yml: not UTF-8 .*; save it as UTF-8"):
        read_experiment(path)

"""What the public functions are given: a mistake is one line, not a TypeError from within."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import citespan
from citespan.arguments import check_arguments
from citespan.pipelines.errors import CitespanError, InputError, UnknownNameError

MISTAKES: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("search", (7, "p53"), {}, "citance=7: give a text or a list, each of it a text"),
    ("search", ("p53",), {}, "citespan.search: missing a required argument: 'article'"),
    (
        "search",
        ("p53", "a"),
        {"tpo": 3},
        "unknown argument of citespan.search 'tpo'; choose from: ",
    ),
    ("search", ("p53", "a"), {"top": "3"}, "top='3': give a whole number or None"),
    ("search", ("p53", "a"), {"ranker": 3}, "ranker=3: give a text or a Ranker"),
    ("search", ("p53", "a"), {"idf": "all"}, "idf='all': give 'article' or 'background' or 'both'"),
    ("search", (["p53", 7], "a"), {}, "citance=['p53', 7]: give a text or a list"),
    ("search_all", (None,), {}, "citance=None: give a text"),
    ("search_all", ("p53",), {"sections": "results"}, "sections='results': give a list"),
    ("answers", ({"q": 1},), {}, "question={'q': 1}: give a text"),
    ("answers", ("p53?",), {"topp": 3}, "unknown argument of citespan.answers 'topp'"),
    ("index", (7,), {}, "paths=7: give a text or a path"),
    ("index", ("a",), {"process": 2}, "unknown argument of citespan.index 'process'"),
    ("index", ("a",), {"rebuild": "no"}, "rebuild='no': give True or False"),
    ("articles", (3,), {}, "text=3: give a text or None"),
    ("show", ("a", "1"), {}, "first='1': give a whole number or None"),
    ("check", (7,), {}, "manuscript=7: give a text or a path or a ArticleCitations"),
    ("summarise", ("a", "one citance"), {}, "citances='one citance': give a mapping or a list"),
    ("evaluate", (None,), {}, "experiment=None: give a text or a path"),
    ("compare", ("vsm",), {}, "systems='vsm': give a list"),
    ("connect", (9200,), {}, "url=9200: give a text or None"),
    ("cited", ("a",), {"client": "http://localhost"}, "client='http://localhost': give a Elast"),
]


@pytest.mark.parametrize(("name", "given", "keywords", "said"), MISTAKES)
def test_a_mistake_is_one_line_that_names_the_argument(
    name: str, given: tuple[Any, ...], keywords: dict[str, Any], said: str
) -> None:
    with pytest.raises(CitespanError) as raised:
        getattr(citespan, name)(*given, **keywords)
    assert str(raised.value).startswith(said)
    assert "\n" not in str(raised.value)


@check_arguments
def take(
    text: str | None, number: float, *names: str, path: str | Path = "", sizes: tuple[int, ...] = ()
) -> tuple[Any, ...]:
    """Return what it is given."""
    return text, number, names, path, sizes


def test_what_fits_is_passed_on() -> None:
    assert take(None, 1, "a", "b", path=Path("c"), sizes=(1, 2))
    assert take("a", np.float64(0.5), sizes=(np.int64(1),))
    assert take.__name__ == "take"
    with pytest.raises(InputError, match="names=7"):
        take("a", 1, "b", 7)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"sizes=\(1, 'a'\)"):
        take("a", 1, sizes=(1, "a"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("systems", "said"),
    [
        ([], "systems: empty; give at least one"),
        ([{"modle": "bm25"}], "modle: unknown key"),
        ([{"model": "bm26"}], "unknown model 'bm26'; choose from: bm25"),
        ([{"model": "bm25"}, {"model": "bm25"}], "two are called 'bm25'"),
        ([{"ranker": 7}], "ranker: 7 is not a text"),
        ([{"ranker": "evidnce"}], "unknown ranker 'evidnce'"),
        ([{"model": "bm25", "top": 0}], "top: 0 is too small"),
    ],
)
def test_systems_that_cannot_be_compared(systems: list[Any], said: str) -> None:
    with pytest.raises(CitespanError) as raised:
        citespan.compare(systems)
    assert str(raised.value).startswith("comparison: ")
    assert said in str(raised.value)


def test_a_baseline_that_is_no_system_is_named() -> None:
    with pytest.raises(InputError, match="baseline: no system 'x'; choose from: bm25, lmd-np"):
        citespan.compare([{"model": "bm25"}, {"model": "lmd", "reformulation": "np"}], baseline="x")


def test_an_unknown_measure_is_named() -> None:
    with pytest.raises(InputError, match="unknown measure 'f2'"):
        citespan.compare([{"model": "bm25"}], measures=["f2"])


def test_unknown_names_are_told_apart_from_other_mistakes() -> None:
    with pytest.raises(UnknownNameError):
        citespan.sample("data")

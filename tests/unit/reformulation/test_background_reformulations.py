"""`keywords`, `domain-terms` and `prf`: the words and weights that follow from the tables."""

from collections.abc import Sequence
from math import log, sqrt
from pathlib import Path

import pytest

from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.background import count
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.prf import BETA
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.reformulation.reformulation import Context, parse

FILLER = [f"filler{number}" for number in range(100)]


def table(tmp_path: Path, name: str, *documents: str) -> Path:
    path = tmp_path / name
    path.write_bytes(count(documents, name, "none").to_bytes())
    return path


@pytest.fixture
def background(tmp_path: Path) -> Path:
    """Of 100 documents, all have "cell", 9 "kinase", 8 "p53", 2 "tumour"."""
    documents = [
        f"cells {'kinases' * (n < 9)} {'p53' * (n < 8)} {'tumours' * (n < 2)} {filler}"
        for n, filler in enumerate(FILLER)
    ]
    return table(tmp_path, "background.json.gz", *documents)


def terms(name: str, citance: str, context: Context) -> dict[str, float]:
    return {term.text: term.weight for term in parse(name).terms(citance, context)}


def test_keywords_weigh_and_drop(background: Path) -> None:
    context = Context(Options(background=background))
    found = terms("keywords", "Kinases and p53 in the cells of a Tumour, p53-mediated [3]", context)
    assert found == pytest.approx(
        {"p53": log(100 / 8) ** 2, "Tumour": log(100 / 2) ** 2, "p53-mediated": log(100) ** 2}
    )


def test_keywords_count_a_word_as_often_as_it_occurs(background: Path) -> None:
    context = Context(Options(background=background))
    once, twice = (terms("keywords", text, context)["p53"] for text in ("p53", "p53 binds p53"))
    assert twice == pytest.approx(2 * once)


def test_a_table_in_which_all_words_are_frequent_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "small.json.gz", *FILLER[:12])
    with pytest.raises(InputError, match=r"small.json.gz: counted in 12 documents, .* 13 or more"):
        terms("keywords", "p53", Context(Options(background=path)))
    enough = table(tmp_path, "enough.json.gz", *FILLER[:13])
    assert terms("keywords", "p53", Context(Options(background=enough)))


def test_domain_terms_compare_shares_of_occurrences(tmp_path: Path) -> None:
    options = Options(
        background=table(tmp_path, "b", "kinase kinase cell house water"),
        general=table(tmp_path, "g", "house house water cell", "river water stone"),
    )
    citance = "Kinases, cells, houses, water, river and p53, house-kinase and house-stone"
    # shares: kinase 2/5 : 0, cell 1/5 : 1/7, house 1/5 : 2/7, water 1/5 : 2/7, river 0 : 1/7
    assert terms("domain-terms", citance, Context(options)) == {
        "Kinases": 1.0,
        "cells": 1.0,
        "p53": 1.0,
        "house-kinase": 1.0,
    }


def test_the_same_corpus_twice_keeps_only_what_it_does_not_know(tmp_path: Path) -> None:
    path = table(tmp_path, "same", "kinase cell house")
    context = Context(Options(background=path, general=path))
    assert terms("domain-terms", "the kinase p53 of the cell", context) == {"p53": 1.0}


def test_shipped_tables_are_the_default() -> None:
    citance = "We show that the protein p53 induces apoptosis in the kitchen"
    assert set(terms("domain-terms", citance, Context())) >= {"protein", "p53", "apoptosis"}
    assert "kitchen" not in terms("domain-terms", citance, Context())
    assert set(terms("keywords", citance, Context())) >= {"p53", "apoptosis"}
    assert "protein" not in terms("keywords", citance, Context())


def fed_back(
    background: Path, citance: str, texts: list[str], number: int = 10
) -> dict[str, float]:
    asked: list[tuple[tuple[Term, ...], int]] = []

    def first_spans(terms: Sequence[Term], spans: int) -> list[str]:
        asked.append((tuple(terms), spans))
        return texts

    options = Options(background=background, feedback_spans=7, feedback_terms=number)
    found = terms("prf", citance, Context(options, None, first_spans))
    assert asked == [(parse("baseline").terms(citance, Context()), 7)]
    return found


def test_prf_is_rocchio(background: Path) -> None:
    rare, p53, tumour = log(100), log(100 / 8), log(100 / 2)
    found = fed_back(
        background,
        "p53 binds p53",
        ["Tumours need the p53 of cells [12].", "12 tumours (Quimby, 2006) regress"],
    )
    query = sqrt((2 * p53) ** 2 + rare**2)
    first = sqrt(tumour**2 + rare**2 + p53**2)
    second = sqrt(tumour**2 + rare**2)
    assert found == pytest.approx(
        {
            "p53": 2 + BETA * query * (1 / first) / 2,
            "binds": 1,
            "Tumours": BETA * query * (1 / first + 1 / second) / 2,
            "need": BETA * query * (1 / first) / 2,
            "regress": BETA * query * (1 / second) / 2,
        }
    )


def test_prf_adds_the_best_terms_only(background: Path) -> None:
    texts = ["tumours tumours p53 kinases", "tumours"]
    assert set(fed_back(background, "binds", texts, 1)) == {"binds", "tumours"}
    assert set(fed_back(background, "binds", texts, 2)) == {"binds", "tumours", "p53"}


def test_prf_writes_a_word_as_the_citance_does(background: Path) -> None:
    assert set(fed_back(background, "The tumour", ["tumours and Tumours"])) == {"tumour"}


def test_prf_keeps_names_that_differ_in_a_number_apart(background: Path) -> None:
    found = fed_back(background, "the IL-2", ["IL-6 and IL-6"])
    assert found["IL-2"] == 1
    assert found["IL-6"] > 0


@pytest.mark.parametrize("texts", [[], [""], ["12 of the [3]"], ["cells"]])
def test_prf_with_nothing_to_learn(background: Path, texts: list[str]) -> None:
    assert fed_back(background, "binds p53", texts) == {"binds": 1, "p53": 1}


def test_prf_searches_for_what_reductions_have_left(background: Path) -> None:
    asked: list[str] = []

    def first_spans(terms: Sequence[Term], _: int) -> list[str]:
        asked.extend(term.text for term in terms)
        return ["regress"]

    options = Options(background=background)
    found = terms("keywords+prf", "p53 of cells", Context(options, None, first_spans))
    assert asked == ["p53"]
    assert set(found) == {"p53", "regress"}
    assert terms("keywords+prf", "cells", Context(options, None, first_spans)) == {}
    assert asked == ["p53"]

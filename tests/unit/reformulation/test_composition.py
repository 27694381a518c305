"""Reformulations combined by `+`."""

import pytest

from citespan.pipelines.errors import InputError, UnknownNameError
from citespan.pipelines.reformulation.query import Query, Term, Word
from citespan.pipelines.reformulation.reformulation import PUBLISHED, parse


@pytest.mark.parametrize("name", ["baseline", "np + umls-expand", *PUBLISHED])
def test_a_name_is_parsed(name: str) -> None:
    assert parse(name).name == name.replace(" ", "")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "a name is missing"),
        ("np+", "a name is missing; combine them as in"),
        ("np+np", "name each one once"),
        ("umls-expand+np", r"expansions come last; write np\+umls-expand"),
    ],
)
def test_what_makes_no_sense_is_told(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse(name)


def test_an_unknown_name_is_told() -> None:
    with pytest.raises(UnknownNameError, match=r"noun-phrases.*choose from.*np"):
        parse("noun-phrases+umls-expand")


def test_terms_that_differ_in_case_are_one() -> None:
    query = Query("Mice ate mice", (Word(0, 4), Word(9, 13, 2.0)), (Term("MICE"),))
    assert query.terms() == (Term("Mice", 4.0),)


def test_terms_of_another_kind_are_another() -> None:
    query = Query("p53", (Word(0, 3),), (Term("p53", kind="phrase"),))
    assert query.terms() == (Term("p53"), Term("p53", kind="phrase"))

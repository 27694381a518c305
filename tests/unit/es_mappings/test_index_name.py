"""Index names: valid, readable, and apart for ids that are apart."""

import re

from hypothesis import given
from hypothesis import strategies as st

from citespan.es_mappings.index_name import CITESPAN, edition, slug, slug_of

_VALID = re.compile(r"citespan-spans-[a-z0-9][a-z0-9._-]*~[0-9a-f]{16}")
_GROUP = "0a1b2c3d4e5f6071"


def spans_index(article_id: str) -> str:
    its_edition = edition(article_id, _GROUP)
    assert slug_of(its_edition) == slug(article_id)
    return CITESPAN.own_index("spans", its_edition)


def test_a_valid_id_stays_as_it_is() -> None:
    assert spans_index("sample.p53_1") == "citespan-spans-sample.p53_1~0a1b2c3d4e5f6071"


def test_what_elasticsearch_refuses_is_replaced_and_told_apart() -> None:
    slash, colon = slug("10.1371/journal.pbio"), slug("10.1371:journal.pbio")
    assert slash.startswith("10.1371-journal.pbio-")
    assert slash != colon


def test_case_is_told_apart() -> None:
    assert len({slug("PMC12"), slug("pmc12"), slug("Pmc12")}) == 3


@given(st.text(min_size=1, max_size=400))
def test_valid_for_any_id(article_id: str) -> None:
    name = spans_index(article_id)
    assert _VALID.fullmatch(name)
    assert len(name.encode()) <= 255


@given(st.sets(st.text(min_size=1, max_size=20), min_size=2, max_size=20))
def test_different_for_different_ids(ids: set[str]) -> None:
    assert len({slug(article_id) for article_id in ids}) == len(ids)

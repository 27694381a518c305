"""Links of the mark-up made markers: groups, ranges, brackets, and what is wrong with them."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.citing.markers import Marker, group_links
from citespan.pipelines.corpus.references import Link, Reference

NINE = [Reference(f"B{n}", (f"B{n}",), str(n)) for n in range(1, 10)]
LINK = re.compile(r"\{([^|{}]*)\|([^{}]*)\}")


def linked(written: str) -> tuple[str, list[Link]]:
    """A text whose links are written as "{what it shows|names}"."""
    text, links, end = "", [], 0
    for found in LINK.finditer(written):
        text += written[end : found.start()]
        links.append(Link(len(text), len(text) + len(found[1]), tuple(found[2].split())))
        text += found[1]
        end = found.end()
    return text + written[end:], links


def markers(written: str, references: Sequence[Reference] = NINE) -> list[tuple[str, str]]:
    text, links = linked(written)
    return [(text[m.start : m.end], " ".join(m.keys)) for m in group_links(text, links, references)]


def marker(written: str) -> Marker:
    (found,) = group_links(*linked(written), NINE)
    return found


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("cells [{1|B1}].", [("[1]", "B1")]),
        ("cells [{1|B1}, {3|B3}] and", [("[1, 3]", "B1 B3")]),
        ("cells [{3|B3}–{7|B7}].", [("[3–7]", "B3 B4 B5 B6 B7")]),
        ("cells {[3]|B3}-{[5]|B5},{[9]|B9}", [("[3]-[5],[9]", "B3 B4 B5 B9")]),
        ("cells {3|B3}{|B4}{|B5}-{6|B6}.", [("3-6", "B3 B4 B5 B6")]),
        ("cells. {3–5|B3} Then", [("3–5", "B3 B4 B5")]),
        ("cells [{3-5|B3 B5}]", [("[3-5]", "B3 B4 B5")]),
        ("cells [{3-5|B3 B4 B5}]", [("[3-5]", "B3 B4 B5")]),
        ("cells [{1-3|B1 B9 B3}]", [("[1-3]", "B1 B2 B9 B3")]),
        ("cells [{1|B1}] and [{2|B2}]", [("[1] and [2]", "B1 B2")]),
        ("cells [{1|B1}] die, mice [{2|B2}] do not", [("[1]", "B1"), ("[2]", "B2")]),
        ("cells {1|B1}. {2|B2} is", [("1", "B1"), ("2", "B2")]),
        ("(Ito et al., {1999|B1}; Ry, {2001|B2})", [("(Ito et al., 1999; Ry, 2001)", "B1 B2")]),
        ("cells (see {Okada 1999|B1})", [("(see Okada 1999)", "B1")]),
        ("cells (in yeast {Okada 1999|B1})", [("Okada 1999", "B1")]),
        ("as {Ito (1999)|B1} and {Ry (2001)|B2} say", [("Ito (1999) and Ry (2001)", "B1 B2")]),
        ("({1999|B1}–{2001|B2})", [("(1999–2001)", "B1 B2")]),
        ("a {1|B1 B1 B2}\n\n{2|B2}", [("1", "B1 B2"), ("2", "B2")]),
    ],
)  # fmt: skip
def test_links_that_stand_together_are_one_marker(
    written: str, expected: list[tuple[str, str]]
) -> None:
    assert markers(written) == expected


def test_an_entry_of_several_publications_is_cited_whole() -> None:
    two = [Reference("a", ("B1", "a")), Reference("b", ("B1", "b")), Reference("B2", ("B2",))]
    assert markers("[{1|B1}] x {1b|b}", two) == [("[1]", "a b"), ("1b", "b")]


@pytest.mark.parametrize("written", ["[{5|B5}–{2|B2}]", "[{5-2|B5}]"])
def test_a_range_that_does_not_ascend_is_reported(written: str) -> None:
    found = marker(written)
    assert found.problem == f'the range "{"5–2"}" does not ascend'
    assert set(found.keys) <= {"B5", "B2"}


def test_what_the_list_does_not_have_is_kept_by_name() -> None:
    found = marker("[{1|B1},{12|B12},{13|}]")
    assert (found.keys, found.unknown, found.links) == (("B1",), ("B12", "13"), 3)


PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            ["[", "]", "(", ")", "–", "-", ", ", "; ", " and ", "cells ", "\n\n", ". "]
        ),
        st.tuples(
            st.sampled_from(["", "1", "3", "2–7", "9-3", "Okada 1999", "[4]"]),
            st.lists(st.sampled_from(["B1", "B3", "B9", "B77"]), max_size=3),
        ).map(lambda pair: f"{{{pair[0]}|{' '.join(pair[1])}}}"),
    ),
    max_size=30,
)


@given(PIECES)
def test_no_link_is_lost_or_doubled(pieces: list[str]) -> None:
    text, links = linked("".join(pieces))
    found = list(group_links(text, links, NINE))
    assert sum(group.links for group in found) == len(links)
    assert [group.start for group in found] == sorted(group.start for group in found)
    named = [name for link in links for name in link.names]
    cited = [name for group in found for name in (*group.keys, *group.unknown)]
    assert set(named) <= set(cited)
    for group in found:
        assert len(set(group.keys)) == len(group.keys)
        assert 0 <= group.start <= group.end <= len(text)


def test_it_takes_time_linear_in_the_links() -> None:
    text, links = linked("(" + "{1|B1}, " * 20_000)
    (group,) = group_links(text, links, NINE)
    assert group.links == 20_000

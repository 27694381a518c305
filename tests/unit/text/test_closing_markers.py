"""Markers behind a full stop: the splitter is told of them, and sentences keep them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.references import Link
from citespan.pipelines.text.splitter import DEFAULT, hide_closing_markers, split_article, splitters

LINK = re.compile("⟦([^⟧]*)⟧")


def linked(written: str) -> tuple[str, tuple[Link, ...]]:
    """A text whose links stand between "⟦" and "⟧"."""
    links = []
    for number, found in enumerate(LINK.finditer(written)):
        start = found.start() - 2 * number
        links.append(Link(start, start + len(found[1]), ("B1",)))
    return LINK.sub(r"\1", written), tuple(links)


def split(written: str) -> list[str]:
    text, links = linked(written)
    article = Article(id="a", title="", text=text, source="made", links=links)
    return [text[s.start : s.end] for s in split_article(article, splitters[DEFAULT])]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("It grew in yeast. ⟦23⟧ AT1 did not.", ["It grew in yeast. 23", "AT1 did not."]),
        ("It grew. ⟦2⟧, ⟦3⟧-⟦5⟧ α-Factor fell.", ["It grew. 2, 3-5", "α-Factor fell."]),
        ("It grew. [⟦2⟧,⟦3⟧] (Not so there.) Yes.", ["It grew. [2,3]", "(Not so there.)", "Yes."]),
        ("It grew (Fig. 1). ⟦[2]⟧ 12 mice died.", ["It grew (Fig. 1). [2]", "12 mice died."]),
        ("It grew. ⟦2⟧\n\nIt fell.", ["It grew. 2", "It fell."]),
        ("It grew. ⟦2⟧ showed it.", ["It grew.", "2 showed it."]),
        ("It grew [⟦1⟧]. [⟦2⟧] showed it.", ["It grew [1].", "[2] showed it."]),
        ("It grew. [⟦2⟧] and [⟦3⟧] say so.", ["It grew.", "[2] and [3] say so."]),
        ("It grew (cf. [⟦2⟧] for more).", ["It grew (cf. [2] for more)."]),
        ("It grew.[⟦2⟧] lacZ did not.", ["It grew.[2] lacZ did not."]),
        ("It grew. ⟦Ito (1999)⟧ We fell.", ["It grew.", "Ito (1999) We fell."]),
        ("As Ito et al. [⟦2⟧] DNA fell.", ["As Ito et al. [2] DNA fell."]),
        ("It grew [⟦2⟧]. We fell.", ["It grew [2].", "We fell."]),
    ],
)
def test_a_marker_belongs_to_the_sentence_that_it_closes(written: str, expected: list[str]) -> None:
    assert split(written) == expected


PARTS = st.lists(
    st.sampled_from(["Cells ", "grew.", " ", "⟦2⟧", "⟦[3]⟧", "(", "]", "\n\n", "It ", "–"])
)


@given(PARTS)
def test_sentences_hold_all_of_the_text(parts: list[str]) -> None:
    text, links = linked("".join(parts))
    shown = hide_closing_markers(text, links)
    assert len(shown) == len(text)
    assert all(a in (b, " ") for a, b in zip(shown, text, strict=True))
    sentences = split("".join(parts))
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence == sentence.strip() != "" for sentence in sentences)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It grew.² We fell.", ["It grew.²", "We fell."]),
        ("It grew.²,³ We fell.⁴–¹²", ["It grew.²,³", "We fell.⁴–¹²"]),
        ("It “grew.”² We fell.", ["It “grew.”²", "We fell."]),
        ("It grew. ² ³ We fell.", ["It grew. ² ³", "We fell."]),
        ("It grew. [2, 3] We fell.", ["It grew. [2, 3]", "We fell."]),
        (
            "It grew [1]. [2, 3] show it. [4] says so.",
            ["It grew [1].", "[2, 3] show it.", "[4] says so."],
        ),
        ("It grew.(2) We fell.", ["It grew.(2)", "We fell."]),
        ("It grew. (1) We fell. (2) We rose.", ["It grew.", "(1) We fell.", "(2) We rose."]),
        ("As Ito et al.² DNA fell.", ["As Ito et al.² DNA fell."]),
        ("It is 5 m.² in all.", ["It is 5 m.² in all."]),
    ],
)
def test_without_links_markers_are_told_by_how_they_are_written(
    text: str, expected: list[str]
) -> None:
    assert split(text) == expected


WRITTEN = st.lists(
    st.sampled_from(["Cells ", "grew.", " ", "²", ",³", "[3]", "(", "4", ")", "\n\n", "It ", "–"])
)


@given(WRITTEN)
def test_a_text_without_links_is_split_in_whole(parts: list[str]) -> None:
    text = "".join(parts)
    assert len(hide_closing_markers(text, ())) == len(text)
    assert "".join("".join(split(text)).split()) == "".join(text.split())

"""Articles as readers see them: their structure is shown, their text is whole, marks fit."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.ranking.stored_article import StoredArticle
from citespan.pipelines.retrieval.passage import Passage
from citespan.serve.article_text import Mark, NumberedSentence, find_marks, lay_out, split_sentence


def store(*sentences: tuple[str, str]) -> StoredArticle:
    """An article of (section, text with the white space behind it)."""
    ends = list(accumulate(len(text) for _, text in sentences))
    starts = [0, *ends][: len(sentences)]
    return StoredArticle(
        ArticleSentences(
            tuple(text for _, text in sentences), tuple(name for name, _ in sentences)
        ),
        tuple(starts),
        tuple(
            start + len(text.rstrip()) for start, (_, text) in zip(starts, sentences, strict=True)
        ),
    )


ARTICLE = store(
    ("Title", "Cells stop\n\n"),
    ("Abstract", "Cells stop. "),
    ("Abstract", "They do so [1].\n\n"),
    ("Results / Arrest", "Damage stops them.\n\n"),
    ("Results / Arrest / Figure 1", "Arrows show it. "),
    ("Results / Arrest / Figure 1", "Bars too.\n\n"),
    ("Results / Death", "Some die. "),
    ("Results / Death", "Others live.\n\n"),
    ("Funding", "Nobody paid.\n\n"),
    ("References", "Smith J. Cells. 1999.\n\n"),
    ("References", "Ito K. Mice. 2001."),
)


def passage(first: int, last: int, *matches: str) -> Passage:
    text = ARTICLE.text(first, last)
    found = tuple((text.index(word), text.index(word) + len(word)) for word in matches)
    return Passage(
        1, 1.0, first, last, ARTICLE.starts[first], ARTICLE.ends[last], "", text, found, "", "", {}
    )


def test_headings_legends_and_references_are_what_they_are_in_an_article() -> None:
    blocks = lay_out(ARTICLE)
    assert [(block.kind, block.headings) for block in blocks] == [
        ("title", ()),
        ("abstract", ((2, "Abstract"),)),
        ("body", ((2, "Results"), (3, "Arrest"))),
        ("legend", ((4, "Figure 1"),)),
        ("body", ((3, "Death"),)),
        ("back", ((2, "Funding"),)),
        ("references", ((2, "References"),)),
    ]
    assert [len(block.paragraphs) for block in blocks] == [1, 1, 1, 1, 1, 1, 2]
    assert len(blocks[1].paragraphs[0].sentences) == 2


def test_a_short_line_without_an_end_is_a_heading() -> None:
    blocks = lay_out(store(("", "Methods we used\n\n"), ("", "We used mice. "), ("", "They ran.")))
    assert [part.is_heading for part in blocks[0].paragraphs] == [True, False]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["", "Title", "Abstract", "Results", "Results / A", "Figure 2", "Funding"]
            ),
            st.text("aב [1]\t<&.", min_size=1, max_size=12).filter(str.strip),
            st.sampled_from([" ", "\n\n", "\n"]),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_every_sentence_is_there_once_and_in_order(rows: list[tuple[str, str, str]]) -> None:
    article = store(*((section, text.strip() + gap) for section, text, gap in rows))
    sentences = [
        sentence
        for block in lay_out(article)
        for part in block.paragraphs
        for sentence in part.sentences
    ]
    assert [sentence.number for sentence in sentences] == list(range(len(rows)))
    assert [sentence.text for sentence in sentences] == [text.strip() for _, text, _ in rows]
    assert [sentence.start for sentence in sentences] == list(article.starts)
    for sentence in sentences:
        assert "".join(piece.text for piece in split_sentence(sentence)) == sentence.text


def test_marks_name_their_passages_and_have_the_matched_words() -> None:
    found = {"a": [passage(6, 7, "die", "live")], "b": [passage(7, 7)]}
    marks = find_marks(lay_out(ARTICLE), found)
    assert marks is not None
    assert set(marks) == {6, 7}
    assert (marks[6].passages, marks[6].begins) == (("a1",), ("a1",))
    assert (marks[7].passages, marks[7].begins) == (("a1", "b1"), ("b1",))
    texts = {sentence.number: sentence for block in lay_out(ARTICLE) for part in block.paragraphs
             for sentence in part.sentences}  # fmt: skip
    matched = [
        piece.text
        for number, mark in marks.items()
        for piece in split_sentence(texts[number], mark)
        if piece.is_match
    ]
    assert matched == ["die", "live"]


@pytest.mark.parametrize("first", [2, 40])
def test_a_passage_of_another_edition_is_not_marked_in_this_one(first: int) -> None:
    found = passage(6, 7)
    other = Passage(1, 1.0, first, first, found.start, found.end, "", found.text, (), "", "", {})
    assert find_marks(lay_out(ARTICLE), {"a": [other]}) is None


@given(
    st.text(max_size=30),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=4),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=4),
)
def test_the_pieces_of_a_sentence_are_the_sentence(
    text: str, matches: list[tuple[int, int]], markers: list[tuple[int, int]]
) -> None:
    numbered = NumberedSentence(0, 0, text, tuple(markers))
    pieces = split_sentence(numbered, Mark(("a1",), ("a1",), tuple(matches)))
    assert "".join(piece.text for piece in pieces) == text
    for at, character in enumerate(text):
        piece = next(
            piece
            for piece, before in zip(
                pieces, accumulate((len(p.text) for p in pieces), initial=0), strict=False
            )
            if before <= at < before + len(piece.text)
        )
        assert character in piece.text
        assert piece.is_match == any(start <= at < end for start, end in matches)

"""Which indexed article a reference names: by identifier, by title, or none."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.citations.resolution import (
    IndexedArticle,
    is_same_publication,
    make_look_up,
    resolve,
)
from citespan.pipelines.corpus.publication import Publication

YEAST = Publication(
    authors=("Ito, K.", "Ry, B."),
    title="Growth of made yeast on sugar",
    year=2001,
    pmid="1",
    doi="10.1000/yeast",
)
BREAD = Publication(("Ry, B.",), "Rising of made bread in ovens", 2003, "Bread", "2", "PMC2")
CATALOGUE = make_look_up([IndexedArticle("yeast", YEAST), IndexedArticle("bread", BREAD)])


def hidden(publication: Publication) -> Publication:
    return replace(publication, pmid="", pmcid="", doi="")


@pytest.mark.parametrize(
    ("reference", "outcome", "article"),
    [
        (Publication(pmid="1"), "identifier", "yeast"),
        (Publication(title="Another title", doi="10.1000/yeast"), "identifier", "yeast"),
        (Publication(pmcid="PMC2"), "identifier", "bread"),
        (Publication(pmid="2", doi="10.1000/yeast"), "ambiguous", None),
        (Publication(pmid="3"), "not indexed", None),
        (hidden(YEAST), "title", "yeast"),
        (hidden(replace(YEAST, year=2002)), "title", "yeast"),
        (hidden(replace(YEAST, year=2003)), "not indexed", None),
        (hidden(replace(YEAST, year=None)), "not indexed", None),
        (hidden(replace(YEAST, authors=("Itoh, K.",))), "title", "yeast"),
        (hidden(replace(YEAST, authors=("Od, K.",))), "not indexed", None),
        (hidden(replace(YEAST, authors=("Ry, B.", "Ito, K."))), "not indexed", None),
        (replace(YEAST, pmid="9", doi=""), "not indexed", None),
        (replace(YEAST, pmid="", doi="10.1000/other"), "not indexed", None),
        (Publication(title="Growth of made yeast on sugar"), "unidentifiable", None),
        (Publication(("Ito, K.",), "Editorial", 2001), "unidentifiable", None),
        (Publication(), "unidentifiable", None),
    ],
)
def test_what_a_reference_is(reference: Publication, outcome: str, article: str | None) -> None:
    (found,) = resolve([reference], CATALOGUE)
    assert (found.outcome, found.article) == (outcome, article)


@pytest.mark.parametrize(
    ("title", "same"),
    [
        ("GROWTH of made yeast, on sugar.", True),
        ("Growth of made yeast on sugars", True),
        ("Growth of made yeast on sugar and bread", False),
        ("Growth of made yeast on sugar 2", False),
        ("Growth of made yeast on sugar II", False),
        ("Growth of made yeast on sugar [ISRCTN00000000]", False),
    ],
)
def test_titles_that_are_near(title: str, same: bool) -> None:
    assert is_same_publication(hidden(YEAST), replace(hidden(YEAST), title=title)) == same


LONG = "Growth of made yeast on the sugar that is sold in shops"


@pytest.mark.parametrize(
    ("title", "same"),
    [
        (f"{LONG} [ISRCTN00000000]", True),
        (f"{LONG}: a controlled trial in ovens", True),
        (f"The Yeast Group. {LONG}", True),
        (f"{LONG}: study protocol", False),
        (f"{LONG}: part 2", False),
        (f"{LONG} III", False),
        (f"Erratum to: {LONG}", False),
        (f"{LONG}: results", False),
        (LONG.replace("made", "mad"), True),
        (LONG.replace("sugar", "bread and on water"), False),
    ],
)
def test_long_titles_may_go_on(title: str, same: bool) -> None:
    publication = hidden(replace(YEAST, title=LONG))
    assert is_same_publication(publication, replace(publication, title=title)) == same


@pytest.mark.parametrize(
    ("authors", "year", "same"),
    [
        (("The Yeast Group",), 2001, True),
        ((), 2001, True),
        ((), 2002, False),
        (("Od, K.",), 2001, False),
        (("Ito K",), 2002, True),
        (("van der Ito, K.",), 2001, True),
    ],
)
def test_an_equal_long_title_makes_up_for_a_group(
    authors: tuple[str, ...], year: int, same: bool
) -> None:
    publication = hidden(replace(YEAST, title=LONG))
    assert (
        is_same_publication(publication, replace(publication, authors=authors, year=year)) == same
    )


@pytest.mark.parametrize(
    ("title", "other", "year", "same"),
    [
        (f"{LONG} and in markets of towns", f"{LONG} and in markets of towns.", 2001, True),
        (LONG, LONG, 2001, False),
        (f"{LONG} and in markets of towns", f"{LONG} and in markets of towns", 2002, False),
        (f"{LONG} and in markets of towns", f"{LONG} and in market of towns", 2001, False),
    ],
)
def test_an_equal_telling_title_makes_up_for_a_wrong_author(
    title: str, other: str, year: int, same: bool
) -> None:
    publication = hidden(replace(YEAST, title=title))
    listed = replace(publication, title=other, authors=("Od, K.",), year=year)
    assert is_same_publication(publication, listed) == same


def test_two_articles_of_one_doi_are_ambiguous() -> None:
    twins = make_look_up(
        [IndexedArticle("b", YEAST), IndexedArticle("a", replace(YEAST, pmid="7"))]
    )
    (found,) = resolve([Publication(doi="10.1000/yeast")], twins)
    assert (found.outcome, found.article, found.candidates) == ("ambiguous", None, ("a", "b"))
    (by_title,) = resolve([hidden(YEAST)], twins)
    assert (by_title.outcome, by_title.candidates) == ("ambiguous", ("a", "b"))


def test_an_article_cites_itself_by_an_identifier_alone() -> None:
    by_title, by_pmid = resolve([hidden(YEAST), YEAST], CATALOGUE, citing="yeast")
    assert (by_title.outcome, by_pmid.outcome) == ("not indexed", "itself")
    (unindexed,) = resolve([YEAST], CATALOGUE, own=("pmid:" + YEAST.pmid,))
    assert (unindexed.outcome, unindexed.article) == ("itself", None)


WORDS = st.sampled_from(["growth", "of", "yeast", "β", "on", "sugar", "II", "2", "bread", "rising"])
PUBLICATIONS = st.builds(
    Publication,
    authors=st.lists(st.sampled_from(["Ito, K.", "Ry", "Åke, A"]), max_size=2).map(tuple),
    title=st.lists(WORDS, max_size=6).map(" ".join),
    year=st.one_of(st.none(), st.integers(1999, 2003)),
    pmid=st.sampled_from(["", "1", "2"]),
    doi=st.sampled_from(["", "10.1/a", "10.1/b"]),
)


@given(st.lists(PUBLICATIONS, max_size=8), st.lists(PUBLICATIONS, max_size=8))
def test_only_what_fits_alone_is_chosen(
    listed: list[Publication], indexed: list[Publication]
) -> None:
    candidates = {str(number): publication for number, publication in enumerate(indexed)}
    look_up = make_look_up(
        IndexedArticle(name, candidate) for name, candidate in candidates.items()
    )
    found = resolve(listed, look_up)
    assert len(found) == len(listed)
    for reference, resolution in zip(listed, found, strict=True):
        shared = {
            name
            for name, candidate in candidates.items()
            if set(candidate.identifiers) & set(reference.identifiers)
        }
        if shared:
            assert set(resolution.candidates) == shared
        for name in resolution.candidates:
            assert shared or is_same_publication(reference, candidates[name])
        chosen = resolution.outcome in ("identifier", "title")
        assert (resolution.article is not None) == chosen == (len(resolution.candidates) == 1)
        assert resolution == resolve([reference], look_up)[0]


@given(PUBLICATIONS, PUBLICATIONS)
def test_being_the_same_goes_both_ways(first: Publication, other: Publication) -> None:
    assert is_same_publication(first, other) == is_same_publication(other, first)


@given(PUBLICATIONS)
def test_an_indexed_article_is_found_by_its_own_description(publication: Publication) -> None:
    (found,) = resolve([publication], make_look_up([IndexedArticle("it", publication)]))
    if publication.identifiers:
        assert (found.outcome, found.article) == ("identifier", "it")
    else:
        assert (found.article == "it") == is_same_publication(publication, publication)


def test_an_abstract_is_named_only_where_no_full_text_is() -> None:
    abstract = IndexedArticle("1", YEAST, is_abstract=True)
    alone = make_look_up([abstract])
    assert [
        (resolution.outcome, resolution.article)
        for resolution in resolve([YEAST, hidden(YEAST)], alone)
    ] == [("identifier", "1"), ("title", "1")]
    for full in (YEAST, replace(YEAST, pmid=""), hidden(YEAST)):
        both = make_look_up([abstract, IndexedArticle("yeast", full)])
        (found,) = resolve([YEAST], both)
        assert found.article == "yeast"
    others = [abstract, IndexedArticle("2", replace(YEAST, pmid=""), is_abstract=True)]
    (found,) = resolve([Publication(doi=YEAST.doi)], make_look_up(others))
    assert (found.outcome, found.candidates) == ("ambiguous", ("1", "2"))

"""The citations of an article: sentences, context, clauses, and counts that add up."""

from citespan.pipelines.citing.citations import ArticleCitations, find_citations
from citespan.pipelines.corpus.article import Article, Section, Sentence
from citespan.pipelines.corpus.references import Link, Reference, ReferenceList
from citespan.pipelines.text.splitter import splitters

TEXT = (
    "A made title\n\nYeast grows on all sugars [1], whereas bread does not grow [2,9]. It rises. "
    "We saw it.\n\nBread was made as before [2]."
)
REFERENCES = tuple(Reference(f"B{n}", (f"B{n}",), str(n)) for n in (1, 2, 3, 4))


def link(shown: str, after: int = 0) -> Link:
    start = TEXT.index(shown, after)
    return Link(start, start + len(shown), (f"B{shown}",))


def citations() -> ArticleCitations:
    methods = TEXT.index("Bread was")
    article = Article(
        id="a",
        title="A made title",
        text=TEXT,
        source="made",
        sections=(
            Section("", 0, 12, "title"),
            Section("Results", 14, methods - 2),
            Section("Methods", methods, len(TEXT)),
        ),
        links=(link("1"), link("2"), link("9"), link("2", methods)),
        links_elsewhere=(("B3",), ("B77",)),
        reference_list=ReferenceList(REFERENCES),
    )
    return find_citations(article, splitters["punkt"])


def test_each_citation_has_its_sentence_clause_and_reference() -> None:
    found = [
        (
            citation.id,
            citation.reference.key if citation.reference else None,
            citation.name,
            TEXT[slice(*citation.clause)],
        )
        for citation in citations().citations
    ]
    assert found == [
        ("1.1.1", "B1", "1", "Yeast grows on all sugars [1]"),
        ("1.2.1", "B2", "2", "whereas bread does not grow [2,9]."),
        ("1.2.2", None, "B9", "whereas bread does not grow [2,9]."),
        ("4.1.1", "B2", "2", "Bread was made as before [2]."),
    ]


def test_the_context_of_a_sentence_is_of_its_section() -> None:
    first, second = citations().sentences
    assert (first.before, first.section and first.section.title) == (None, "Results")
    assert first.after == Sentence(TEXT.index("It rises."), TEXT.index("It rises.") + 9)
    assert (second.before, second.after, second.number) == (None, None, 4)


def test_what_is_cited_nowhere_and_elsewhere() -> None:
    found = citations()
    assert [reference.key for reference in found.uncited] == ["B4"]
    assert found.elsewhere == 2
    assert sum(marker.links for marker in found.markers) == 4

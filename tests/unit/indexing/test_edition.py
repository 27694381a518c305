"""What is left of an edition and of what it replaces, by what became of it."""

import pytest

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.indexing.documents.prepared import Edition, PreparedArticle
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.store.catalogue import Version
from citespan.pipelines.store.edition import Place

ARTICLE = PreparedArticle(
    *("a", "Title", (), Publication(), "a.txt", "/a.txt", "hash"),
    characters=9,
    sentences=2,
    spans=3,
    citations=1,
)
FORMER = ArticleEntry(
    article="a", layout="made", index="i", edition="a~0", sentences=1, spans=1, citations=0
)
OWN, REPLACED = Place("a", "made", "j", "a~1", 2, 3, 1), Place("a", "made", "i", "a~0", 1, 1)


def make_edition(*, loaded: bool) -> Edition:
    edition = Edition(ARTICLE, LoadReport(), Version(FORMER, 1, 1) if loaded else None)
    edition.place_in("made", "j", "1")
    assert edition.place == OWN
    return edition


@pytest.mark.parametrize("loaded", [False, True])
def test_a_published_edition_leaves_what_it_replaces(loaded: bool) -> None:
    edition = make_edition(loaded=loaded)
    edition.publish()
    edition.count()
    assert edition.stale == (REPLACED if loaded else None)
    report = edition.report
    assert (report.indexed, report.replaced) == (1 - loaded, int(loaded))
    assert (report.sentences, report.spans, report.citations) == (2, 3, 1)


def test_a_refused_edition_leaves_itself_and_the_former_one_stays() -> None:
    edition = make_edition(loaded=True)
    edition.problem = "too large"
    edition.count()
    assert edition.stale == OWN
    [rejected] = edition.report.quarantined
    assert (rejected.source, rejected.reason) == ("a.txt", "too large")


def test_an_edition_that_another_load_has_stored_as_well_leaves_itself() -> None:
    edition = make_edition(loaded=True)
    edition.outcome = "unchanged"
    edition.count()
    assert edition.stale == OWN
    assert (edition.report.unchanged, edition.report.sentences) == (1, 0)

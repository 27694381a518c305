"""Fetching from made services: what becomes of each article, whatever they do, and resuming."""

from collections import Counter
from pathlib import Path

import orjson
import pytest
from made_services import EXPECTED, Services, always, doi, pmcid, pmid, serve, title

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.reader import AbstractReader, readers
from citespan.pipelines.errors import InputError
from citespan.pipelines.fetching import service
from citespan.pipelines.fetching.europe_pmc import describe_licence
from citespan.pipelines.fetching.fetching import Fetcher, FetchReport, FetchSettings
from citespan.pipelines.fetching.folder import JOURNAL, FetchFolder
from citespan.pipelines.fetching.service import ServiceError
from citespan.pipelines.fetching.wanted import Wanted


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """No limits and no long waits, which have tests of their own."""
    monkeypatch.setattr(service, "_FIRST_WAIT", 0.005)
    monkeypatch.setattr(service, "_SECOND", 0.001)


def settings(services: Services, seconds: float = 5.0) -> FetchSettings:
    said = services.environment
    return FetchSettings(
        said["CITESPAN_EMAIL"],
        "",
        said["CITESPAN_EUROPE_PMC_URL"],
        said["CITESPAN_EUTILS_URL"],
        said["CITESPAN_CONVERTER_URL"],
        seconds,
    )


def wanted(*publications: Publication) -> list[Wanted]:
    return [Wanted.of(str(number), publication) for number, publication in enumerate(publications)]


BY_ALL = [
    *(Publication(pmid=pmid(n)) for n in range(10)),
    *(Publication(doi=doi(n)) for n in range(10, 20)),
    *(Publication(pmcid=pmcid(n)) for n in (20, 28)),
    *(Publication(authors=("Ito, K",), title=title(n), year=2011) for n in (30, 36, 39)),
    Publication(title="Nothing else"),
]


def fetch(
    services: Services, folder: Path, articles: list[Wanted], again: bool = False
) -> tuple[FetchReport, list[str]]:
    warned: list[str] = []
    with FetchFolder(folder) as place:
        fetcher = Fetcher(settings(services), place, warned.append)
        return fetcher.fetch(articles, again=again), warned


def test_each_article_ends_as_what_it_is(tmp_path: Path) -> None:
    with serve() as services:
        report, warned = fetch(services, tmp_path, wanted(*BY_ALL))
    assert warned == []
    outcomes = [result.outcome for result in report.results]
    expected = [*EXPECTED, *EXPECTED, "full text", "abstract", "full text", "abstract", "unknown"]
    assert outcomes == [*expected, "unusable"]
    assert sum(report.totals.values()) == len(BY_ALL)
    assert report.licences == {"cc by 4.0": 8, "cc by-nc 4.0": 4}
    assert {
        result.notices for result in report.results if result.publication.pmid.endswith("8")
    } == {("retracted",)}
    (article,) = readers["jats"].read(tmp_path / report.results[0].files[0])
    assert isinstance(article, Article)
    assert (article.id, article.publication.doi) == (pmcid(0), doi(0))
    medline = readers["medline"]
    assert isinstance(medline, AbstractReader)
    (abstract,) = medline.abstracts(tmp_path / report.results[5].files[0])
    assert isinstance(abstract, Article)
    assert abstract.id == pmid(5)


@pytest.mark.parametrize(
    "fault", ["busy", "unavailable", "page", "truncated", "cut off", "empty", "reset"]
)
def test_every_third_request_fails_and_nothing_is_lost(fault: str, tmp_path: Path) -> None:
    with serve(lambda number: fault if number % 3 == 1 else "") as services:
        report, warned = fetch(services, tmp_path, wanted(*BY_ALL[:20]))
    assert (warned, [result.outcome for result in report.results]) == ([], [*EXPECTED, *EXPECTED])


@pytest.mark.parametrize("fault", ["page", "elsewhere", "truncated", "refused"])
def test_services_that_always_fail_leave_it_for_the_next_time(fault: str, tmp_path: Path) -> None:
    with serve(always(fault)) as services:
        report, warned = fetch(services, tmp_path, wanted(*BY_ALL))
    assert report.totals["failed"] == len(BY_ALL) - 1
    assert all("Europe PMC" in result.reason for result in report.results[:-1])
    assert len(warned) == 1
    assert "NCBI's ID converter" in warned[0]
    with serve() as services:
        report, _ = fetch(services, tmp_path, wanted(*BY_ALL[:20]))
    assert [result.outcome for result in report.results] == [*EXPECTED, *EXPECTED]


def test_nothing_is_asked_twice(tmp_path: Path) -> None:
    with serve() as services:
        fetch(services, tmp_path, wanted(*BY_ALL))
        asked = len(services.log.requests)
        report, _ = fetch(services, tmp_path, wanted(*BY_ALL))
        assert len(services.log.requests) == asked
        assert report.totals["full text"] == 12
        again, _ = fetch(services, tmp_path, wanted(*BY_ALL), again=True)
        texts = [target for target in services.log.targets("europepmc") if "fullText" in target]
        assert len(texts) == len(set(texts)) == 12
        assert again.totals == report.totals


def test_a_file_that_was_deleted_is_fetched_again(tmp_path: Path) -> None:
    articles = wanted(Publication(pmid=pmid(0)))
    with serve() as services:
        fetch(services, tmp_path, articles)
        asked = len(services.log.requests)
        (tmp_path / "articles" / f"{pmcid(0)}.xml").unlink()
        report, _ = fetch(services, tmp_path, articles)
        assert len(services.log.requests) == asked + 1
    assert report.totals["full text"] == 1
    assert (tmp_path / report.results[0].files[0]).is_file()


def test_identifiers_of_two_articles_are_told(tmp_path: Path) -> None:
    two = Publication(pmid=pmid(0), doi=doi(1))
    lost = Publication(("Ito, K",), title(5), 2011, doi="10.1000/lost")
    with serve() as services:
        report, _ = fetch(services, tmp_path, wanted(two, lost))
    first, second = report.results
    assert (first.outcome, first.reason) == ("full text", f"its DOI is {doi(0)}, not {doi(1)}")
    assert second.publication.doi == doi(5)
    assert second.reason == f"its full text is not open; its DOI is {doi(5)}, not 10.1000/lost"


def test_a_record_that_was_damaged_is_fetched_again(tmp_path: Path) -> None:
    articles = wanted(Publication(pmid=pmid(0)), Publication(pmid=pmid(5)))
    with serve() as services:
        fetch(services, tmp_path, articles)
        (tmp_path / "articles" / f"{pmcid(0)}.xml").unlink()
        (tmp_path / "abstracts" / f"{pmid(0)}.xml").write_text("<PubmedArticleSet>")
        report, _ = fetch(services, tmp_path, articles)
    assert [result.outcome for result in report.results] == ["full text", "abstract"]
    assert pmid(0) in (tmp_path / "abstracts" / f"{pmid(0)}.xml").read_text()


def test_a_query_is_fetched_page_by_page(tmp_path: Path) -> None:
    with serve() as services, FetchFolder(tmp_path) as place:
        fetcher = Fetcher(settings(services), place, print)
        found = fetcher.search("yeast", 130)
        assert len({wanted.key for wanted in found}) == len(found) == 130
        assert len(services.log.requests) == 2
        assert fetcher.search("no such thing", 10) == []
        report = fetcher.fetch(found[:10])
    assert Counter(result.outcome for result in report.results) == Counter(
        {"full text": 6, "abstract": 3, "not open": 1}
    )


def test_the_journal_is_read_as_far_as_it_is_whole(tmp_path: Path) -> None:
    with FetchFolder(tmp_path) as folder:
        folder.remember_known("a", {})
        folder.remember_done("a", {"outcome": "unknown"})
    journal = tmp_path / JOURNAL
    whole = journal.read_bytes()
    journal.write_bytes(whole + orjson.dumps({"wanted": "b", "known": {}})[:-4])
    with FetchFolder(tmp_path) as folder:
        assert (folder.known, folder.done) == ({"a": {}}, {"a": {"outcome": "unknown"}})
        assert journal.read_bytes() == whole
        folder.remember_known("c", {})
    with FetchFolder(tmp_path) as folder:
        assert set(folder.known) == {"a", "c"}
    journal.write_bytes(b"{}\n" + whole)
    with pytest.raises(InputError, match=r"fetched\.jsonl:1: not a line of a journal"):
        FetchFolder(tmp_path)


def test_only_one_command_fetches_into_a_folder(tmp_path: Path) -> None:
    with FetchFolder(tmp_path), pytest.raises(InputError, match="another command fetches into it"):
        FetchFolder(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can't be written to"):
        FetchFolder(tmp_path / "file")


@pytest.mark.parametrize("email", ["", "a", "@", "a@", "@b", "a b@c", "ä@b.example"])
def test_an_address_that_nobody_can_write_to_is_an_input_error(email: str) -> None:
    with pytest.raises(InputError, match="whom to write to"):
        FetchSettings(email)


def test_the_key_is_never_shown() -> None:
    assert "secret" not in repr(FetchSettings("a@b.example", "secret"))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("http://creativecommons.org/licenses/by-nc/4.0/", "cc by-nc 4.0"),
        ("https://CreativeCommons.org/licenses/by/4.0", "cc by 4.0"),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "cc0 1.0"),
        ("CC BY", "cc by"),
        ("", ""),
    ],
)
def test_licences(written: str, shown: str) -> None:
    assert describe_licence(written) == shown


@pytest.mark.parametrize(
    "body",
    [
        b"<article><front><article-meta><article-id pub-id-type='pmc'>7</article-id>"
        b"</article-meta></front><body><p>a</p></body></article>",
        b"<!DOCTYPE article [<!ENTITY a 'b'>]><article><body>&a;</body></article>",
        b"<html><body>no article</body></html>",
    ],
)
def test_an_article_that_was_not_asked_for_is_refused(
    body: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("made_services.make_jats", lambda _: body.decode())
    with serve() as services:
        report, _ = fetch(services, tmp_path, wanted(Publication(pmcid=pmcid(0))))
    (result,) = report.results
    assert result.outcome == "failed"
    assert result.reason.startswith("Europe PMC fails: ")
    assert not list((tmp_path / "articles").iterdir())


def test_a_query_that_is_refused_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("made_services._search", lambda _: {"errCode": 4, "errMsg": "bad query"})
    with serve() as services, FetchFolder(tmp_path) as place:
        fetcher = Fetcher(settings(services), place, print)
        with pytest.raises(ServiceError, match="Europe PMC refuses the query: bad query"):
            fetcher.search("(((", 10)

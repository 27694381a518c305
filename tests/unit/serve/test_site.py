"""Pages without a server behind them, or with one that does not answer."""

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from citespan.pipelines.corpus.notices import Notice
from citespan.serve import search_server, site
from citespan.serve.access import Access, list_hosts
from citespan.serve.app import make_app
from citespan.serve.page import make_environment, make_sentence
from citespan.serve.site import Service, Site


@pytest.fixture
def client() -> Iterator[TestClient]:
    with Site(Service(), Access(list_hosts("localhost"))) as pages:
        yield TestClient(
            make_app(pages), base_url="http://localhost", raise_server_exceptions=False
        )


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A socket that takes connections and never says a word, as the server in use."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(50)
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("CITESPAN_ES_URL", address)
        yield silent


def test_no_server_that_is_known(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CITESPAN_ES_URL", raising=False)
    monkeypatch.setenv("CITESPAN_HOME", str(tmp_path))
    page = client.get("/")
    assert page.status_code == 503
    assert "No Elasticsearch server is known: start one with `citespan node up`" in page.text
    assert client.get("/check").status_code == 200


def test_a_server_that_can_not_be_reached(client: TestClient, listening: socket.socket) -> None:
    listening.close()
    answer = client.get("/api/articles")
    assert answer.status_code == 503
    assert "Elasticsearch went away" in answer.json()["error"]["message"]
    assert client.get("/api/health").status_code == 503


def test_a_server_that_never_answers_is_not_waited_for(
    client: TestClient, listening: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_server, "REQUEST_SECONDS", 0.5)
    monkeypatch.setattr(site, "ANSWER_SECONDS", 0.8)
    start = time.monotonic()
    with ThreadPoolExecutor(12) as threads:  # more than are answered at once
        answers = list(threads.map(lambda _: client.get("/api/articles"), range(12)))
    assert time.monotonic() - start < 3
    assert {answer.status_code for answer in answers} == {503}
    said = {answer.json()["error"]["message"][:30] for answer in answers}
    assert said == {"Elasticsearch went away (Conne", "Elasticsearch has not answered"}
    assert client.get("/check").status_code == 200


def test_more_than_can_wait_are_sent_away(
    client: TestClient, listening: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_server, "REQUEST_SECONDS", 0.5)
    monkeypatch.setattr(site, "_MOST_WAITING", 3)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: client.get("/api/articles"), range(8)))
    said = [answer.json()["error"]["message"] for answer in answers]
    assert any("too much is asked at once" in message for message in said)
    assert {answer.status_code for answer in answers} == {503}


def test_what_no_one_has_thought_of_is_no_traceback(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError("in /home/someone/secret.py")

    monkeypatch.setattr(search_server.SearchServer, "connect", fail)
    for answer in (client.get("/"), client.get("/api/articles")):
        assert answer.status_code == 500
        assert "itespan failed at this" in answer.text
        assert "secret" not in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("md.pdf: can't be checked", "md.pdf: can't be checked."),
        ("no article is named p53", "No article is named p53."),
        ("is it so?", "Is it so?"),
    ],
)
def test_a_message_is_a_sentence_and_names_of_files_stay(message: str, sentence: str) -> None:
    assert make_sentence(message) == sentence


def test_a_page_says_that_an_article_is_retracted_and_by_which_notice() -> None:
    templates = make_environment(Path(site.__file__).parent / "templates")
    page = templates.from_string('{% import "fields.html" as f %}{{ f.notices(said) }}')
    shown = page.render(said=[Notice("retracted", "pmid:9", reason="<b>Data</b>")])
    assert "<strong>Retracted</strong> by pmid:9 (&lt;b&gt;Data&lt;/b&gt;)" in shown
    assert page.render(said=[]).strip() == ""

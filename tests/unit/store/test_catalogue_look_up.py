"""Looking up entries: an answer in part is no answer; and what is read of one."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from elastic_transport import ApiResponseMeta, HttpHeaders, NodeConfig
from elasticsearch import NotFoundError, TransportError

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.corpus.notices import Notice
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.server_reason import ShardMissingError
from citespan.pipelines.store.catalogue import Catalogue, read_publication


class _Client:
    """Answers look-ups one after the other, the last for ever, and has no index of another
    version."""

    def __init__(self, *answers: list[dict[str, Any]], exists: bool = False) -> None:
        self._answers = list(answers)
        self._exists = exists
        self.indices = self

    def exists(self, **_: Any) -> bool:
        return self._exists

    def get(self, **_: Any) -> dict[str, Any]:
        return {}

    def mget(self, **_: Any) -> dict[str, Any]:
        return {"docs": self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]}


def look_up(*documents: dict[str, Any]) -> dict[str, Any]:
    return dict(Catalogue(_Client(list(documents))).look_up(["a", "b"]))  # type: ignore[arg-type]


def hit(name: str) -> dict[str, Any]:
    source = {"article": name}
    return {"_id": name, "found": True, "_source": source, "_seq_no": 1, "_primary_term": 1}


@pytest.mark.parametrize(
    "error", ["no_shard_available_action_exception", "circuit_breaking_exception"]
)
def test_an_entry_that_cannot_be_read_is_not_taken_for_absent(error: str) -> None:
    with pytest.raises(ShardMissingError, match=f"can't be read at the moment .*{error}"):
        look_up(hit("a"), {"_index": "i", "_id": "b", "error": {"type": error}})


def test_an_article_that_is_not_loaded_is_absent() -> None:
    missing = {"_id": "b", "error": {"type": "index_not_found_exception"}}
    assert look_up(hit("a"), {"_id": "b", "found": False}).keys() == {"a"}
    assert look_up(hit("a"), missing).keys() == {"a"}


def test_an_index_that_is_replaced_meanwhile_is_read_again() -> None:
    missing = [{"_id": name, "error": {"type": "index_not_found_exception"}} for name in "ab"]
    client: Any = _Client(missing, [hit("a"), hit("b")], exists=True)
    assert Catalogue(client).look_up(["a", "b"]).keys() == {"a", "b"}


def test_a_count_of_shards_that_are_gone_is_repeated() -> None:
    meta = ApiResponseMeta(404, "1.1", HttpHeaders(), 0.0, NodeConfig("http", "server", 9200))
    answers: list[Any] = [
        NotFoundError("search_phase_execution_exception", meta, {"status": 404}),
        {"count": 3, "_shards": {"failed": 1}},
        {"count": 12, "_shards": {"failed": 0}},
    ]

    class Counting(_Client):
        def count(self, **_: Any) -> dict[str, Any]:
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return dict(answer)

    client: Any = Counting([])
    assert Catalogue(client).count_articles() == 12


def test_an_answer_about_fewer_articles_is_no_answer() -> None:
    with pytest.raises(TransportError, match="in part"):
        look_up(hit("a"))


def test_a_catalogue_does_not_wait_for_the_server_of_another() -> None:
    asked, answer = Event(), Event()

    class Slow(_Client):
        def get(self, **_: Any) -> dict[str, Any]:
            asked.set()
            assert answer.wait(30)
            return {}

    def name(client: Any) -> str:
        return Catalogue(client).index

    with ThreadPoolExecutor(2) as threads:
        waiting = threads.submit(name, Slow([]))
        assert asked.wait(30)
        try:
            assert threads.submit(name, _Client([])).result(5) == "citespan-articles"
        finally:
            answer.set()
        assert waiting.result() == "citespan-articles"


def test_an_entry_is_read_as_the_library_reads_documents() -> None:
    source = {
        "article": "a",
        "authors": ["Smith, J"],
        "source": [{"corpus": "here", "path": "/a"}],
        "notices": [{"kind": "retraction", "by": "9"}],
        "lengths": [3, 4],
    }
    read = {"_index": "citespan-articles", "_id": "a", "_seq_no": 2, "_source": source}
    entry, of_library = ArticleEntry.from_es(read), super(ArticleEntry, ArticleEntry).from_es(read)
    assert entry.to_dict() == of_library.to_dict() == source
    assert entry.meta.to_dict() == of_library.meta.to_dict()
    assert [source.path for source in entry.source] == ["/a"]
    known = Publication(authors=("Smith, J",), notices=(Notice("retraction", "9"),))
    assert read_publication(entry) == known

"""Loading: what becomes of each input, whatever state an earlier load has left."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from threading import Event

import loading
import pytest
from elasticsearch import Elasticsearch, NotFoundError
from loaded_state import spans_of
from made_articles import random_article
from real_node import empty_node

from citespan.es_mappings import articles
from citespan.es_mappings.articles import INDEX as CATALOGUE
from citespan.es_mappings.index_name import CITESPAN, slug
from citespan.es_mappings.spans import ALL_SPANS, SPANS_PREFIX
from citespan.pipelines.corpus.article import Article, Rejected, Sentence
from citespan.pipelines.errors import CitespanError, ElasticsearchUnreachableError, UnknownNameError
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.layout import writer_of
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.indexing.writing.editions import ensure_citations
from citespan.pipelines.store import capacity
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.edition import Place
from citespan.pipelines.store.retry import RetryPolicy, ServerFullError
from citespan.pipelines.store.server import open_server


def made(article_id: str, sentences: int = 6) -> Article:
    return random_article(article_id, sentences, random.Random(article_id))


def load(
    es: Elasticsearch, *readings: Article | Rejected, models: str = "vsm", longest: int = 5
) -> LoadReport:
    return loading.load(es, readings, models.split(","), SpanLengths(1, longest))


def spans(es: Elasticsearch, article_id: str) -> int:
    return int(es.count(index=spans_of(es, article_id))["count"])


def test_loading_twice_changes_nothing(es: Elasticsearch) -> None:
    first = load(es, made("twice"))
    assert (first.indexed, first.spans, first.sentences) == (1, 20, 6)
    before = es.indices.get_settings(index=spans_of(es, "twice"))
    second = load(es, made("twice"))
    assert (second.indexed, second.unchanged, second.spans) == (0, 1, 0)
    assert es.indices.get_settings(index=spans_of(es, "twice")) == before
    assert spans(es, "twice") == 20


def test_an_article_whose_shard_is_nowhere_is_not_taken_for_loaded(es: Elasticsearch) -> None:
    index = f"{SPANS_PREFIX}nowhere~1"
    es.indices.create(
        index=index,
        mappings={"_meta": {"citespan_mapping": 1}},
        settings={"index.routing.allocation.require._name": "no node"},
        wait_for_active_shards=0,
    )
    place = Place("nowhere", "spans", index, "nowhere~1", sentences=6, spans=20)
    with open_server(es, RetryPolicy(), LoadReport()) as server:
        assert writer_of("spans").find_incomplete(server, [place]) == {place}
    es.indices.delete(index=index)


def test_a_changed_article_is_replaced(es: Elasticsearch) -> None:
    load(es, made("changed"))
    report = load(es, replace(made("changed", 2), title="Another title"))
    assert (report.indexed, report.replaced, report.unchanged) == (0, 1, 0)
    assert spans(es, "changed") == 3
    assert Catalogue(es).find("changed").title == "Another title"


def test_of_two_articles_with_one_index_name_the_second_is_quarantined(es: Elasticsearch) -> None:
    first, second = made("Twin"), made(slug("Twin"))
    together = load(es, first, second)
    assert (together.indexed, len(together.quarantined)) == (1, 1)
    later = load(es, second)
    for report in (together, later):
        [rejected] = report.quarantined
        assert f"'{second.id}' and '{first.id}' have the same index name" in rejected.reason
    assert load(es, first).unchanged == 1
    assert spans(es, first.id) == 20


def test_an_article_is_there_while_it_is_replaced(es: Elasticsearch) -> None:
    load(es, made("replaced"))
    over = Event()

    def watch() -> set[int]:
        found = set()
        while not over.is_set():
            entry = Catalogue(es).find("replaced")  # raises where it is not there
            with suppress(NotFoundError):  # another is in its place since
                found.add((entry.spans, es.count(index=str(entry.index))["count"]))
        return found

    with ThreadPoolExecutor(1) as threads:
        seen = threads.submit(watch)
        for sentences in (2, 6, 2, 6):
            assert load(es, made("replaced", sentences)).replaced == 1
        over.set()
    assert seen.result() == {(3, 3), (20, 20)}


@pytest.mark.parametrize(("models", "longest"), [("vsm,bm25", 5), ("vsm", 2)])
def test_other_models_or_lengths_replace(es: Elasticsearch, models: str, longest: int) -> None:
    article = made(f"other-{longest}")
    load(es, article)
    assert load(es, article, models=models, longest=longest).replaced == 1


def test_other_lengths_in_sentences_change_the_entry_and_no_document(es: Elasticsearch) -> None:
    article = made("other-lengths-sentences")
    loading.load(es, [article], layout="sentences")
    before = Catalogue(es).find(article.id)
    report = loading.load(es, [article], lengths=SpanLengths(2, 3), layout="sentences")
    after = Catalogue(es).find(article.id)
    assert (report.replaced, after.shortest, after.longest) == (1, 2, 3)
    assert (after.edition, list(after.lengths)) == (before.edition, list(before.lengths))
    hits = es.search(index=after.index, query={"term": {"edition": after.edition}}, version=True)
    assert {hit["_version"] for hit in hits["hits"]["hits"]} == {1}
    assert len(hits["hits"]["hits"]) == after.sentences == 6


def test_fewer_models_change_nothing(es: Elasticsearch) -> None:
    load(es, made("fewer"), models="vsm,bm25")
    assert load(es, made("fewer")).unchanged == 1
    assert Catalogue(es).find("fewer").models == ["vsm", "bm25"]


def test_an_interrupted_load_is_put_right(es: Elasticsearch) -> None:
    load(es, made("interrupted"))
    es.delete(index=spans_of(es, "interrupted"), id="0-0")
    es.delete(index=CATALOGUE, id=slug("interrupted"))
    assert load(es, made("interrupted")).indexed == 1
    assert spans(es, "interrupted") == 20


def test_an_index_deleted_by_hand_is_made_again(es: Elasticsearch) -> None:
    load(es, made("deleted"))
    es.indices.delete(index=spans_of(es, "deleted"))
    assert load(es, made("deleted")).replaced == 1
    assert spans(es, "deleted") == 20


def test_what_is_rejected_is_counted_and_the_rest_goes_on(es: Elasticsearch) -> None:
    same_id = replace(made("same", 3), source="elsewhere.txt")
    report = load(
        es,
        made("same"),
        Rejected("broken.xml", "not XML"),
        Rejected("notes.txt", "not an article", outcome="skipped"),
        same_id,
        replace(made("empty"), sentences=()),
        made("same"),
        made("one-sentence", 1),
    )
    assert report.indexed == 2
    assert [(r.source, r.reason.partition(";")[0]) for r in report.quarantined] == [
        ("broken.xml", "not XML"),
        ("elsewhere.txt", "has the id 'same' of same.txt"),
    ]
    assert [(r.source, r.reason) for r in report.skipped] == [
        ("notes.txt", "not an article"),
        ("empty.txt", "no sentence in it"),
        ("same.txt", "named twice in this load"),
    ]
    assert report.inputs == 7
    assert spans(es, "one-sentence") == 1


def test_more_articles_than_one_batch(es: Elasticsearch) -> None:
    articles = [made(f"many-{n:02}", 2) for n in range(40)]
    dealt_with: list[int] = []
    report = loading.load(es, articles, on_input=dealt_with.append)
    assert (report.indexed, report.spans, sum(dealt_with)) == (40, 120, 40)


def test_what_elasticsearch_refuses_is_quarantined_and_leaves_no_index(es: Elasticsearch) -> None:
    too_long = "x" * 40_000  # a keyword holds 32,766 bytes
    report = load(es, replace(made("refused"), id=too_long), made("accepted"))
    assert report.indexed == 1
    assert [r.source for r in report.quarantined] == ["refused.txt"]
    assert "Elasticsearch refused a span of it" in report.quarantined[0].reason
    assert not es.indices.get(index=f"{SPANS_PREFIX}{slug(too_long)}~*")


def test_a_long_article_goes_in_several_requests(es: Elasticsearch) -> None:
    sentence = "word " * 2000
    text = " ".join(f"{sentence}{n}." for n in range(120))
    size = len(sentence)
    offsets, start = [], 0
    for n in range(120):
        end = start + size + len(f"{n}.")
        offsets.append(Sentence(start, end))
        start = end + 1
    article = Article("long", "", text, "long.txt", (), tuple(offsets))
    assert load(es, article).indexed == 1
    assert spans(es, "long") == 120 * 5 - 10


@pytest.fixture
def few_shards(es: Elasticsearch) -> Iterator[int]:
    """Room for two more indices, beside those of all articles, on a node without any other."""
    empty_node(es)
    Catalogue(es).ensure()
    ensure_citations(es, CITESPAN.citations, articles=0)
    limit = capacity.count_shards(es) + 2
    es.cluster.put_settings(persistent={"cluster.max_shards_per_node": limit})
    yield 2
    es.cluster.put_settings(persistent={"cluster.max_shards_per_node": None})


def test_too_many_articles_are_told_before_the_load(es: Elasticsearch, few_shards: int) -> None:
    present = len(es.indices.get(index=ALL_SPANS))
    with pytest.raises(
        capacity.ShardLimitError, match="at most .* all with `layout=sentences`, add"
    ):
        capacity.check(es, present + few_shards + 1, CITESPAN, "spans")
    capacity.check(es, present + few_shards, CITESPAN, "spans")


@pytest.mark.parametrize("index", [CATALOGUE, CITESPAN.citations])
def test_the_indices_of_all_articles_need_room_too(
    es: Elasticsearch, few_shards: int, index: str
) -> None:
    present = len(es.indices.get(index=ALL_SPANS))
    es.indices.delete(index=index)
    es.cluster.put_settings(
        persistent={"cluster.max_shards_per_node": capacity.count_shards(es) + few_shards}
    )
    with pytest.raises(capacity.ShardLimitError):
        capacity.check(es, present + few_shards, CITESPAN, "spans")
    capacity.check(es, present + few_shards - 1, CITESPAN, "spans")


@pytest.mark.usefixtures("few_shards")
def test_too_many_articles_met_during_the_load_end_it(es: Elasticsearch) -> None:
    with pytest.raises(ServerFullError, match="as many shards as it may have .* repeat"):
        load(es, *(made(f"room-{n}") for n in range(5)))
    es.cluster.put_settings(persistent={"cluster.max_shards_per_node": None})
    report = load(es, *(made(f"room-{n}") for n in range(5)))
    assert (report.indexed + report.unchanged, report.quarantined) == (5, [])


def test_a_catalogue_that_lacks_a_field_gets_it(es: Elasticsearch) -> None:
    es.indices.delete(index=CATALOGUE, ignore_unavailable=True)
    es.indices.create(
        index=CATALOGUE,
        mappings={"dynamic": "strict", "properties": {}},
        settings=articles.settings(),
    )
    assert load(es, made("into an older catalogue")).indexed == 1


def test_known_by_another_identifier(es: Elasticsearch) -> None:
    load(es, replace(made("PMC77"), also_known_as=("10.1234/abc", "77")))
    assert Catalogue(es).find("10.1234/abc").article == "PMC77"
    assert Catalogue(es).find(slug("PMC77")).article == "PMC77"  # as Kibana shows it


def test_an_identifier_of_two_articles_is_told(es: Elasticsearch) -> None:
    for name in ("first", "second"):
        load(es, replace(made(name), also_known_as=("ambiguous",)))
    with pytest.raises(CitespanError, match="several articles are known as 'ambiguous'"):
        Catalogue(es).find("ambiguous")


def test_an_unknown_article_names_one_like_it(es: Elasticsearch) -> None:
    load(es, made("PMC1234567"))
    with pytest.raises(UnknownNameError, match="did you mean .*PMC1234567"):
        Catalogue(es).find("PMC1234568")


def test_a_server_that_is_away_is_told() -> None:
    away = Elasticsearch("http://127.0.0.1:9", request_timeout=1)
    with pytest.raises(ElasticsearchUnreachableError, match="accepted no request for"):
        loading.load(away, [made("nowhere")], retry=RetryPolicy(0.1))

"""`citespan index --rebuild`: new indices in place of the present ones, in one step."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
from command_line import finish, kill, run, start
from elasticsearch import Elasticsearch
from elasticsearch.dsl.query import MatchAll
from fault_proxy import Delay, Request, once, proxy
from loaded_state import let_leases_lapse
from made_medline import citation, medline
from real_node import empty_node

import citespan as front_door
from citespan.es_mappings import abstracts, articles
from citespan.es_mappings.index_name import CITESPAN
from citespan.pipelines.server_reason import ShardMissingError
from citespan.pipelines.store.catalogue import Catalogue

LAYOUTS = ("spans", "sentences")


@pytest.fixture(autouse=True)
def clean(es: Elasticsearch) -> Iterator[None]:
    empty_node(es)
    yield
    empty_node(es)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "articles"
    folder.mkdir()
    for number in range(12):
        write(folder, number)
    return folder


def write(folder: Path, number: int, more: str = "") -> None:
    text = f"Sugar feeds yeast of kind {number}. It needs no light.{more}"
    line = {"id": f"a{number}", "title": f"Yeast {number}", "text": text}
    (folder / f"{number}.jsonl").write_text(json.dumps(line))


def load(folder: Path, layout: str, *options: str) -> None:
    done = run("index", folder, "--layout", layout, "--processes", "1", *options)
    assert done.returncode == 0, done.stderr


def count_indices(es: Elasticsearch) -> dict[str, int]:
    """Return the number of documents of each index but those of loads and leases."""
    es.indices.refresh(index="citespan-*")
    rows = es.cat.indices(index="citespan-*", h="index,docs.count", format="json")
    return {
        row["index"]: int(row["docs.count"])
        for row in rows
        if row["index"] not in ("citespan-loads", "citespan-leases")
    }


@pytest.mark.parametrize("before", LAYOUTS)
@pytest.mark.parametrize("after", LAYOUTS)
def test_searches_find_all_articles_at_any_time(
    es: Elasticsearch, folder: Path, before: str, after: str
) -> None:
    load(folder, before)
    ended = Event()
    found: list[int] = []
    errors: list[Exception] = []

    def search() -> None:
        while not ended.is_set():
            try:
                results = front_door.search_all("sugar feeds yeast", ranker="none", client=es)
                found.append(len(results))
                assert front_door.search("sugar yeast", "a7", ranker="none", client=es)
            except Exception as error:  # noqa: BLE001  all are told
                errors.append(error)

    threads = [Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for number in range(12):
            write(folder, number, " More was learned later.")
        load(folder, after, "--rebuild")
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert errors == []
    assert len(found) > 10
    assert set(found) == {max(found)}
    counts = count_indices(es)
    assert len([name for name in counts if "-articles" in name]) == 1
    documents = {"spans": 12 * 6, "sentences": 12 * 3}[after]
    kept = sum(count for name, count in counts.items() if f"citespan-{after}-" in name)
    assert kept == documents == sum(counts.values()) - 12
    load(folder, after)  # an ordinary load goes on in them
    assert count_indices(es) == counts


def test_what_part_of_the_shards_finds_is_not_taken_for_all(
    es: Elasticsearch, folder: Path
) -> None:
    load(folder, "sentences")
    es.indices.create(
        index=abstracts.INDEX,
        mappings=abstracts.mapping(),
        settings={**abstracts.settings(), "index.routing.allocation.require._name": "nowhere"},
        wait_for_active_shards=0,
    )
    with pytest.raises(ShardMissingError, match="can't be read at the moment"):
        front_door.search_all("sugar feeds yeast", ranker="none", client=es)
    with pytest.raises(ShardMissingError, match="can't be read at the moment"):
        Catalogue(es).count(MatchAll())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_indices_of_another_version_are_replaced(
    es: Elasticsearch, folder: Path, layout: str
) -> None:
    load(folder, layout)
    for index in (CITESPAN.articles, CITESPAN.citations, "citespan-loads", "citespan-leases"):
        es.indices.put_mapping(index=index, meta={"citespan_mapping": 0})
    assert run("articles").returncode == 2
    load(folder, layout, "--rebuild")
    assert json.loads(run("articles", "--json").stdout)["count"] == 12
    assert json.loads(run("doctor", "--json").stdout)["failed"] is False


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_a_killed_one_leaves_is_found_and_deleted(
    es: Elasticsearch, folder: Path, layout: str
) -> None:
    load(folder, layout)
    before = count_indices(es)
    process = start("index", folder, "--layout", layout, "--rebuild")
    latest = time.monotonic() + 60
    while not es.indices.get(index=f"{CITESPAN.articles}~*"):
        assert time.monotonic() < latest
    kill(process)
    finish(process)
    assert before.items() <= count_indices(es).items()
    assert front_door.search("sugar yeast", "a7", ranker="none", client=es)
    refused = run("index", folder, "--layout", layout)
    assert refused.returncode == 3
    assert "`citespan index --rebuild`" in refused.stderr
    written = count_indices(es)
    repaired = run("doctor", "--repair")
    assert "nothing was repaired" in " ".join(repaired.stdout.split())
    assert count_indices(es) == written
    let_leases_lapse(es)
    told = run("doctor", "--json")
    assert "a rebuild is under way, or one was interrupted" in told.stdout
    run("doctor", "--repair")
    assert count_indices(es) == before


def test_two_at_once(es: Elasticsearch, folder: Path) -> None:
    load(folder, "sentences")
    both = [start("index", folder, "--layout", "sentences", "--rebuild") for _ in range(2)]
    statuses = sorted(finish(load).returncode for load in both)
    assert statuses[0] == 0
    assert statuses[1] in (0, 3)
    assert len(front_door.articles(client=es)) == 12
    assert sum(count_indices(es).values()) == 12 + 24


def test_articles_that_are_not_in_the_load(es: Elasticsearch, folder: Path) -> None:
    load(folder, "spans")
    before = count_indices(es)
    for number in range(3):
        (folder / f"{number}.jsonl").unlink()
    refused = run("index", folder, "--rebuild")
    assert refused.returncode == 2
    assert "would replace 12 articles or abstracts, of which 3 are not in this load" in (
        refused.stderr
    )
    assert len(front_door.articles(client=es)) == 12
    load(folder, "spans", "--rebuild", "--yes")
    assert len(front_door.articles(client=es)) == 9
    assert es.indices.exists_alias(name=articles.INDEX)
    assert len(count_indices(es)) == len(before) - 3


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_switch_that_arrives_after_another_rebuild_changes_nothing(
    es: Elasticsearch, node: str, folder: Path, layout: str
) -> None:
    """The first one's lease lapses while its last request is under way."""
    load(folder, layout)
    came = Event()
    delay = Delay(60)

    def choose(request: Request) -> Delay | None:
        if "/_aliases" not in request.path:
            return None
        came.set()
        return delay

    command = ("index", folder, "--layout", layout, "--rebuild", "--processes", "1")
    with proxy(node, choose=once(choose)) as url:
        first = start(*command, CITESPAN_ES_URL=url)
        assert came.wait(60)
        let_leases_lapse(es)
        load(folder, layout, "--rebuild")
        counts = count_indices(es)
        assert first.poll() is None
        delay.ended.set()
        done = finish(first)
    assert done.returncode != 0
    assert "repeat" in done.stderr
    assert count_indices(es) == counts
    assert len(front_door.articles(client=es)) == 12
    assert front_door.search("sugar yeast", "a7", ranker="none", client=es)


def test_abstracts_and_collections(es: Elasticsearch, tmp_path: Path) -> None:
    """Each is replaced by itself, and articles stay as they are."""
    first, second = tmp_path / "first.xml", tmp_path / "second.xml"
    first.write_bytes(medline(citation(number, f"Walking {number}") for number in range(1, 12)))
    second.write_bytes(medline(citation(number, "Running") for number in range(1, 11)))
    options = ("--format", "medline", "--no-zones")
    for more in ((), ("--collection", "other")):
        assert run("index", first, *options, *more).returncode == 0
    done = run("index", second, *options, "--rebuild")
    assert done.returncode == 0, done.stderr  # 1 of 11 is less than a tenth
    counts = count_indices(es)
    assert sorted(counts.values()) == [10, 11]
    assert es.indices.exists_alias(name="citespan-abstracts")
    assert es.get(index="citespan-abstracts", id="1")["_source"]["title"] == "Running"
    found = run("answers", "find", "running mice", "--collection", "other", "--json")
    assert found.returncode == 0, found.stderr
    assert run("answers", "zone", "1").returncode == 0
    for _ in range(2):
        done = run("index", first, *options, "--collection", "other", "--rebuild")
        assert done.returncode == 0, done.stderr
    assert sorted(count_indices(es).values()) == [10, 11]

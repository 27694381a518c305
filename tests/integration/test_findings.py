"""What an adversary found wrong, as anyone sees it: by the command line and the documents on the
server, of this version or of another (`tests/support/command_line.py`)."""

import json
import os
import shutil
import subprocess
import tarfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from command_line import COMMAND, kill, run, start
from elasticsearch import Elasticsearch
from fault_proxy import Delay, Fault, Request, once, proxy
from loaded_state import let_leases_lapse
from made_medline import citation, medline, section
from real_node import empty_node
from small_loads import line

from citespan.pipelines.evaluation.shipped import sample

KILLS = int(os.environ.get("CITESPAN_COMMAND_KILLS", "2"))
_LATE = 8.0  # seconds


@pytest.fixture(autouse=True)
def empty(es: Elasticsearch) -> None:
    """Each begins on an empty node."""
    empty_node(es)


def load(*arguments: object, **environment: str) -> dict[str, Any]:
    """Load, without anything amiss, and return the report."""
    done = run("index", *arguments, "--json", **environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def write(folder: Path, number: int, seed: str = "", sentences: int = 5) -> Path:
    """Write articles, each in a file of its own, with contents that the seed says."""
    folder.mkdir(exist_ok=True)
    for n in range(number):
        (folder / f"{n}.jsonl").write_text(line(f"found-{n}", sentences, seed))
    return folder


def count(es: Elasticsearch, index: str) -> Counter[str]:
    """How many documents of an index each article has."""
    es.indices.refresh(index="citespan-*")
    found = es.search(
        index=index,
        size=0,
        aggs={"of": {"terms": {"field": "article", "size": 10_000}}},
        ignore_unavailable=True,
        allow_no_indices=True,
    )
    of = found["aggregations"]["of"]["buckets"] if "aggregations" in found else []
    return Counter({bucket["key"]: bucket["doc_count"] for bucket in of})


def has_action(action: str, index: str) -> Callable[[Request], bool]:
    return lambda request: f"/{index}" in request.path and action in request.actions


@contextmanager
def late(node: str, chosen: Callable[[Request], bool], seconds: float = _LATE) -> Iterator[str]:
    """The address of a proxy that sends on the first request that is chosen seconds later; at the
    end, there must have been one."""
    delayed: list[str] = []

    def delay(request: Request) -> Delay | None:
        if not chosen(request):
            return None
        delayed.append(request.path)
        return Delay(seconds)

    with proxy(node, choose=once(delay)) as url:
        yield url
    assert delayed


@pytest.mark.parametrize("attempt", range(KILLS))
def test_01_a_kill_in_the_first_moments(tmp_path: Path, attempt: int) -> None:
    folder, checkpoint = write(tmp_path / "articles", 3), tmp_path / "checkpoint"
    process = start("index", folder, "--checkpoint", checkpoint)
    while not checkpoint.exists():
        assert process.poll() is None
    time.sleep(0.0004 * (attempt % 30))
    kill(process)
    process.communicate()
    assert load(folder, "--checkpoint", checkpoint)["articles"] == 3


def test_02_loads_of_different_contents_and_a_deletion_that_is_late(
    es: Elasticsearch, node: str, tmp_path: Path
) -> None:
    first, second = write(tmp_path / "first", 20), write(tmp_path / "second", 20, "other")
    load(first, "--layout", "sentences")
    expected = count(es, "citespan-sentences")
    with late(node, has_action("delete", "citespan-sentences")) as url:
        slow = start("index", second, "--layout", "sentences", CITESPAN_ES_URL=url)
        while es.get(index="citespan-articles", id="found-0")["_version"] < 2:
            assert slow.poll() is None
            time.sleep(0.02)
        load(first, "--layout", "sentences")
        slow.communicate()
        assert slow.returncode == 0
    assert count(es, "citespan-sentences") == expected
    load(first, "--layout", "sentences")
    assert count(es, "citespan-sentences") == expected


def test_03_a_file_that_was_moved(es: Elasticsearch, tmp_path: Path) -> None:
    folder, other = write(tmp_path / "one", 3), tmp_path / "other"
    load(folder, "--delete-missing")
    other.mkdir()
    (folder / "1.jsonl").rename(other / "1.jsonl")
    load(other, "--delete-missing")
    load(folder, "--delete-missing")
    assert count(es, "citespan-articles").keys() == {"found-0", "found-1", "found-2"}


@pytest.mark.parametrize("attempt", range(KILLS))
def test_04_kills_leave_no_index_behind(es: Elasticsearch, tmp_path: Path, attempt: int) -> None:
    folder = write(tmp_path / "articles", 60)
    models = ("--models", "vsm,bm25,dfr,lmd")
    process = start("index", folder, *models, PYTHONHASHSEED="1")
    while count_written(es) < 200 * (attempt + 1):
        assert process.poll() is None
    kill(process)
    process.communicate()
    load(shutil.copytree(folder, tmp_path / "copy"), *models, PYTHONHASHSEED="2")
    clock = write_clock(tmp_path / "later", 3700)  # the doctor leaves alone what may be running
    let_leases_lapse(es)
    run("doctor", "--repair", PYTHONPATH=str(clock))
    stored = count(es, "citespan-spans-*")
    assert stored == Counter({f"found-{number}": 5 + 4 + 3 + 2 + 1 for number in range(60)})
    assert len(es.indices.get(index="citespan-spans-*")) == 60
    assert run("index", folder, *models, PYTHONHASHSEED="3").returncode == 0
    assert count(es, "citespan-spans-*") == stored


def write_clock(folder: Path, seconds: int) -> Path:
    """A folder which, as PYTHONPATH, makes commands believe that it is so many seconds later."""
    folder.mkdir()
    lines = "import time", "_now = time.time", f"time.time = lambda: _now() + {seconds}"
    (folder / "sitecustomize.py").write_text("\n".join(lines))
    return folder


def count_written(es: Elasticsearch) -> int:
    """How many spans the server has written."""
    found = es.indices.stats(index="citespan-spans-*", metric="indexing")["_all"]["primaries"]
    return int(found["indexing"]["index_total"]) if found else 0


def test_05_an_older_abstract_that_is_late(es: Elasticsearch, node: str, tmp_path: Path) -> None:
    for name, year in (("old", 2001), ("new", 2002)):
        text = section(f"The {name} text says how mice sleep. Rats sleep less than mice.")
        made = (citation(pmid, abstract=text, revised=f"{year}-01-01") for pmid in range(1, 31))
        (tmp_path / f"{name}.xml").write_bytes(medline(made))
    with late(node, lambda request: "/citespan-abstracts/_bulk" in request.path) as url:
        slow = start("index", tmp_path / "old.xml", CITESPAN_ES_URL=url)
        time.sleep(3)
        load(tmp_path / "new.xml")
        slow.communicate()
    es.indices.refresh(index="citespan-*")
    hits = es.search(index="citespan-abstracts", size=1_000)["hits"]["hits"]
    texts = Counter("new text" in json.dumps(hit["_source"]) for hit in hits)
    assert texts.keys() == {True}


def test_06_a_file_name_that_is_not_utf_8(es: Elasticsearch, tmp_path: Path) -> None:
    folder = write(tmp_path / "articles", 2)
    (folder / "0.jsonl").rename(folder / os.fsdecode(b"caf\xe9.jsonl"))
    strange = folder / os.fsdecode(b"caf\xe9.jsonl")
    archive = tmp_path / "archive.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder, "articles")
    for path in (folder, strange, archive):
        done = run("index", path)
        assert done.returncode == 1, done.stderr
        assert "caf\\xe9.jsonl: the name is not UTF-8; rename" in done.stderr.replace("\n", " ")
    assert count(es, "citespan-articles").keys() == {"found-1"}


def test_07_a_key_that_ends_in_a_newline() -> None:
    asked = ("search", "cells grow", "--article", "found-0")
    done = run(*asked, CITESPAN_ES_API_KEY="c2VjcmV0OmtleQ==\n")
    assert "c2VjcmV0OmtleQ" not in done.stdout + done.stderr


def test_08_a_checkpoint_that_is_none(tmp_path: Path) -> None:
    folder, thesis = write(tmp_path / "articles", 1), tmp_path / "thesis.txt"
    thesis.write_text("Ten years of work.")
    done = run("index", folder, "--checkpoint", thesis, "--restart")
    assert (done.returncode, thesis.read_text()) == (2, "Ten years of work.")


def test_09_an_index_that_is_deleted_during_a_load(
    es: Elasticsearch, node: str, tmp_path: Path
) -> None:
    folder = write(tmp_path / "articles", 3)
    deleted: list[str] = []

    def delete(request: Request) -> Fault | None:
        name = request.path.lstrip("/").partition("/")[0]
        if request.actions and name.startswith("citespan-spans-"):
            deleted.append(name)
            es.indices.delete(index=name)
            return Fault.NONE
        return None

    with proxy(node, choose=once(delete)) as url:
        run("index", folder, "--json", CITESPAN_ES_URL=url)
    assert deleted
    found = es.indices.get_mapping(index="citespan-spans-*")
    assert {
        name for name, index in found.items() if index["mappings"].get("dynamic") != "strict"
    } == (set())


def test_10_memory_is_bounded_by_work(es: Elasticsearch, tmp_path: Path) -> None:
    short = json.dumps({"id": "short", "text": "A b. " * 420_000})
    (tmp_path / "short.jsonl").write_text(f"{short}\n{line('found-0', 3)}")
    done, megabytes = run_and_measure("index", tmp_path / "short.jsonl", "--processes", "0")
    assert done.returncode in (0, 1), done.stderr
    assert "found-0" in count(es, "citespan-articles")
    assert megabytes < 400


def run_and_measure(*arguments: object) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run, and measure the greatest resident memory, in MB."""
    process = start(*arguments)
    peak, watched = 0.0, psutil.Process(process.pid)
    while process.poll() is None:
        with suppress(psutil.Error):
            peak = max(peak, watched.memory_info().rss / 1e6)
        time.sleep(0.01)
    out, err = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err), peak


def test_11_a_search_while_articles_are_replaced(
    es: Elasticsearch, node: str, tmp_path: Path
) -> None:
    """Its entry is read, and the article replaced twice before its sentences are searched."""
    paths = [write(tmp_path / str(number), 1, str(number)) for number in range(3)]
    load(paths[0], "--layout", "sentences")
    replaced: list[str] = []

    def replace(request: Request) -> Fault | None:
        if "search" in request.path and b"citespan-sentences" in request.body:
            replaced.append(request.path)
            for path in paths[1:]:
                load(path, "--layout", "sentences")
            return Fault.NONE
        return None

    words = json.loads((paths[2] / "0.jsonl").read_text())["text"].split(".")[0]
    with proxy(node, choose=once(replace)) as url:
        done = run("search", words, "--article", "found-0", "--json", CITESPAN_ES_URL=url)
    assert replaced
    assert done.returncode != 0 or json.loads(done.stdout)["results"]


def test_12_a_server_that_is_not_available_is_no_bad_input(node: str, tmp_path: Path) -> None:
    load(write(tmp_path / "articles", 1))

    def refuse(request: Request) -> Fault | None:
        return Fault.UNAVAILABLE if "search" in request.path else None

    with proxy(node, choose=refuse) as url:
        done = run("search", "cells grow", "--article", "found-0", CITESPAN_ES_URL=url)
    assert done.returncode == 3, done.stderr


def test_13_what_follows_a_line_that_is_too_long(es: Elasticsearch, tmp_path: Path) -> None:
    with (tmp_path / "articles.jsonl").open("w") as file:
        file.write(line("found-0", 3) + "\n" + "x" * 106_000_000 + "\n" + line("found-1", 3))
    done = run("index", tmp_path / "articles.jsonl")
    assert done.returncode == 1
    assert count(es, "citespan-articles").keys() == {"found-0", "found-1"}


def test_14_shipped_experiments_are_found_by_name(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "evaluate", "run", "models", "--collection", f"tac2014:{sample('tac2014')}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "bm25" in done.stdout

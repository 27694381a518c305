"""Linking the citations of indexed articles, on a real node."""

import csv
import json
import multiprocessing
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import command_line
import psutil
import pytest
import small_loads
from elasticsearch import Elasticsearch
from fault_proxy import Fault, Page, Request, proxy
from lexical_ranker import LexicalRanker
from loaded_state import let_leases_lapse, loaded_state
from made_citing import (
    LINES,
    MOSS,
    link,
    link_until_killed,
    load_corpus,
    load_lines,
    read_links,
    without_time,
    write_line,
)

import citespan as front_door
from citespan.es_mappings import citations, links
from citespan.es_mappings.index_name import CITESPAN
from citespan.pipelines.citations import evidence_search, linking
from citespan.pipelines.citations.evidence_search import Workers
from citespan.pipelines.citations.linking import link_citations
from citespan.pipelines.errors import CitespanError, ElasticsearchUnreachableError, MachineError
from citespan.pipelines.indexing.reading.sources import Shard
from citespan.pipelines.indexing.writing.citances import find_outdated
from citespan.pipelines.ranking.ranker import Ranking
from citespan.pipelines.ranking.sentences import ArticleSentences

Citespan = Callable[..., subprocess.CompletedProcess[str]]
ALL = {"linked": 3, "not indexed": 2, "ambiguous": 1, "unidentifiable": 1}
ALL |= {"no reference": 1, "itself": 1}
KILLS = int(os.environ.get("CITESPAN_KILLS", "4"))
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["made_citing"])


@pytest.fixture
def corpus(es: Elasticsearch, tmp_path: Path) -> Elasticsearch:
    """A client with a corpus that is not linked, and nothing else; nobody writes."""
    let_leases_lapse(es)  # of runs of `link` that other tests have killed
    es.indices.delete(index=links.INDEX, ignore_unavailable=True)
    every = [article.article for article in front_door.articles(client=es)]
    front_door.delete(*every, client=es)
    load_corpus(es, tmp_path / "corpus")
    return es


def test_each_citation_has_one_outcome(corpus: Elasticsearch) -> None:
    report = link(corpus)
    assert dict(report.counts) == ALL
    assert (report.citations, report.articles, report.problems) == (9, 2, [])
    found = read_links(corpus)
    assert {
        (stored["citing"], stored["cited"], stored["verdict"]) for stored in found.values()
    } == {
        ("bread", "sugar", "found"),
        ("stone", "sugar", "found"),
        ("stone", "bread", "found"),  # of the other layout
    }
    for stored in found.values():
        text = LINES[stored["cited"]]["text"]
        for passage in stored["passages"]:
            assert text[passage["start"] : passage["end"]] == passage["text"]
        assert LINES[stored["citing"]]["text"][stored["start"] : stored["end"]] == stored["text"]
    assert found["stone:0.2.1"]["query"] == "bread rises slowly in cold rooms ."
    assert found["stone:0.2.1"]["sentences"] == ["bread#0"]


@pytest.mark.parametrize("layout", ["spans", "sentences"])
def test_a_load_counts_the_citations_that_it_stores(
    es: Elasticsearch, tmp_path: Path, layout: str
) -> None:
    text = f"{LINES['stone']['text']} In layout {layout}, yeast grows on sugar too [1]."
    path = write_line(tmp_path, "stone", LINES["stone"] | {"text": text})
    report = front_door.index(path, layout=layout, client=es, processes=0)
    assert (report.articles, report.citations) == (1, 7)
    es.indices.refresh(index=citations.INDEX)
    stored = {"term": {"article": "stone"}}
    assert es.count(index=citations.INDEX, query=stored)["count"] == 7
    again = front_door.index(path, layout=layout, client=es, processes=0)
    assert (again.unchanged, again.citations) == (1, 0)


def test_another_run_does_nothing(corpus: Elasticsearch) -> None:
    link(corpus)
    before = read_links(corpus)
    again = link(corpus)
    assert (again.counts["unchanged"], again.counts["linked"], again.citations) == (3, 0, 9)
    assert read_links(corpus) == before


def test_only_what_has_changed_is_linked_again(
    corpus: Elasticsearch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link(corpus)
    before = read_links(corpus)
    load_lines(corpus, "spans", write_line(tmp_path, "moss", MOSS))
    new = link(corpus)
    assert (new.counts["linked"], new.counts["unchanged"]) == (1, 3)
    with_moss = read_links(corpus)
    assert {name for name in with_moss if with_moss[name] != before.get(name)} == {"bread:3.1.1"}

    changed = LINES["sugar"] | {"text": "Yeast grows on sugar every day. It needs no light."}
    load_lines(corpus, "sentences", write_line(tmp_path, "sugar", changed))
    assert front_door.cited("sugar", client=corpus).outdated == 2
    again = link(corpus)
    assert (again.counts["linked"], again.counts["unchanged"]) == (2, 2)
    after = read_links(corpus)
    assert {name for name in after if after[name] != with_moss[name]} == {
        "bread:1.1.1",
        "stone:0.1.1",
    }
    shorter = LINES["stone"] | {"text": "Stones are cold. Yeast grows on sugar [1]."}
    load_lines(corpus, "sentences", write_line(tmp_path, "stone", shorter))
    third = link(corpus)
    assert (third.counts["linked"], third.counts["unchanged"], third.removed) == (1, 2, 2)
    assert read_links(corpus).keys() == {"bread:1.1.1", "bread:3.1.1", "stone:1.1.1"}
    other = link_citations(corpus, NewerRanker())
    assert (other.counts["linked"], other.counts["unchanged"]) == (3, 0)
    compares = replace(linking.load_model(), version="newer")
    monkeypatch.setattr(linking, "load_model", lambda: compares)
    assert link_citations(corpus, NewerRanker()).counts["linked"] == 3


def test_a_link_says_what_differs_as_a_search_does(
    corpus: Elasticsearch, tmp_path: Path, citespan: Citespan
) -> None:
    changed = LINES["stone"] | {"text": "Yeast does not grow on sugar [1]. Planets turn [4]."}
    load_lines(corpus, "spans", write_line(tmp_path, "stone", changed))
    assert link(corpus).verdicts == {"found": 1, "differs": 1}
    found = read_links(corpus)["stone:0.1.1"]
    [difference] = found["differences"]
    ours, theirs = difference["citation"], difference["article"]
    assert found["query"][ours["start"] : ours["end"]] == ours["text"] == "not grow"
    passage = found["passages"][theirs["passage"] - 1]["text"]
    assert passage[theirs["start"] : theirs["end"]] == theirs["text"] == "grows"
    cited = front_door.cited("sugar", client=corpus)
    said = [each for link in cited.links for each in link.differences]
    searched = front_door.search(
        found["query"], article="sugar", ranker=LexicalRanker(), client=corpus
    )
    assert tuple(said) == searched.differences
    assert [sentence.citations for sentence in cited.cited] == [2], (
        "it is about that sentence still"
    )
    shown = " ".join(citespan("cited", "sugar").stdout.split())
    assert "1 found, 1 differs, 0 weak, 0 none" in shown
    assert "negation: “not grow” in the" in shown


def test_rivals_are_looked_for_where_they_are_asked_for(
    corpus: Elasticsearch, tmp_path: Path, citespan: Citespan
) -> None:
    changed = LINES["stone"] | {"text": "Bread rises slowly where rooms are cold [1]."}
    load_lines(corpus, "sentences", write_line(tmp_path, "stone", changed))
    assert link(corpus).better == 0
    asked = link(corpus, rivals=True)
    assert (asked.counts["linked"], asked.better) == (2, 1)
    better = {(link["cited"], link["better"]) for link in read_links(corpus).values()}
    assert better == {("sugar", ""), ("sugar", "bread")}
    for rivals in (True, False):
        assert link(corpus, rivals=rivals).counts["unchanged"] == 2
    title = str(LINES["bread"]["title"])
    [rivalled] = front_door.cited("sugar", client=corpus).rivalled
    assert (rivalled.citing, rivalled.better, rivalled.better_title) == ("stone", "bread", title)
    assert "bread fits better" in citespan("cited", "sugar").stdout
    front_door.delete("bread", client=corpus)
    assert front_door.cited("sugar", client=corpus).rivalled == ()


def test_links_of_a_deleted_article_go_at_once(corpus: Elasticsearch) -> None:
    link(corpus)
    front_door.delete("bread", client=corpus)
    assert read_links(corpus).keys() == {"stone:0.1.1"}
    assert link(corpus).counts["not indexed"] == 2


def test_killed_at_any_request_and_resumed(
    corpus: Elasticsearch, node: str, tmp_path: Path
) -> None:
    link(corpus)
    undisturbed = without_time(read_links(corpus))
    for number in range(KILLS):
        corpus.indices.delete(index=links.INDEX)
        at, pid = 4 + number * 28 // KILLS, tmp_path / f"pid{number}"

        def kill(request: int, at: int = at, pid: Path = pid) -> Fault:
            if request < at or not pid.exists():
                return Fault.NONE
            if request == at:
                os.kill(int(pid.read_text()), signal.SIGKILL)
            return Fault.NONE if request == at and at % 2 else Fault.RESET_BEFORE

        with proxy(node, kill) as url:
            run = _processes.Process(target=link_until_killed, args=(url, pid))
            run.start()
            run.join()
        assert run.exitcode in (-signal.SIGKILL, 0)
        report = link(corpus)
        assert report.counts["linked"] + report.counts["unchanged"] == 3
        assert without_time(read_links(corpus)) == undisturbed
        assert find_outdated(corpus, CITESPAN) == {}, "nor is what others say"


@pytest.fixture
def workers(node: str, monkeypatch: pytest.MonkeyPatch) -> Workers:
    """Two processes, which search however few questions there are."""
    monkeypatch.setattr(evidence_search, "_PAYING", 1)
    monkeypatch.setattr(evidence_search, "_TOGETHER", 1)
    monkeypatch.setattr(linking, "_WRITTEN", 1)
    return Workers(2, partial(small_loads.client, node))


def find_workers(process: psutil.Process | None = None) -> list[psutil.Process]:
    """Return the processes of one, or of this one, that search, without those that only watch."""
    children = (process or psutil.Process()).children(recursive=True)
    return [child for child in children if "loky.backend.popen_loky_posix" in child.cmdline()]


def test_processes_find_what_one_finds(corpus: Elasticsearch, workers: Workers) -> None:
    link(corpus)
    by_one = without_time(read_links(corpus))
    corpus.indices.delete(index=links.INDEX)
    running: list[int] = []

    def count(_: int) -> None:
        running.append(len(find_workers()))

    report = link(corpus, workers=workers, on_start=lambda _: count)
    assert dict(report.counts) == ALL
    assert max(running) == 2
    assert without_time(read_links(corpus)) == by_one
    assert not find_workers()


class KilledRanker(LexicalRanker):
    """Ends its process at once, as the system does for want of memory."""

    def rank(
        self, query: str, article: ArticleSentences, candidates: Sequence[int] | None = None
    ) -> Ranking:
        os.kill(os.getpid(), signal.SIGKILL)
        return super().rank(query, article, candidates)


def test_a_killed_process_ends_the_run_in_one_line(corpus: Elasticsearch, workers: Workers) -> None:
    with pytest.raises(MachineError, match="was killed, perhaps for want of memory; repeat"):
        link_citations(corpus, KilledRanker(), workers=workers)
    assert not find_workers()
    assert link(corpus).counts["linked"] == 3


def link_by_processes(url: str, pid: Path) -> None:
    """Link by two processes, which never come to an end."""
    evidence_search._PAYING = evidence_search._TOGETHER = 1
    pid.write_text(str(os.getpid()))
    with small_loads.client(url) as es:
        link_citations(es, SleepingRanker(), workers=Workers(2, partial(small_loads.client, url)))


class SleepingRanker(LexicalRanker):
    """Takes more time than a test has."""

    def rank(
        self, query: str, article: ArticleSentences, candidates: Sequence[int] | None = None
    ) -> Ranking:
        time.sleep(600)
        return super().rank(query, article, candidates)


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_processes_end_with_the_one_that_has_started_them(
    corpus: Elasticsearch, node: str, tmp_path: Path, sent: signal.Signals
) -> None:
    run = _processes.Process(target=link_by_processes, args=(node, tmp_path / "pid"))
    run.start()
    started = psutil.Process(run.pid)
    while len(workers := find_workers(started)) < 2:
        assert run.is_alive()
        time.sleep(0.1)
    started.send_signal(sent)
    run.join()
    assert command_line.find_alive(workers, 10) == []


REFUSED = b'{"error": {"type": "security_exception", "reason": "not yours"}, "status": 403}'


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault.RESET_BEFORE, "accepted no request"),
        ((403, REFUSED, {"Content-Type": "application/json"}), "refused a search: not yours"),
    ],
)
def test_what_the_server_says_to_a_process_is_said(
    corpus: Elasticsearch, workers: Workers, node: str, fault: Fault | Page, said: str
) -> None:
    def choose(request: Request) -> Fault | Page | None:
        return fault if "_msearch" in request.path else None

    with proxy(node, choose=choose) as url:
        reached = replace(workers, connect=partial(small_loads.client, url))
        with pytest.raises(CitespanError, match=said):
            link(corpus, workers=reached, retry_seconds=1)
    assert link(corpus).counts["linked"] == 3


def refuse_to_connect() -> Elasticsearch:
    """What connecting does where the server has gone."""
    raise ElasticsearchUnreachableError("no Elasticsearch server answers")


def test_a_process_that_cannot_connect_says_so(corpus: Elasticsearch, workers: Workers) -> None:
    with pytest.raises(ElasticsearchUnreachableError, match="no Elasticsearch server answers"):
        link(corpus, workers=replace(workers, connect=refuse_to_connect))
    assert not find_workers()


def test_shards_are_disjoint_and_together_all(corpus: Elasticsearch) -> None:
    link(corpus)
    whole = without_time(read_links(corpus))
    corpus.indices.delete(index=links.INDEX)
    parts = [link(corpus, shard=Shard(number, 3)) for number in (1, 2, 3)]
    assert sum(part.citations for part in parts) == 9
    assert sum(part.counts["linked"] for part in parts) == 3
    assert without_time(read_links(corpus)) == whole


class NewerRanker(LexicalRanker):
    """The same ranker after an update."""

    version = "lexical 2"


class DeletingRanker(LexicalRanker):
    """Deletes an article as soon as one is ranked."""

    def __init__(self, es: Elasticsearch, article: str) -> None:
        self._es, self._article = es, article

    def rank(
        self, query: str, article: ArticleSentences, candidates: Sequence[int] | None = None
    ) -> Ranking:
        self._es.indices.refresh(index="citespan-articles")
        if self._article in [entry.article for entry in front_door.articles(client=self._es)]:
            front_door.delete(self._article, client=self._es)
        return super().rank(query, article, candidates)


@pytest.mark.parametrize(
    ("article", "left", "sides"),
    [("sugar", {"stone:0.2.1"}, ["cited"] * 2), ("bread", {"stone:0.1.1"}, ["cited", "citing"])],
)
def test_an_article_deleted_meanwhile_costs_its_citations_only(
    corpus: Elasticsearch, article: str, left: set[str], sides: list[str]
) -> None:
    report = link_citations(corpus, DeletingRanker(corpus, article))
    assert (report.counts["linked"], report.counts["deleted"], report.citations) == (1, 2, 9)
    assert sorted(problem.reason.split()[1] for problem in report.problems) == sides
    assert read_links(corpus).keys() == left


def write_stray_link(es: Elasticsearch) -> None:
    """Leave a link of an article that is not indexed."""
    stray = read_links(es)["stone:0.1.1"] | {"citing": "gone"}
    del stray["_seq_no"]
    es.index(index=links.INDEX, id="gone:0.1.1", document=stray, refresh=True)


def test_what_an_article_is_cited_for(corpus: Elasticsearch) -> None:
    link(corpus)
    found = front_door.cited("10.1000/sugar", client=corpus)
    assert [sentence.citations for sentence in found.sentences] == [2, 0, 0]
    assert [sentence.number for sentence in found.cited] == [0]
    assert [sentence.number for sentence in found.uncited] == [1, 2]
    assert dict(found.citing) == {"bread": 1, "stone": 1}
    assert sum(found.sections.values()) == 2
    write_stray_link(corpus)
    again = front_door.cited("sugar", client=corpus)
    assert (again.links, again.outdated) == (found.links, 1)


def test_the_commands(corpus: Elasticsearch, citespan: Citespan) -> None:
    done = citespan("link", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert (report["citations"], report["linked"], report["failed"]) == (9, 3, 0)
    shown = citespan("link")
    assert "unchanged" in shown.stdout
    assert "2 articles with citations" in shown.stdout
    assert json.loads(citespan("link", "--shard", "1/1", "--json").stdout)["unchanged"] == 3
    cited = citespan("cited", "sugar")
    assert "2 citations in 2 articles" in cited.stdout
    assert max(map(len, cited.stdout.splitlines())) <= 80
    assert "It needs no light." in citespan("cited", "sugar", "--uncited").stdout
    described = json.loads(citespan("cited", "sugar", "--json").stdout)
    assert [sentence["citations"] for sentence in described["sentences"]] == [2, 0, 0]
    assert citespan("link", "--ranker", "none").returncode == 2
    assert citespan("link", "--shard", "0/2").returncode == 2
    assert "no citation of it is linked" in citespan("cited", "stone").stdout


def test_rows_of_links_and_articles_can_be_traced(
    corpus: Elasticsearch, citespan: Citespan
) -> None:
    links_of_all = read_csv(citespan("link", "--csv"))
    found = {(row["citing"], row["article"]): row for row in links_of_all}
    assert found.keys() == {("bread", "sugar"), ("stone", "sugar"), ("stone", "bread")}
    stored = read_links(corpus)["stone:0.2.1"]
    row = found["stone", "bread"]
    assert (row["citation"], row["verdict"]) == ("0.2.1", "found")
    assert float(row["support"]) == stored["support"]
    assert float(row["probability"]) == stored["passages"][0]["probability"]
    assert row["passage"] == stored["passages"][0]["text"]
    assert (row["doi"], found["stone", "sugar"]["doi"]) == ("10.1000/bread", "10.1000/sugar")
    assert read_csv(citespan("cited", "sugar", "--csv")) == [
        row for row in links_of_all if row["article"] == "sugar"
    ]
    parts = [read_csv(citespan("link", "--shard", f"{n}/2", "--csv")) for n in (1, 2)]
    assert sorted(map(str, (*parts[0], *parts[1]))) == sorted(map(str, links_of_all))
    uncited = read_csv(citespan("cited", "sugar", "--uncited", "--csv"))
    assert [(sentence["doi"], sentence["number"]) for sentence in uncited] == [
        ("10.1000/sugar", "1"), ("10.1000/sugar", "2"),
    ]  # fmt: skip
    assert read_csv(citespan("cited", "stone", "--csv")) == []
    listed = {row["article"]: row for row in read_csv(citespan("articles", "--csv"))}
    assert listed.keys() == LINES.keys()
    assert listed["sugar"]["doi"] == "10.1000/sugar"
    [first, *_] = read_csv(citespan("show", "sugar", "--csv"))
    assert (first["article"], first["doi"], first["number"]) == ("sugar", "10.1000/sugar", "0")
    assert LINES["sugar"]["text"].startswith(first["text"])


def read_csv(done: subprocess.CompletedProcess[str]) -> list[dict[str, str]]:
    """Return the rows that a command has printed below the names of their columns."""
    assert (done.returncode, done.stderr) == (0, "")
    return list(csv.DictReader(done.stdout.splitlines()))


def test_doctor_repairs_stray_citations_and_links(
    corpus: Elasticsearch, citespan: Citespan
) -> None:
    link(corpus)
    state, before = loaded_state(corpus, ""), read_links(corpus)
    old = "stone~0123abcd01234567"
    [hit] = corpus.search(index=citations.INDEX, size=1, query={"term": {"article": "stone"}})[
        "hits"
    ]["hits"]
    stray = hit["_source"] | {"edition": old, "number": 0}
    corpus.index(index=citations.INDEX, id=f"{old}-0", routing="stone", document=stray)
    write_stray_link(corpus)
    corpus.indices.refresh(index=citations.INDEX)
    told = citespan("doctor", "--json")
    states = {finding["check"]: finding["state"] for finding in json.loads(told.stdout)["findings"]}
    assert (states["citations"], states["links"]) == ("warning", "warning")
    citespan("doctor", "--repair")
    assert (loaded_state(corpus, ""), read_links(corpus)) == (state, before)

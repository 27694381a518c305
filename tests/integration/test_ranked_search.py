"""Searching with a ranker: the same in both layouts, alone and in batches, as commands show it."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import loading
import pytest
from elasticsearch import Elasticsearch
from lexical_ranker import LexicalRanker
from made_collections import write_trials

import citespan
from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.corpus.article import Article, Section
from citespan.pipelines.errors import ArticleGoneError, CitespanError, InputError
from citespan.pipelines.evaluation.shipped import sample
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.ranking.ranker import SHIPPED
from citespan.pipelines.ranking.search import EvidenceRequest, find_evidence, rank_article
from citespan.pipelines.ranking.sentences import take_sentences
from citespan.pipelines.ranking.stored_article import read_stored_articles
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.request import request_candidates
from citespan.pipelines.retrieval.search import search
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters

CITANCE = "When DNA is damaged, p53 is stabilised and stops the cell cycle through p21 [12]"
DAMAGE = "p53-dna-damage"
Citespan = Callable[..., subprocess.CompletedProcess[str]]

TEXT = (
    "Aspirin and stroke.\n\nAspirin lowers the risk of stroke. It does so in adults,died.Cells are "
    "not harmed. 日本 too.\n\nStatistical analysis of aspirin\n\nWe counted strokes in men.  "
    "Aspirin was given daily.\n\nThe authors declare no competing interests in aspirin or stroke."
)
_CUT = TEXT.index("Statistical"), TEXT.index("The authors")
ARTICLE = Article(
    "ranked",
    "Aspirin and stroke",
    TEXT,
    "ranked.txt",
    (
        Section("", 0, TEXT.index("Aspirin lowers"), "title"),
        Section("Results", TEXT.index("Aspirin lowers"), _CUT[0]),
        Section("Methods", _CUT[0], _CUT[1]),
        Section("Competing interests", _CUT[1], len(TEXT)),
    ),
)
QUERY = "Aspirin lowers the risk of stroke and does so in adults and zebras [3]"


@pytest.fixture
def entries(es: Elasticsearch) -> dict[str, ArticleEntry]:
    """The article in both layouts."""
    for layout in ("spans", "sentences"):
        loading.load(es, [replace(ARTICLE, id=f"{layout}-ranked")], layout=layout)
    return Catalogue(es).entries(["spans-ranked", "sentences-ranked"])


def make_request(entry: ArticleEntry, query: str = QUERY, depth: int = 50) -> EvidenceRequest:
    terms = tuple(Term(word) for word in query.replace("[3]", "").split())
    candidates = request_candidates(entry, terms, models["vsm"], depth)
    return EvidenceRequest(query, candidates, LexicalRanker())


@pytest.mark.parametrize("lengths", [SpanLengths(), SpanLengths(1, 2), SpanLengths(1, 1)])
def test_whole_articles_are_read_alike(es: Elasticsearch, lengths: SpanLengths) -> None:
    read = []
    for layout in ("spans", "sentences"):
        name = f"{layout}-whole-{lengths.longest}"
        loading.load(es, [replace(ARTICLE, id=name)], lengths=lengths, layout=layout)
        [article] = read_stored_articles(es, [Catalogue(es).find(name)])
        read.append(article)
    spans, sentences = read
    split = replace(ARTICLE, sentences=tuple(split_article(ARTICLE, splitters[DEFAULT])))
    assert sentences.sentences == take_sentences(split)
    assert (spans.starts, spans.ends) == (sentences.starts, sentences.ends)
    assert spans.sentences.sections == sentences.sentences.sections
    assert spans.sentences == sentences.sentences


def test_passages_are_the_same_in_both_layouts(
    es: Elasticsearch, entries: dict[str, ArticleEntry]
) -> None:
    spans, sentences = find_evidence(es, list(map(make_request, entries.values())))
    assert replace(spans, article="") == replace(sentences, article="")
    assert (spans.verdict, spans.missing, spans.title) == ("found", ("zebras",), ARTICLE.title)
    best = spans[0]
    assert best.text == "Aspirin lowers the risk of stroke. It does so in adults,died."
    assert TEXT[best.start : best.end] == best.text
    assert (best.section, best.after) == ("Results", "Cells are not harmed.")
    assert best.matched == ("Aspirin", "lowers", "risk", "stroke", "adults")
    assert [best.text[start:end] for start, end in best.matches][:2] == ["Aspirin", "lowers"]
    assert best.probability == pytest.approx(4 / 9)
    for span in spans:
        assert span.section != "Competing interests"


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_candidates_are_the_same_at_any_depth(
    es: Elasticsearch, entries: dict[str, ArticleEntry], depth: int
) -> None:
    found = [search(es, make_request(entry, depth=depth).candidates) for entry in entries.values()]
    assert len(found[0]) == depth
    assert [span.first_sentence for span in found[0]] == [span.first_sentence for span in found[1]]
    assert all(span.first_sentence == span.last_sentence for span in found[0])


def test_a_batch_is_what_each_request_gives(
    es: Elasticsearch, entries: dict[str, ArticleEntry]
) -> None:
    queries = [QUERY, "Adults are not harmed", "[3]", "zebras"]
    requests = [make_request(entry, text) for text in queries for entry in entries.values()]
    requests[4:6] = [
        replace(request, candidates=replace(request.candidates, terms=()))
        for request in requests[4:6]
    ]
    batch = list(find_evidence(es, requests))
    for request, found in zip(requests, batch, strict=True):
        if request.candidates.terms:
            assert [found] == list(find_evidence(es, [request]))
        else:
            assert (found.verdict, len(found)) == ("none", 0)
    assert [evidence.verdict for evidence in batch[6:]] == ["none", "none"]
    with pytest.raises(InputError, match="nothing of the citance is left"):
        requests[4].candidates.require_terms()


def test_an_index_is_gone_when_the_server_is_to_analyse_a_passage(es: Elasticsearch) -> None:
    loading.load(es, [replace(ARTICLE, id="going")])
    request = make_request(Catalogue(es).find("going"), "日本")
    search = request.candidates
    [article] = read_stored_articles(es, [search.article])
    es.indices.delete(index=str(search.article.index))
    with pytest.raises(ArticleGoneError, match="index it again"):
        rank_article(es, request, search, article, range(len(article.sentences)), ())


def test_below_the_threshold_only_the_best_is_shown_as_weak(
    es: Elasticsearch, entries: dict[str, ArticleEntry]
) -> None:
    request = make_request(entries["spans-ranked"], "camels eat aspirin for lunch")
    [found] = find_evidence(es, [request])
    assert (found.verdict, len(found)) == ("weak", 1)
    assert found.missing == ("camels", "eat", "lunch")


def test_an_article_of_longer_spans_only_says_what_to_do(es: Elasticsearch) -> None:
    loading.load(es, [replace(ARTICLE, id="long-spans")], lengths=SpanLengths(2, 3))
    with pytest.raises(InputError, match="index it again"):
        make_request(Catalogue(es).find("long-spans"))
    loading.load(
        es, [replace(ARTICLE, id="long-windows")], lengths=SpanLengths(2, 3), layout="sentences"
    )
    assert next(find_evidence(es, [make_request(Catalogue(es).find("long-windows"))]))


@pytest.mark.parametrize("layout", ["spans", "sentences"])
def test_a_search_with_an_entry_that_was_replaced_twice_finds_what_is_there_now(
    es: Elasticsearch, layout: str
) -> None:
    article = replace(ARTICLE, id=f"replaced-{layout}")
    loading.load(es, [article], layout=layout)
    old = Catalogue(es).find(article.id)
    ranked, plain = make_request(old), make_request(old).candidates
    assert next(find_evidence(es, [ranked]))
    for number in range(2):
        loading.load(es, [replace(article, text=f"{TEXT}\n\nAnd {number} more.")], layout=layout)
    assert Catalogue(es).find(article.id).edition != old.edition
    assert next(find_evidence(es, [ranked]))[0].text.startswith("Aspirin lowers")
    assert search(es, plain)
    assert search(es, replace(plain, terms=(Term("zebra"),))) == []


@pytest.mark.parametrize("layout", ["spans", "sentences"])
def test_a_search_in_an_article_that_was_deleted_says_so(es: Elasticsearch, layout: str) -> None:
    article = replace(ARTICLE, id=f"deleted-{layout}")
    loading.load(es, [article], layout=layout)
    request = make_request(Catalogue(es).find(article.id))
    citespan.delete(article.id, client=es)
    es.indices.refresh(index="citespan-sentences*")
    with pytest.raises(CitespanError, match=rf"'{article.id}' is gone .*index it again"):
        search(es, request.candidates)


def as_json(done: subprocess.CompletedProcess[str]) -> dict[str, object]:
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def loaded(node: str) -> Iterator[str]:
    """The sample on the node."""
    with citespan.connect(node) as client:
        citespan.index(sample("jats"), client=client, processes=0)
        yield node


def test_the_command_and_python_find_the_same(loaded: str, citespan_command: Citespan) -> None:
    told = as_json(citespan_command("search", CITANCE, "--article", DAMAGE, "--json"))
    found = citespan.search(CITANCE, DAMAGE)
    assert told["results"] == found.to_json()["results"]
    assert {"ranker", "support", "verdict", "missing", "model", "query"} <= told.keys()
    assert told["ranker"] == "evidence"
    [first, *_] = found
    assert first.probability is not None
    assert 0 < first.probability < 1
    shown = citespan_command("search", CITANCE, "--article", DAMAGE)
    assert f"probability {first.probability:.2f}" in shown.stdout
    assert "has: " in shown.stdout


def test_more_passages_than_the_evidence_are_weaker_ones(
    loaded: str, citespan_command: Citespan
) -> None:
    evidence = citespan.search(CITANCE, DAMAGE)
    more = citespan.search(CITANCE, DAMAGE, top=9)
    assert len(more) == 9
    assert not any(passage.weaker for passage in evidence)
    assert [passage for passage in more if not passage.weaker][: len(evidence)] == list(evidence)
    shown = citespan_command("search", CITANCE, "--article", DAMAGE, "--top", "9")
    assert re.search(r", weaker  sentences? \d", shown.stdout)


def test_every_sentence_has_its_score_on_demand(loaded: str, citespan_command: Citespan) -> None:
    found = citespan.search(CITANCE, DAMAGE, scores=True)
    sentences = citespan.show(DAMAGE)
    assert [sentence.text for sentence in found.sentences] == [
        sentence.text.rstrip() for sentence in sentences
    ]
    assert found[0].score == max(sentence.score for sentence in found.sentences)
    assert list(found) == list(citespan.search(CITANCE, DAMAGE))
    told = as_json(citespan_command("search", CITANCE, "--article", DAMAGE, "--all", "--json"))
    assert told["sentences"] == found.to_json()["sentences"]
    refused = citespan_command("search", CITANCE, "--all")
    assert (refused.returncode, "name it by --article" in refused.stderr) == (2, True)


def test_what_has_nothing_to_do_with_the_article_is_weak(
    loaded: str, citespan_command: Citespan
) -> None:
    citance = "Vasectomy lowers the risk of hay fever in men, which tablets treat"
    told = as_json(citespan_command("search", citance, "--article", DAMAGE, "--json"))
    assert told["verdict"] == "weak"
    assert "tablets" in told["missing"]  # type: ignore[operator]
    shown = citespan_command("search", citance, "--article", DAMAGE)
    assert "weak: the article has evidence with probability" in shown.stdout
    assert ", weak" in shown.stdout
    told = as_json(citespan_command("search", "zebras", "--article", DAMAGE, "--json"))
    assert (told["verdict"], told["results"]) == ("none", [])


def test_the_preset_is_the_published_method(loaded: str, citespan_command: Citespan) -> None:
    preset = citespan_command(
        "search", CITANCE, "--article", DAMAGE, "--preset", "naacl2015", "--json"
    )
    plain = citespan_command("search", CITANCE, "--article", DAMAGE, "--ranker", "none", "--json")
    assert as_json(preset) == as_json(plain)
    other = citespan_command(
        "search", CITANCE, "--article", DAMAGE, "--top", "1", "--preset", "naacl2015", "--json"
    )
    assert len(as_json(other)["results"]) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--no-merge"], "use them with --ranker none"),
        (["--explain"], "use them with --ranker none"),
        (["--shortest", "2"], "use them with --ranker none"),
        (["--ranker", "best"], "unknown ranker 'best'; choose from: evidence, none"),
    ],
)
def test_what_a_ranker_has_not_is_refused(
    loaded: str, citespan_command: Citespan, arguments: list[str], message: str
) -> None:
    done = citespan_command("search", CITANCE, "--article", DAMAGE, *arguments)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert message in done.stderr


@pytest.fixture
def citespan_command(citespan: Citespan) -> Citespan:
    """The command line, by a name that is not the package's."""
    return citespan


def test_idf_of_a_background(citespan_command: Citespan, tmp_path: Path) -> None:
    # "yeast" is in most sentences of this article, and rare elsewhere; "mice" is the reverse
    text = "Yeast grows. Yeast eats sugar. Yeast likes warmth. Mice eat it. Yeast is round."
    file = tmp_path / "yeast.jsonl"
    file.write_text(json.dumps({"id": "idf-yeast", "title": "Yeast", "text": text}))
    query = ("search", "mice and yeast", "--article", "idf-yeast", "--ranker", "none", "--json")
    spans = ("--model", "bm25", "--shortest", "1", "--longest", "1", "--no-merge", "--top", "1")
    assert citespan_command("index", str(file), "--layout", "sentences").returncode == 0
    for idf, first in (("article", 3), ("background", 0), ("both", 0)):
        [found] = as_json(citespan_command(*query, *spans, "--idf", idf))["results"]  # type: ignore[misc]
        assert found["first_sentence"] == first, idf
    again = ("index", str(file), "--layout", "spans", "--models", "vsm,bm25")
    assert citespan_command(*again).returncode == 0
    refused = citespan_command(*query, *spans, "--idf", "both")
    assert refused.returncode == 2
    assert "whose idf is always that of the article; index it with --layout sentences" in (
        refused.stderr
    )
    everywhere = citespan_command("search", "yeast", "--idf", "both")
    assert everywhere.returncode == 2
    assert "--idf are for one article" in everywhere.stderr


def test_a_ranker_of_ones_own_by_its_folder(
    loaded: str, citespan_command: Citespan, tmp_path: Path
) -> None:
    shutil.copytree(SHIPPED / "evidence", tmp_path / "evidence")
    search = ("search", CITANCE, "--article", DAMAGE, "--json", "--ranker")
    shipped = as_json(citespan_command(*search, "evidence"))
    assert as_json(citespan_command(*search, str(tmp_path / "evidence"))) == shipped
    everywhere = ("search", CITANCE, "--json", "--ranker", str(tmp_path / "evidence"))
    assert as_json(citespan_command(*everywhere))["results"]
    for folder in (tmp_path, tmp_path / "nothing"):
        refused = citespan_command(*search, f"{folder}/")
        assert refused.returncode == 2
        assert len(refused.stderr.splitlines()) == 1
        assert f"{folder}: no ranker (No such file or directory" in refused.stderr


def test_a_batch_from_a_file(loaded: str, citespan_command: Citespan, tmp_path: Path) -> None:
    file = tmp_path / "citances.tsv"
    file.write_text(
        f"id\tarticle\tcitance\na\t{DAMAGE}\t{CITANCE}\nb\tnone\t{CITANCE}\nc\t{DAMAGE}\t[12]\n"
        f"d\t{DAMAGE}\nz\tinsulin-glut4\tInsulin moves GLUT4\n"
    )
    done = citespan_command("search", "--from", str(file))
    assert done.returncode == 1
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["id"], line["line"]) for line in found] == [("a", 2), ("z", 6)]
    single = as_json(citespan_command("search", CITANCE, "--article", DAMAGE, "--json"))
    assert {name: found[0][name] for name in single} == single
    errors = done.stderr.splitlines()
    assert [line.split(": ", 1)[0].rpartition(":")[2] for line in errors[:3]] == ["3", "4", "5"]
    assert "unknown article 'none'" in errors[0]
    assert errors[3] == "5 lines: 2 searched for, 3 not"

    table = citespan_command("search", "--from", str(file), "--format", "csv")
    assert table.stdout.splitlines()[0].startswith(
        "id,article,title,pmid,doi,citance,verdict,support,rank"
    )
    text = citespan_command("search", "--from", str(file), "--format", "markdown")
    assert text.stdout.startswith("## a\n\n")


def test_a_batch_goes_on_where_it_stopped(
    loaded: str, citespan_command: Citespan, tmp_path: Path
) -> None:
    file, out = tmp_path / "citances.csv", tmp_path / "out.jsonl"
    lines = [f"{DAMAGE},p53 stops the cell cycle {number}" for number in range(4)]
    file.write_text("article,citance\n" + "\n".join(lines) + "\n")
    arguments = ("search", "--from", str(file), "--out", str(out))
    assert citespan_command(*arguments).returncode == 0
    whole = out.read_bytes()
    out.write_bytes(whole[: whole.index(b"\n", whole.index(b"\n") + 1) + 20])
    done = citespan_command(*arguments)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.strip() == "4 lines: 2 searched for, 2 searched for before, 0 not"
    assert out.read_bytes() == whole
    assert json.loads(whole.splitlines()[0])["settings"] == {}
    for option in (("--ranker", "none"), ("--top", "1"), ("--depth", "30")):
        refused = citespan_command(*arguments, *option)
        assert refused.returncode == 2
        changed = " ".join(option).removeprefix("--")
        assert f"searched for with default settings, not with {changed}; name" in refused.stderr
    file.write_text(file.read_text().replace("cycle 1", "cycle one"))
    refused = citespan_command(*arguments)
    assert refused.returncode == 2
    assert "line 3 is not the same" in refused.stderr
    (tmp_path / "other").write_text("not a result\n")
    refused = citespan_command("search", "--from", str(file), "--out", str(tmp_path / "other"))
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "other:1: no result of a search" in refused.stderr


def test_the_experiment_of_rankers(citespan_command: Citespan, tmp_path: Path) -> None:
    trials = write_trials(tmp_path / "trials")
    arguments = ("--collection", f"tac2014:{trials}", "--out", str(tmp_path / "run"))
    shown = citespan_command("evaluate", "run", "rankers", *arguments)
    assert shown.returncode == 0, shown.stderr
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    systems = {system["system"]: system for system in results["systems"]}
    assert {"naacl2015", "dfr-sentences", "sentence-bm25-stemmed", "out-of-fold"} <= systems.keys()
    ranked = systems["out-of-fold"]
    assert ranked["measures"]["success_1"] > 0.5
    tests = ranked["tests"]["sentence_f1_micro"]
    assert tests["p_value"] is None
    assert 0 < tests["p_randomisation"] <= tests["p_randomisation_corrected"] <= 1
    for name in systems:
        assert f"│ {name} " in shown.stdout


def test_systems_of_other_spans_share_one_index(citespan_command: Citespan, tmp_path: Path) -> None:
    file = tmp_path / "mine.yml"
    file.write_text(
        "name: mine\nbaseline: plain\nsystems:\n"
        "  - name: plain\n    model: bm25\n    reformulation: baseline\n"
        "    spans: {shortest: 1, longest: 1}\n"
        "  - {name: ranked, model: bm25, reformulation: baseline, ranker: evidence}\n"
        "  - {name: spans, model: bm25, reformulation: baseline}\n"
    )
    done = citespan_command("evaluate", "run", str(file), "--out", str(tmp_path / "run"), "--json")
    systems = as_json(done)["systems"]
    assert [system["system"] for system in systems] == ["plain", "ranked", "spans"]  # type: ignore[attr-defined]
    refused = citespan_command("evaluate", "run", str(file), "--layout", "spans")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "run the experiment with --layout sentences" in refused.stderr

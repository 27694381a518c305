"""The main job from Python, and the commands to list, show and delete what is indexed."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from lexical_ranker import LexicalRanker

import citespan
from citespan.es_mappings.index_name import EXPERIMENTS
from citespan.es_mappings.spans import SPANS_PREFIX
from citespan.pipelines.errors import CitespanError, InputError, UnknownNameError
from citespan.pipelines.evaluation.shipped import sample

CITANCE = "When DNA is damaged, p53 is stabilised and stops the cell cycle through p21 [12]"
DAMAGE = "p53-dna-damage"
Citespan = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def client(es: Elasticsearch) -> Elasticsearch:
    """A client with the sample, in both layouts."""
    report = citespan.index(sample("jats"), client=es, processes=0)
    assert report.inputs == report.articles + report.unchanged
    return es


@pytest.mark.parametrize("layout", ["spans", "sentences"])
def test_from_nothing_to_cited_spans(es: Elasticsearch, layout: str) -> None:
    report = citespan.index(sample("jats"), layout=layout, client=es, processes=0)
    assert report.inputs == report.articles + report.unchanged > 0
    found = citespan.search(CITANCE, DAMAGE, ranker="none", client=es)
    assert [passage.rank for passage in found] == [1, 2, 3]
    text = " ".join(sentence.text for sentence in citespan.show(DAMAGE, client=es))
    assert all(" ".join(passage.text.split()) in " ".join(text.split()) for passage in found)


def test_the_readmes_six_lines_in_a_process_of_their_own(client: Elasticsearch) -> None:
    script = f"""
import citespan

citespan.connect()
citespan.index({str(sample("jats"))!r})
for passage in citespan.search({CITANCE!r}, article={DAMAGE!r}):
    print(passage.section, passage.start, passage.end, passage.text)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    found = citespan.search(CITANCE, DAMAGE, client=client)
    expected = "".join(
        f"{passage.section} {passage.start} {passage.end} {passage.text}\n" for passage in found
    )
    assert done.stdout == expected


def test_many_citances_find_what_each_finds_alone(client: Elasticsearch) -> None:
    citances = [CITANCE, "[12]", "p21 inhibits kinases"]
    many = citespan.search(citances, DAMAGE, ranker="none", client=client)
    assert [len(found) for found in many] == [3, 0, 3]
    assert many[2] == citespan.search(citances[2], [DAMAGE][0], ranker="none", client=client)
    ranked = citespan.search(citances, DAMAGE, client=client)
    assert [found.verdict for found in ranked][1] == "none"
    assert ranked[2] == citespan.search(citances[2], DAMAGE, client=client)
    with pytest.raises(InputError, match="3 citances and 2 articles"):
        citespan.search(citances, [DAMAGE, DAMAGE], client=client)
    with pytest.raises(InputError, match="nothing of the citance is left"):
        citespan.search("[12]", DAMAGE, client=client)


def test_options_are_those_of_the_command(client: Elasticsearch, citespan: Citespan) -> None:
    from citespan.searching import search

    told = citespan(
        *("search", CITANCE, "--article", DAMAGE, "--ranker", "none"),
        *("--top", "2", "--no-merge", "--json"),
    )
    expected = json.loads(told.stdout)["results"]
    found = search(CITANCE, DAMAGE, ranker="none", top=2, merge=False, client=client)
    assert [passage.to_json() for passage in found] == expected


@pytest.mark.parametrize(
    "written", ["P53-DNA-DAMAGE", "  p53-dna-damage ", "folder/p53-dna-damage.nxml.gz"]
)
def test_identifiers_are_taken_as_people_write_them(client: Elasticsearch, written: str) -> None:
    assert citespan.show(written, 0, 0, client=client)[0].number == 0


def test_an_unknown_article_is_named_with_similar_ones_only(client: Elasticsearch) -> None:
    with pytest.raises(UnknownNameError, match="did you mean .*p53-dna-damage"):
        citespan.show("p53-dna-damagee", client=client)
    with pytest.raises(InputError, match="no indexed article is similar; see `citespan articles`"):
        citespan.show("zzzzzzzz", client=client)


def test_sentences_out_of_range(client: Elasticsearch) -> None:
    whole = citespan.show(DAMAGE, client=client)
    assert [sentence.number for sentence in whole] == list(range(len(whole)))
    assert citespan.show(DAMAGE, 2, 3, client=client) == whole[2:4]
    assert citespan.show(DAMAGE, len(whole) - 1, 10**6, client=client) == whole[-1:]
    with pytest.raises(InputError, match=f"has sentences 0-{len(whole) - 1}"):
        citespan.show(DAMAGE, len(whole), client=client)


def test_the_commands(client: Elasticsearch, citespan: Citespan) -> None:
    # other tests may have left more articles than are listed at once
    listed = json.loads(citespan("articles", "--json").stdout)
    assert len(listed["articles"]) == min(listed["count"], 100)
    named = json.loads(citespan("articles", "p53", "--json").stdout)
    assert named["count"] == len(named["articles"])
    assert DAMAGE in [article["article"] for article in named["articles"]]
    found = citespan("articles", "p53-dna")
    assert found.stdout.splitlines()[-1] == "1 article"
    assert DAMAGE in found.stdout
    assert citespan("articles", "--count").stdout.strip() == f"{listed['count']:,} articles"
    shown = json.loads(citespan("show", DAMAGE, "--sentences", "1-2", "--json").stdout)
    assert [sentence["number"] for sentence in shown["sentences"]] == [1, 2]
    first = citespan("show", DAMAGE, "--sentences", "1")
    assert shown["sentences"][0]["text"].split()[0] in first.stdout
    refused = citespan("show", DAMAGE, "--sentences", "b-a")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)


@pytest.mark.parametrize("layout", ["spans", "sentences"])
def test_what_is_deleted_is_gone_with_its_documents(
    es: Elasticsearch, citespan: Citespan, tmp_path: Path, layout: str
) -> None:
    file = tmp_path / "two.jsonl"
    lines = [json.dumps({"id": f"to-delete-{n}", "text": "It is. It was."}) for n in range(2)]
    file.write_text("\n".join(lines))
    assert citespan("index", str(file), "--layout", layout).returncode == 0
    refused = citespan("delete", "to-delete-0", "to-delete-9")
    assert refused.returncode == 2
    assert "to-delete-9" in refused.stderr
    done = citespan("delete", "TO-DELETE-0", "--json", "--yes")
    assert json.loads(done.stdout) == {"deleted": ["to-delete-0"]}
    assert citespan("show", "to-delete-0").returncode == 2
    assert citespan("show", "to-delete-1").returncode == 0
    es.indices.refresh(index="citespan-*")
    assert not es.indices.get(index=f"{SPANS_PREFIX}to-delete-0~*")
    query = {"term": {"article": "to-delete-0"}}
    assert es.count(index="citespan-*", query=query)["count"] == 0
    assert (
        json.loads(citespan("index", str(file), "--layout", layout, "--json").stdout)["indexed"]
        == 1
    )
    done = citespan("delete", "to-delete-0", "to-delete-1", "--yes")
    assert done.stdout.strip() == "2 articles deleted"


def test_experiments_never_touch_the_users_articles(
    client: Elasticsearch, citespan: Citespan, tmp_path: Path
) -> None:
    mine = json.loads(citespan("articles", "--json").stdout)
    citespan("delete", "--experiments", "--all", "--yes")
    first = citespan("evaluate", "run", "models", "--out", str(tmp_path / "run"))
    assert first.returncode == 0, first.stderr
    assert json.loads(citespan("articles", "--json").stdout) == mine
    theirs = json.loads(citespan("articles", "--experiments", "--json").stdout)
    assert theirs["count"] == 2
    assert client.indices.get_alias(name=EXPERIMENTS.shared("sentences"))
    assert citespan("delete", "--all").returncode == 2
    done = citespan("delete", "--experiments", "--all", "--yes")
    assert done.stdout.strip() == "2 articles deleted"
    assert json.loads(citespan("articles", "--json").stdout) == mine


def test_a_server_by_its_address(node: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CITESPAN_ES_URL")
    assert citespan.connect(node).info()["version"]["number"].startswith("9.")
    with pytest.raises(CitespanError, match="127.0.0.1:9 can't be reached"):
        citespan.connect("http://127.0.0.1:9")


def test_every_name_of_the_front_door_is_there() -> None:
    for name in citespan.__all__:
        assert getattr(citespan, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        citespan.nothing  # noqa: B018


def test_importing_it_imports_nothing_else() -> None:
    code = "import sys, citespan; print([m for m in sys.modules if 'elasticsearch' in m])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.strip() == "[]"


def test_many_questions_and_citances_of_all_articles_are_answered_each(
    client: Elasticsearch,
) -> None:
    citances = ["p53 stops the cell cycle", "insulin moves GLUT4"]
    many = citespan.search_all(citances, client=client)
    assert many == [citespan.search_all(citance, client=client) for citance in citances]
    assert many[1][0].evidence.article == "insulin-glut4"
    questions = ["Does insulin move GLUT4?", "Does DNA damage stabilise p53?"]
    answers = citespan.answers(questions, top=2, client=client)
    assert answers == [citespan.answers(question, top=2, client=client) for question in questions]
    assert [answer[0].id for answer in answers] == ["insulin-glut4", DAMAGE]
    assert answers[0].to_frame()["article"].iloc[0] == "insulin-glut4"


class Lexical(LexicalRanker):
    """A ranker that no registry knows."""

    name = "own"


def test_a_ranker_of_ones_own_searches_checks_and_is_compared(
    client: Elasticsearch, tmp_path: Path
) -> None:
    ranker = Lexical()
    found = citespan.search(CITANCE, DAMAGE, ranker=ranker, client=client)
    assert found.ranker == ranker.name
    assert found.passages
    manuscript = citespan.sample("manuscript") / "signals.md"
    assert citespan.check(manuscript, ranker=ranker, client=client).ranker == ranker.name
    systems = [{"model": "bm25"}, {"ranker": ranker}, {"yardstick": "sentence-bm25"}]
    results = citespan.compare(systems, folder=tmp_path / "run", client=client)
    assert list(results.scores) == ["bm25", ranker.name, "sentence-bm25"]
    assert results.experiment.baseline == "bm25"
    assert results.versions[f"ranker {ranker.name}"] == ranker.version
    assert results.configuration["systems"][ranker.name]["ranker"] == ranker.name
    assert len(results.to_frame()) == sum(map(len, results.scores.values()))
    figure = results.draw("systems")
    assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="has nothing that 'settings' shows"):
        results.draw("settings")
    with pytest.raises(UnknownNameError, match="unknown plot 'pie'; choose from: systems"):
        results.draw("pie")


def test_lines_with_an_article_and_without_in_one_file(
    client: Elasticsearch, citespan: Citespan, tmp_path: Path
) -> None:
    file = tmp_path / "citances.jsonl"
    lines = [{"citance": CITANCE, "article": DAMAGE}, {"citance": CITANCE}, {"citance": "[12]"}]
    file.write_text("\n".join(json.dumps(line) for line in lines))
    done = citespan("search", "--from", str(file))
    assert done.returncode == 1
    assert "3 lines: 2 searched for, 1 not" in done.stderr
    in_one, in_all = map(json.loads, done.stdout.splitlines())
    alone = json.loads(citespan("search", CITANCE, "--json").stdout)
    assert {name: in_all[name] for name in alone} == alone
    assert (
        in_one["results"]
        == json.loads(citespan("search", CITANCE, "--article", DAMAGE, "--json").stdout)["results"]
    )
    rows = list(csv.DictReader(citespan("search", CITANCE, "--format", "csv").stdout.splitlines()))
    assert [row["article"] for row in rows] == [result["article"] for result in alone["results"]]
    assert {"title", "pmid", "doi", "probability", "support"} <= rows[0].keys()
    assert float(rows[0]["probability"]) == alone["results"][0]["probability"]
    narrowed = citespan("search", "--from", str(file), "--year", "2020-")
    assert (
        "--year, --journal, --section and --citing are for a search of all articles"
        in narrowed.stderr
    )
    assert len(narrowed.stdout.splitlines()) == 1
    wrong = citespan("search", CITANCE, "--article", "zzzz", "--format", "csv")
    assert (wrong.returncode, wrong.stdout) == (2, "")


def test_the_questions_of_a_file(client: Elasticsearch, citespan: Citespan, tmp_path: Path) -> None:
    file = tmp_path / "questions.tsv"
    asked = ["Does insulin move GLUT4?", "of the", "Does DNA damage stabilise p53?"]
    file.write_text(
        "id\tquestion\n" + "".join(f"q{n}\t{question}\n" for n, question in enumerate(asked))
    )
    done = citespan("answers", "find", "--from", str(file), "--top", "2")
    assert done.returncode == 1
    assert f"{file}:3: " in done.stderr
    assert "3 lines: 2 answered, 1 not" in done.stderr
    first, last = map(json.loads, done.stdout.splitlines())
    alone = json.loads(citespan("answers", "find", asked[2], "--top", "2", "--json").stdout)
    assert last == {"id": "q2", "line": 4, **alone}
    assert first["question"] == asked[0]
    told = citespan("answers", "find", "--from", str(file), "--top", "1", "--csv").stdout
    rows = list(csv.DictReader(told.splitlines()))
    assert [(row["id"], row["article"]) for row in rows] == [
        ("q0", "insulin-glut4"),
        ("q2", DAMAGE),
    ]
    both = citespan("answers", "find", asked[0], "--from", str(file))
    assert (both.returncode, both.stderr.count("\n")) == (2, 1)

"""`citespan background build --from-index`: the cluster's articles count as their files do."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import INDEX
from citespan.pipelines.evaluation.shipped import sample
from citespan.pipelines.reformulation.background import read

Citespan = Callable[..., subprocess.CompletedProcess[str]]
ARTICLES = ("p53-dna-damage", "insulin-glut4")


@pytest.fixture(scope="module")
def files(node: str) -> list[str]:
    """Two articles' files; one is loaded as usual, one in spans of two sentences and more."""
    from real_node import run_citespan

    named = [str(sample("jats") / f"{article}.xml") for article in ARTICLES]
    for file, lengths in zip(named, ([], ["--shortest", "2"]), strict=True):
        done = run_citespan("index", file, *lengths)
        assert done.returncode == 0, done.stderr
    return named


def test_articles_of_an_index(citespan: Citespan, files: list[str], tmp_path: Path) -> None:
    of_files, of_index = tmp_path / "files", tmp_path / "index"
    done = citespan("background", "build", *files, "--out", str(of_files))
    assert done.returncode == 0, done.stderr
    done = citespan("background", "build", "--from-index", *ARTICLES, "--out", str(of_index))
    assert done.returncode == 0, done.stderr
    assert read(of_index).counts == read(of_files).counts
    assert read(of_index).documents == 2
    assert read(of_index).corpus == ", ".join(ARTICLES)


@pytest.mark.usefixtures("files")
def test_all_articles_of_an_index(citespan: Citespan, es: Elasticsearch, tmp_path: Path) -> None:
    to = tmp_path / "table"
    # other tests leave entries of articles whose index they have deleted
    others = {"bool": {"must_not": {"terms": {"article": ARTICLES}}}}
    es.delete_by_query(index=INDEX, query=others, refresh=True, conflicts="proceed")
    done = citespan("background", "build", "--from-index", "--out", str(to), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["documents"] >= len(ARTICLES)
    assert read(to).corpus == "all indexed articles"
    assert read(to).counts["p53"][0] >= 1


def test_an_unknown_article_is_told(citespan: Citespan, tmp_path: Path) -> None:
    to = tmp_path / "table"
    done = citespan("background", "build", "--from-index", "no-such-article", "--out", str(to))
    assert done.returncode == 2
    assert "unknown article 'no-such-article'" in done.stderr
    assert not to.exists()


@pytest.mark.usefixtures("files")
def test_feedback_from_a_real_search(citespan: Citespan) -> None:
    citance = "When DNA is damaged, p53 stops the cell cycle [12]"
    article = ("--article", ARTICLES[0])
    arguments = ("--reformulation", "baseline,prf", *article, "--feedback-terms", "4", "--json")
    done = citespan("reformulate", citance, *arguments)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    before, after = (
        {term["text"]: term["weight"] for term in made[name]["terms"]}
        for name in ("baseline", "prf")
    )
    assert before.keys() < after.keys()
    changed = {text for text, weight in after.items() if before.get(text) != weight}
    assert len(changed) == 4
    found = citespan("search", citance, *article, "--reformulation", "prf", "--json")
    assert json.loads(found.stdout)["results"]

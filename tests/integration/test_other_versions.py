"""Indices of another mapping version: every command that needs one refuses it in one line."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import run
from elasticsearch import Elasticsearch
from made_citing import link, load_corpus
from made_medline import citation, medline
from real_node import empty_node
from served import serving

from citespan.es_mappings import abstracts, articles, citances, citations, links, loads, sentences
from citespan.es_mappings.index_name import CITESPAN

REMEDY = "load again with `citespan index … --rebuild`"
SEARCH = ("search", "sugar", "--article", "sugar")
SEARCH_ALL = ("search", "sugar melts", "--ranker", "none")
READING = (
    SEARCH,
    SEARCH_ALL,
    ("articles",),
    ("show", "bread"),
    ("cited", "sugar"),
    ("check", "manuscript.md"),
    ("answers", "find", "Does walking lower blood pressure?"),
)
LOAD = ("index", "corpus", "--layout", "sentences")
LOAD_ABSTRACTS = ("index", "made.xml", "--format", "medline", "--no-zones")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, node: str) -> Iterator[Path]:
    """Inputs of all kinds, which are loaded and linked."""
    from citespan.deploy.client import connect

    folder = tmp_path_factory.mktemp("inputs")
    (folder / "made.xml").write_bytes(medline([citation(1, "Walking lowers blood pressure")]))
    (folder / "manuscript.md").write_text(
        "Yeast grows on sugar [1].\n\n# References\n\n1. Ito K. Sugar feeds yeast in the dark for "
        "days. J Yeast. 2001. doi:10.1000/sugar\n"
    )
    with connect() as es:
        empty_node(es)
        load_corpus(es, folder / "corpus")
        link(es)
        done = run(*LOAD_ABSTRACTS, cwd=folder)
        assert done.returncode == 0, done.stderr
        yield folder
        empty_node(es)


def set_version(es: Elasticsearch, index: str, version: int) -> None:
    es.indices.put_mapping(index=index, meta={"citespan_mapping": version})


def expect_refusal(folder: Path, command: tuple[str, ...], index: str) -> None:
    done = run(*command, cwd=folder)
    assert (done.returncode, done.stdout) == (2, ""), (command, done)
    [line] = done.stderr.splitlines()
    assert line.startswith(f"citespan: {index}"), line
    assert " is of mapping version " in line
    assert line.endswith(REMEDY)


@pytest.mark.parametrize(
    ("index", "version", "commands"),
    [
        (articles.INDEX, articles.VERSION, (*READING[:-1], LOAD, ("link",), ("delete", "stone"))),
        (citations.INDEX, citations.VERSION, (SEARCH, LOAD, ("link",))),
        (links.INDEX, links.VERSION, (("cited", "sugar"), ("link",), LOAD)),
        (citances.INDEX, citances.VERSION, (("cited", "sugar"),)),
        (CITESPAN.shared_index("sentences", 0), sentences.VERSION, (LOAD,)),
        (
            abstracts.INDEX,
            abstracts.VERSION,
            (*READING[-2:], ("articles",), SEARCH_ALL, ("answers", "zone", "1"), LOAD_ABSTRACTS),
        ),
        (loads.INDEX, loads.VERSION, (LOAD, LOAD_ABSTRACTS)),
    ],
)
def test_every_command_refuses_it(
    es: Elasticsearch, folder: Path, index: str, version: int, commands: tuple[tuple[str, ...], ...]
) -> None:
    set_version(es, index, version - 1)
    try:
        for command in commands:
            expect_refusal(folder, command, index)
        findings = json.loads(run("doctor", "--json").stdout)["findings"]
        [mappings] = [finding for finding in findings if finding["check"] == "mappings"]
        assert mappings["state"] == "failure"
        assert f"{index} (version {version - 1}, not {version})" in mappings["found"]
    finally:
        set_version(es, index, version)
    done = run(*commands[0], cwd=folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("article", ["sugar", "bread"])  # of each layout
def test_documents_of_one_article(es: Elasticsearch, folder: Path, article: str) -> None:
    found = es.get(index=articles.INDEX, id=article)["_source"]
    wrong = {"mapping_version": found["mapping_version"] - 1}
    update = {"index": articles.INDEX, "id": article, "refresh": True}
    es.update(**update, doc=wrong)
    try:
        expect_refusal(folder, ("search", "yeast", "--article", article), found["index"])
        expect_refusal(folder, ("show", article), found["index"])
    finally:
        es.update(**update, doc={"mapping_version": found["mapping_version"]})


def test_a_page_says_so(es: Elasticsearch, folder: Path) -> None:
    set_version(es, articles.INDEX, articles.VERSION - 1)
    try:
        with serving() as address:
            for path in ("", "api/articles", "article?article=sugar"):
                with pytest.raises(urllib.error.HTTPError) as refused:
                    urllib.request.urlopen(f"{address.rstrip('/')}/{path}")
                assert refused.value.code == 503
                assert "citespan index … --rebuild" in refused.value.read().decode()
    finally:
        set_version(es, articles.INDEX, articles.VERSION)


def test_an_index_of_a_later_version(es: Elasticsearch, folder: Path) -> None:
    set_version(es, articles.INDEX, articles.VERSION + 1)
    try:
        done = run("articles", cwd=folder)
        assert done.returncode == 2
        assert f"update citespan, or {REMEDY}" in done.stderr
    finally:
        set_version(es, articles.INDEX, articles.VERSION)


def test_abstracts_are_loaded_again_whatever_is_rebuilt_first(
    es: Elasticsearch, folder: Path
) -> None:
    set_version(es, abstracts.INDEX, abstracts.VERSION - 1)
    for command in (LOAD, LOAD_ABSTRACTS):
        done = run(*command, "--rebuild", cwd=folder)
        assert done.returncode == 0, done.stderr
    assert run("articles", cwd=folder).returncode == 0

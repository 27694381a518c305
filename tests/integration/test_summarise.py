"""Summaries of indexed articles, on a real node."""

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from lexical_ranker import LexicalRanker
from made_citing import link, load_corpus

import citespan as front_door
from citespan.es_mappings import links
from citespan.pipelines.errors import InputError

Citespan = Callable[..., subprocess.CompletedProcess[str]]
ABOUT = {
    "stop": "p53 stops the cell cycle after DNA damage [12]",
    "kinase": "ATM phosphorylates p53 on serine 15 [3]",
}


@pytest.fixture
def sample(es: Elasticsearch) -> None:
    front_door.index("pipelines/corpus/sample/jats", client=es, processes=0)


@pytest.mark.usefixtures("sample")
def test_a_summary_from_a_file_of_citances(
    es: Elasticsearch, citespan: Citespan, tmp_path: Path
) -> None:
    file = tmp_path / "citances.tsv"
    rows = [f"{name}\tP53-DNA-damage\t{text}" for name, text in ABOUT.items()]
    other = "else\ttgf-beta-smad\tSmad proteins carry the signal"
    file.write_text("\n".join(["id\tarticle\tcitance", *rows, other, "broken"]) + "\n")
    done = citespan("summarise", "p53-dna-damage", "--citances", str(file), "--words", "60",
                    "--json")  # fmt: skip
    assert done.returncode == 1  # one line can't be used
    assert done.stderr.splitlines() == [
        f"{file}:5: 1 fields, but 3 columns",
        "1 citance of other articles left out",
    ]
    found = json.loads(done.stdout)
    assert found == front_door.summarise("p53-dna-damage", ABOUT, words=60, client=es).to_json()
    assert found["citances"] == 2
    assert 30 < found["words"] <= 60
    shown = {sentence.number: sentence for sentence in front_door.show("p53-dna-damage", client=es)}
    for sentence in found["sentences"]:
        stored = shown[sentence["number"]]
        assert (sentence["start"], sentence["end"], sentence["section"]) == (
            stored.start, stored.end, stored.section,
        )  # fmt: skip
        assert sentence["citances"] or sentence["section"] == "Abstract"
    numbers = [sentence["number"] for sentence in found["sentences"]]
    assert numbers == sorted(numbers)
    options = ("--citances", str(file), "--words", "60", "--csv")
    rows = list(
        csv.DictReader(citespan("summarise", "p53-dna-damage", *options).stdout.splitlines())
    )
    assert [(row["article"], row["text"]) for row in rows] == [
        ("p53-dna-damage", sentence["text"]) for sentence in found["sentences"]
    ]
    assert all(0 < float(row["probability"]) <= 1 for row in rows)
    table = citespan("summarise", "p53-dna-damage", "--citances", str(file)).stdout
    assert "from 2 citances in 2 clusters" in table


def test_the_citations_that_are_linked_are_summarised(
    es: Elasticsearch, citespan: Citespan, tmp_path: Path
) -> None:
    es.indices.delete(index=links.INDEX, ignore_unavailable=True)
    front_door.delete(*[article.article for article in front_door.articles(client=es)], client=es)
    load_corpus(es, tmp_path)
    es.indices.refresh(index="citespan-*")
    before = citespan("summarise", "bread")
    assert before.returncode == 2
    assert before.stderr == (
        "citespan: there are no citances of article 'bread'; run `citespan link` once the articles "
        "that cite it are indexed\n"
    )
    link(es)
    es.indices.refresh(index="citespan-*")
    summary = front_door.summarise("bread", ranker=LexicalRanker.name, client=es)
    [sentence] = summary
    assert summary.text == sentence.text == "Bread rises slowly where rooms are cold."
    assert [name.partition("#")[0] for name in sentence.citances] == ["stone"]
    with pytest.raises(InputError, match="no cited sentence of 'sugar' has 5 to 250 words"):
        front_door.summarise("sugar", ranker=LexicalRanker.name, client=es)


@pytest.mark.usefixtures("sample")
def test_what_cannot_be_summarised_is_one_clear_line(es: Elasticsearch) -> None:
    with pytest.raises(InputError, match="there are no citances of article .*give some that name"):
        front_door.summarise("p53-dna-damage", [], client=es)
    with pytest.raises(InputError, match="`ranker=none` has no probabilities"):
        front_door.summarise("p53-dna-damage", ["p53"], ranker="none", client=es)
    with pytest.raises(InputError, match="none of 1 citance of 'p53-dna-damage' has evidence"):
        front_door.summarise("p53-dna-damage", ["the of and"], client=es)

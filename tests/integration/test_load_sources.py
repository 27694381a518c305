"""`citespan index` on what it can be given to read, and what it deletes and keeps."""

import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from socket import gethostname
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from loaded_state import loaded_state
from small_loads import line

from citespan.es_mappings import loads
from citespan.es_mappings.articles import INDEX as CATALOGUE

Citespan = Callable[..., subprocess.CompletedProcess[str]]

JATS = (
    "<article><front><article-meta><article-id pub-id-type='pmc'>{id}</article-id></article-meta>"
    "</front><body><sec><p>The kinase binds {id}. It lets go.</p></sec></body></article>"
)


def read_report(done: subprocess.CompletedProcess[str], status: int = 0) -> dict[str, Any]:
    assert done.returncode == status, done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


def archive(file: Path, members: dict[str, str]) -> Path:
    with tarfile.open(file, "w:gz") as tar:
        for name, text in members.items():
            header = tarfile.TarInfo(name)
            header.size = len(text.encode())
            tar.addfile(header, io.BytesIO(text.encode()))
    return file


SENTENCES = ("--layout", "sentences", "--json")


def test_an_archive_as_pmc_publishes_it(
    citespan: Citespan, es: Elasticsearch, tmp_path: Path
) -> None:
    members = {f"PMC1/PMC{n}.xml": JATS.format(id=n) for n in range(880_000, 880_005)}
    members["PMC1/PMC7.xml"] = "<article><broken"
    members["PMC1/notes.bin"] = "\0\1\2"
    file = archive(tmp_path / "pmc.tar.gz", members)
    kept = tmp_path / "kept"
    found = read_report(citespan("index", str(file), *SENTENCES, "--quarantine", str(kept)), 1)
    assert (found["inputs"], found["indexed"]) == (7, 5)
    assert [rejection["path"] for rejection in found["quarantined"]] == [f"{file}!PMC1/PMC7.xml"]
    assert [rejection["path"] for rejection in found["skipped"]] == [f"{file}!PMC1/notes.bin"]
    assert sum(found["skipped_by_reason"].values()) == 1
    query = {"term": {"article": "PMC880003"}}
    es.indices.refresh(index=CATALOGUE)
    [entry] = es.search(index=CATALOGUE, query=query)["hits"]["hits"]
    [source] = entry["_source"]["source"]
    assert len(source.pop("digest")) == 32
    assert [source] == [
        {"corpus": gethostname(), "unit": str(file), "path": f"{file}!PMC1/PMC880003.xml"}
    ]
    [row] = [json.loads(line) for line in (kept / "quarantined.jsonl").read_text().splitlines()]
    assert (kept / row["file"]).read_text() == "<article><broken"
    again = read_report(citespan("index", str(tmp_path), "--format", "jats", *SENTENCES), 1)
    assert (again["unchanged"], again["indexed"]) == (5, 0)


def test_a_list_from_standard_input_and_a_pattern(tmp_path: Path, citespan: Citespan) -> None:
    for number in range(4):
        (tmp_path / f"{number}.jsonl").write_text(line(f"listed-{number}", 2))
    command = [sys.executable, "-m", "citespan.cli.main", "index", "--from-file", "-"]
    written = f"{tmp_path}/1.jsonl\n{tmp_path}/nowhere.jsonl\n{tmp_path}/2.jsonl\n"
    done = subprocess.run(
        [*command, *SENTENCES], input=written, capture_output=True, text=True, check=False
    )
    found = read_report(done, 1)
    assert (found["inputs"], found["indexed"]) == (3, 2)
    assert found["quarantined"][0]["reason"] == "no such file or folder"
    pattern = read_report(citespan("index", f"{tmp_path}/[0-3].jsonl", *SENTENCES))
    assert (pattern["indexed"], pattern["unchanged"]) == (2, 2)


def test_shards_load_all_between_them(
    citespan: Citespan, es: Elasticsearch, tmp_path: Path
) -> None:
    for number in range(12):
        (tmp_path / f"{number}.jsonl").write_text(line(f"sharded-{number}", 2))
    parts = [
        read_report(citespan("index", str(tmp_path), *SENTENCES, "--shard", f"{n}/3"))["indexed"]
        for n in (1, 2, 3)
    ]
    assert sum(parts) == 12
    assert max(parts) < 12
    assert len(loaded_state(es, "sharded-")["entries"]) == 12


@pytest.mark.parametrize("layout", ["sentences", "spans"])
def test_articles_whose_input_is_gone_are_deleted(
    citespan: Citespan, es: Elasticsearch, tmp_path: Path, layout: str
) -> None:
    prefix = f"gone{layout}"
    elsewhere = tmp_path / "elsewhere"
    folder = tmp_path / "folder"
    for place in (elsewhere, folder):
        place.mkdir()
    (elsewhere / "z.jsonl").write_text(line(f"{prefix}-z", 2))
    for name in "abcd":
        (folder / f"{name}.jsonl").write_text(line(f"{prefix}-{name}", 2))
    arguments = ("--layout", layout, "--format", "jsonl", "--json")
    assert read_report(citespan("index", str(tmp_path), *arguments))["indexed"] == 5
    (folder / "a.jsonl").unlink()
    (folder / "b.jsonl").write_text("broken now")
    (folder / "c.jsonl").write_text(line(f"{prefix}-e", 2))
    assert read_report(citespan("index", str(folder), *arguments), 1)["deleted"] == 0
    found = read_report(citespan("index", str(folder), *arguments, "--delete-missing", "--yes"), 1)
    # a and c; not b, which is quarantined, nor z, which is not below the folder
    assert (found["deleted"], found["inputs"]) == (2, 3)
    state = loaded_state(es, f"{prefix}-")
    assert set(state["entries"]) == {"b", "d", "e", "z"}
    assert {name.split()[0] for name in state[layout]} == {"b", "d", "e", "z"}


@pytest.mark.parametrize(
    "arguments",
    [("--shard", "1/2"), ("--from-file", "{folder}/list"), ("{folder}/*.jsonl",), ("-",)],
)
def test_nothing_is_deleted_after_a_load_of_a_part(
    citespan: Citespan, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "a.jsonl").write_text(line("part-a", 2))
    (tmp_path / "list").write_text("")
    filled = [argument.replace("{folder}", str(tmp_path)) for argument in arguments]
    done = citespan("index", str(tmp_path), *filled, "--format", "jsonl", "--delete-missing")
    assert done.returncode == 2
    assert "--delete-missing needs a load of whole folders or files" in done.stderr


def test_each_load_is_remembered(citespan: Citespan, es: Elasticsearch, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(line("remembered-a", 3) + "\nbroken")
    assert citespan("index", str(tmp_path), *SENTENCES).returncode == 1
    es.indices.refresh(index=loads.INDEX)
    query = {"term": {"paths": str(tmp_path)}}
    [hit] = es.search(index=loads.INDEX, query=query)["hits"]["hits"]
    load = hit["_source"]
    assert (load["inputs"], load["indexed"], load["quarantined"], load["sentences"]) == (2, 1, 1, 3)
    assert load["options"]["layout"] == "sentences"
    [reason] = load["reasons"]
    assert (reason["outcome"], reason["inputs"]) == ("quarantined", 1)
    assert hit["_id"] == load["load"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing to load: name files or folders, or --from-file"),
        (("{folder}", "--shard", "two"), "--shard two: write it as 2/3"),
        (("{folder}", "--shard", "4/3"), "shard 4/3 is not possible"),
        (("--from-file", "{folder}/nowhere"), "it should have a path a line"),
        (("{folder}/*.pdf",), "nothing matches this pattern"),
        (("{folder}", "--checkpoint", "{folder}/a.jsonl"), "not a checkpoint, or damaged"),
        (("{folder}", "--checkpoint", "/proc/nowhere/x"), "can't be kept there"),
    ],
)
def test_what_cannot_be_loaded_is_one_clear_line(
    citespan: Citespan, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "a.jsonl").write_text(line("clear-a", 2))
    done = citespan(
        "index", *(argument.replace("{folder}", str(tmp_path)) for argument in arguments)
    )
    assert done.returncode == 2
    assert done.stdout == ""
    [told] = done.stderr.splitlines()
    assert said in told
    assert (tmp_path / "a.jsonl").exists()


def test_a_server_that_goes_away_is_one_line(citespan: Citespan, tmp_path: Path) -> None:
    from fault_proxy import Fault, proxy

    (tmp_path / "a.jsonl").write_text(line("away-a", 2))

    def after_ten(number: int) -> Fault:
        return Fault.NONE if number < 10 else Fault.RESET_BEFORE

    with proxy(os.environ["CITESPAN_ES_URL"], after_ten) as url:
        env = os.environ | {"CITESPAN_ES_URL": url, "CITESPAN_HOME": str(tmp_path / "home")}
        done = citespan("index", str(tmp_path), *SENTENCES, "--patience", "1", env=env)
    assert done.returncode == 3
    [told] = done.stderr.splitlines()
    assert "Elasticsearch accepted no request for" in told
    assert "repeat the command: it resumes where it stopped" in told
    done = citespan("index", str(tmp_path), "--format", "jsonl", *SENTENCES)
    assert read_report(done)["indexed"] == 1


def test_an_article_of_forty_thousand_sentences(
    citespan: Citespan, es: Elasticsearch, tmp_path: Path
) -> None:
    sentences = [
        f"The kinase number {n} binds the receptor of cell {n % 97} and TGF-β."
        for n in range(40_000)
    ]
    record = {
        "id": "gigantic",
        "paragraphs": [" ".join(sentences[at : at + 500]) for at in range(0, 40_000, 500)],
    }
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    found = read_report(citespan("index", str(tmp_path), *SENTENCES))
    assert (found["indexed"], found["sentences"]) == (1, 40_000)
    entry = es.get(index=CATALOGUE, id="gigantic")["_source"]
    assert len(entry["lengths"]) == 40_000
    assert read_report(citespan("index", str(tmp_path), *SENTENCES))["unchanged"] == 1

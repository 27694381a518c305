"""`citespan fetch` and `check --fetch` by the real command line, from made services."""

import json
import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import command_line
from made_services import EXPECTED, doi, pmcid, pmid, scheduled, serve, title

Citespan = Callable[..., subprocess.CompletedProcess[str]]
_FAULTS = ("busy", "busy with a time", "unavailable", "page", "truncated", "cut off", "empty")
_KILLS = 5
_OUTCOMES = {"full text": 20, "abstract": 12, "not open": 4, "unknown": 4, "failed": 0}


def list_wanted(folder: Path, number: int) -> Path:
    """Write a file of identifiers of all three kinds."""
    named = (
        (pmid(n), doi(n), pmcid(n))[n % 3] if EXPECTED[n % 10] == "full text" else pmid(n)
        for n in range(number)
    )
    wanted = folder / "wanted.txt"
    wanted.write_text("\n".join(named))
    return wanted


def test_a_fetch_that_is_killed_five_times_loses_nothing_and_keeps_the_limits(
    citespan: Citespan, tmp_path: Path
) -> None:
    wanted, folder = list_wanted(tmp_path, 40), tmp_path / "fetched"
    moments = random.Random(7)
    # a request in twenty fails; one in a hundred stalls for longer than it may
    faults = (*_FAULTS * 2, *["reset"] * 2, *["stall"] * 4)
    with serve(scheduled(5, 0.05, faults)) as services:
        command = ("fetch", wanted, "--folder", folder, "--seconds", "2", "--json")
        kills = 0
        for _ in range(_KILLS):
            process = command_line.start(*command, **services.environment)
            enough = len(services.log.requests) + moments.randrange(2, 9)
            while process.poll() is None and len(services.log.requests) < enough:
                time.sleep(0.02)
            kills += process.poll() is None
            command_line.kill(process)
            process.communicate()
        done = command_line.run(*command, "--index", **services.environment)
    assert kills == _KILLS
    report = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert {name: report[name.replace(" ", "_")] for name in _OUTCOMES} == _OUTCOMES
    assert report["wanted"] == sum(_OUTCOMES.values()) == len(report["results"])
    assert services.log.most_in_a_second("eutils", "idconv") <= 3
    assert services.log.most_in_a_second("europepmc") <= 5
    asked = Counter(
        address for address in services.log.targets("europepmc", True) if "fullText" in address
    )
    assert len(asked) == _OUTCOMES["full text"]
    # what is asked for twice was being answered when the command was killed
    assert sum(asked.values()) <= _OUTCOMES["full text"] + _KILLS
    assert len(list((folder / "articles").iterdir())) == _OUTCOMES["full text"]
    assert len(list((folder / "abstracts").iterdir())) == 36
    assert (report["index"]["indexed"], len(report["index"]["skipped"])) == (52, 4)

    checked = citespan("check", str(write_manuscript(tmp_path, 0, 1, 5, 9)), "--json")
    statuses = [citation["status"] for citation in json.loads(checked.stdout)["citations"]]
    assert {"not indexed", "unresolved"}.isdisjoint(statuses[:2])
    assert statuses[3] == "not indexed"


def write_manuscript(folder: Path, *numbers: int) -> Path:
    """A manuscript that cites made articles."""
    entries = (
        f"@article{{n{n}, author={{Ito, Kim}}, title={{{title(n)}}}, year=2011, doi={{{doi(n)}}}}}"
        for n in numbers
    )
    (folder / "made.bib").write_text("\n".join(entries))
    lines = (f"Yeast number {n} grew faster on sugar than on salt [@n{n}]." for n in numbers)
    text = "\n\n".join(lines)
    manuscript = folder / "made.md"
    manuscript.write_text(f"---\nbibliography: made.bib\n---\n\n{text}\n")
    return manuscript


def test_what_a_manuscript_cites_is_fetched_loaded_and_checked(
    citespan: Citespan, tmp_path: Path
) -> None:
    manuscript, folder = write_manuscript(tmp_path, 50, 55, 57, 59), tmp_path / "fetched"
    with serve() as services:
        environment = {**os.environ, **services.environment}
        options = ("--fetch", "--folder", str(folder), "--json")
        done = citespan("check", str(manuscript), *options, env=environment)
    assert done.returncode == 0, done.stderr
    said = "1 full text, 1 abstract, 1 not open, 1 unknown, 0 failed, 0 unusable, of 4 missing"
    assert said in done.stderr
    found = json.loads(done.stdout)
    statuses = [citation["status"] for citation in found["citations"]]
    assert {"not indexed", "unresolved"}.isdisjoint(statuses[:1])
    assert found["citations"][0]["article"] == pmcid(50)
    assert statuses[2:] == ["not indexed", "not indexed"]
    assert found["fetched"]["wanted"] == 4


def test_what_a_manuscript_cites_is_fetched_into_a_folder_and_checked_without_a_server(
    tmp_path: Path,
) -> None:
    manuscript, folder = write_manuscript(tmp_path, 0, 1, 5, 9), tmp_path / "new" / "articles"
    with serve() as services:
        environment = {
            **services.environment,
            "CITESPAN_ES_URL": "",
            "CITESPAN_HOME": str(tmp_path),
        }
        command = ("check", manuscript, "--json", "--articles", folder)
        done = command_line.run(*command, "--fetch", **environment)
        again = command_line.run(*command, **environment)
    found = json.loads(done.stdout)
    assert found["fetched"]["wanted"] == 4
    statuses = [citation["status"] for citation in found["citations"]]
    assert {"not indexed", "unresolved"}.isdisjoint(statuses[:2])
    assert json.loads(again.stdout)["citations"] == found["citations"]
    assert folder.with_name("articles.citespan").exists()


def test_the_files_of_a_library_are_loaded(citespan: Citespan, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("Made ovens\n\nDough rises in warm ovens.")
    items = [
        {"id": "one", "title": "Made ovens", "DOI": "10.1000/library.1", "file": "one.txt"},
        {"id": "same", "title": "Made ovens", "DOI": "10.1000/library.1", "file": "one.txt"},
        {"id": "gone", "title": "Gone", "file": "gone.pdf"},
        {"id": "bare", "title": "Bare"},
    ]
    library = tmp_path / "library.json"
    library.write_text(json.dumps([{"type": "article-journal", **item} for item in items]))
    done = citespan("index", str(library), "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert (report["inputs"], report["indexed"]) == (4, 1)
    assert sorted(rejection["reason"] for rejection in report["skipped"]) == [
        "no file is attached",
        "the same DOI 10.1000/library.1 as entry 'one'",
    ]
    assert [rejection["reason"] for rejection in report["quarantined"]] == [
        f"its file is missing: {tmp_path / 'gone.pdf'}"
    ]
    assert json.loads(citespan("articles", "10.1000/library.1", "--json").stdout)["count"] == 1

"""`citespan vocabulary`, as a user runs it."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from places import TEST_DATA
from real_node import run_citespan

from citespan.cli.main import main

Fails = Callable[..., str]

FIXTURES = TEST_DATA / "vocabulary"
KINDS = {"umls": FIXTURES / "umls", "obo": FIXTURES / "obo/heat.obo",
         "mesh": FIXTURES / "mesh/desc2026.xml"}  # fmt: skip


def built(kind: str, path: Path, to: Path, *more: str, status: int = 0) -> tuple[Any, str]:
    """The JSON and stderr of a build."""
    done = run_citespan("vocabulary", "build", kind, str(path), "--out", str(to), "--json", *more)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What building each fixture printed."""
    folder = tmp_path_factory.mktemp("vocabularies")
    return {kind: built(kind, path, folder / kind)[0] for kind, path in KINDS.items()}


@pytest.fixture(scope="module")
def stores(counts: dict[str, Any]) -> Path:
    """The folder of the stores built, named by kind."""
    return Path(counts["umls"]["out"]).parent


@pytest.fixture
def meta(tmp_path: Path) -> Path:
    """A copy of the UMLS fixture."""
    return Path(shutil.copytree(KINDS["umls"], tmp_path / "META"))


@pytest.fixture
def fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Fails:
    """The one line that a command with exit status 2 complains in; in this process, because a
    new one for each takes a second to start."""
    monkeypatch.delenv("CITESPAN_VOCABULARY", raising=False)

    def run(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["citespan", "vocabulary", *arguments])
        with pytest.raises(SystemExit) as status:
            main()
        said = capsys.readouterr()
        assert status.value.code == 2, said.err
        assert said.out == ""
        (line,) = said.err.splitlines()
        return line

    return run


@pytest.mark.parametrize(
    ("kind", "terms", "concepts", "rows"),
    [("umls", 9, 4, 13), ("obo", 7, 3, 13), ("mesh", 5, 3, 6)],
)
def test_counts_of_a_build_add_up(
    kind: str, terms: int, concepts: int, rows: int, counts: dict[str, Any]
) -> None:
    told = counts[kind]
    assert (told["terms"], told["concepts"], told["rows"]) == (terms, concepts, rows)
    assert told["rows"] == told["terms"] + sum(told["skipped"].values())
    assert sum(told["sources"].values()) == terms
    assert told["quarantined"] == 0


def test_building_again_replaces_the_store(tmp_path: Path) -> None:
    store = tmp_path / "store"
    built("obo", KINDS["obo"], store)
    built("umls", KINDS["umls"], store, "--version", "7")
    info = json.loads(
        run_citespan("vocabulary", "info", "--vocabulary", str(store), "--verify", "--json").stdout
    )
    assert (info["version"], info["concepts"], info["verified"]) == ("7", 4, True)
    assert info["semantic_types"]["T123"] == 1
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_sources_and_types_at_build_time(tmp_path: Path) -> None:
    counts, told = built(
        "umls", KINDS["umls"], tmp_path / "store", "--sources", "MSH,NCI", "--types", "T047"
    )
    assert counts["concepts"] == 1
    assert counts["sources"] == {"MSH": 1}
    assert counts["unseen"] == ["NCI"]
    assert "no term of 'NCI'" in told


def test_broken_rows_are_told_counted_and_the_rest_is_built(meta: Path, tmp_path: Path) -> None:
    with (meta / "MRCONSO.RRF").open("ab") as end:
        end.write(b"C9100001|ENG|too|short\n")
        end.write(b"C9100002|ENG|S|L9|PF|S9|Y|A9||||MSH|ET|D9|caf\xe9|0|N||\n")
        end.write(b"C9100002|ENG|S|L9|PF|S9|Y|A9||||MSH|ET|D9|" + b"obese " * 500 + b"|0|N||\n")
    counts, told = built("umls", meta, tmp_path / "store", status=1)
    assert counts["terms"] == 9
    assert counts["quarantined"] == 2
    assert counts["rows"] == 16 == 9 + 2 + sum(counts["skipped"].values())
    assert any("words" in reason for reason in counts["skipped"])
    assert f"{meta / 'MRCONSO.RRF'}:14: 4 columns in place of 18" in told
    assert f"{meta / 'MRCONSO.RRF'}:15: not UTF-8" in told


def test_build_as_a_table(tmp_path: Path) -> None:
    done = run_citespan(
        "vocabulary", "build", "obo", str(KINDS["obo"]), "--out", str(tmp_path / "store")
    )
    assert done.returncode == 0
    assert "left out: obsolete" in done.stdout
    assert "version releases/2026-05-01" in done.stdout


def test_match_shows_concepts_in_place(stores: Path) -> None:
    text = "Brown fats grow; UCP1 in obesity."
    done = run_citespan(
        "vocabulary", "match", text, "--vocabulary", str(stores / "umls"), "--json",
        "--sources", "SNOMEDCT_US,HGNC",
    )  # fmt: skip
    found = json.loads(done.stdout)["matches"]
    assert [(m["text"], m["cui"], m["preferred"]) for m in found] == [
        ("Brown fats", "C9100001", "Brown adipose tissue"),
        ("UCP1", "C9100004", "Uncoupling protein 1"),
        ("obesity", "C9100002", "Obesity"),
    ]
    for match in found:
        assert text[match["start"] : match["end"]] == match["text"]
        assert match["source"] == "SNOMEDCT_US"
    shown = run_citespan("vocabulary", "match", text, "--vocabulary", str(stores / "umls"))
    assert "Uncoupling protein 1" not in shown.stdout
    assert text in shown.stdout
    assert "T047" in shown.stdout


def test_match_with_types_and_the_abbreviations_of_an_article(stores: Path, tmp_path: Path) -> None:
    article = tmp_path / "article.txt"
    article.write_text("Heat comes from uncoupling protein 1 (UP1) of brown fat.\n")
    done = run_citespan(
        "vocabulary", "match", "UP1 warms brown fat", "--vocabulary", str(stores / "umls"),
        "--article", str(article), "--types", "T116", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["abbreviations"] == {"UP1": "uncoupling protein 1"}
    assert [(m["text"], m["cui"]) for m in result["matches"]] == [("UP1", "C9100004")]


def test_evaluate(stores: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Shivering of adipocytes, fat cells and muscles.")
    table = tmp_path / "mentions.tsv"
    table.write_text(
        "name\tstart\tend\tcode\ttext\n"
        "a\t0\t9\tHEAT:0000001\tShivering\n"
        "a\t13\t23\tHEAT:0000002\tadipocytes\n"
        "a\t39\t46\tHEAT:9\tmuscles\n"
    )
    arguments = ("vocabulary", "evaluate", str(table), "--texts", str(tmp_path), "--vocabulary",
                 str(stores / "obo"), "--json")  # fmt: skip
    done = run_citespan(*arguments)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    spans, concepts = result["spans"], result["concepts"]
    assert (spans["right"], spans["wrong"], spans["missed"]) == (2, 1, 1)
    assert (concepts["right"], concepts["wrong"], concepts["missed"]) == (1, 2, 2)
    assert spans["f1"] == pytest.approx(2 / 3)
    table.write_text(table.read_text() + "a\t0\t8\tHEAT:1\tShivering\n")
    done = run_citespan(*arguments)
    assert done.returncode == 1
    assert "mentions.tsv:5: offsets are not those of the text" in done.stderr


def test_evaluate_says_that_codes_of_another_kind_cannot_agree(
    stores: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("Shivering of adipocytes.")
    table = tmp_path / "mentions.tsv"
    table.write_text("name\tstart\tend\tcode\na\t0\t9\tD012768\n")
    done = run_citespan("vocabulary", "evaluate", str(table), "--texts", str(tmp_path),
                        "--vocabulary", str(stores / "obo"), "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "no code ('D012768') is an identifier of the vocabulary ('HEAT:" in done.stderr
    assert "--codes" in done.stderr
    assert json.loads(done.stdout)["spans"]["right"] == 1


def test_bad_input_to_build_is_one_line(meta: Path, tmp_path: Path, fails: Fails) -> None:
    out = str(tmp_path / "store")
    build = ("build", "umls")
    assert "no such file or folder" in fails(*build, str(tmp_path / "none"), "--out", out)
    assert "unknown kind of vocabulary 'owl'" in fails("build", "owl", str(meta), "--out", out)
    assert "did you mean" in fails(*build, str(tmp_path), "--out", out)
    assert "none of 13 rows is left" in fails(*build, str(meta), "--out", out, "--sources", "X")
    assert "not an OBO file" in fails("build", "obo", str(KINDS["mesh"]), "--out", out)
    (meta / "MRFILES.RRF").write_text("MRCONSO.RRF|Concepts|CUI|18|13|5|\n")
    assert "take all files from one release" in fails(*build, str(meta), "--out", out)
    (meta / "MRFILES.RRF").unlink()
    (meta / "MRSTY.RRF").unlink()
    assert "there is no MRSTY" in fails(*build, str(meta), "--out", out, "--types", "T047")
    (meta / "MRCONSO.RRF").write_bytes(b"")
    assert "no vocabulary to build" in fails(*build, str(meta), "--out", out)
    (meta / "MRCONSO.RRF").unlink()
    assert "no MRCONSO.RRF" in fails(*build, str(meta), "--out", out)
    assert not Path(out).exists()


def test_bad_stores_are_one_line(stores: Path, tmp_path: Path, fails: Fails) -> None:
    def match(store: Path, *more: str) -> str:
        return fails("match", "obesity", "--vocabulary", str(store), *more)

    assert "name one by --vocabulary" in fails("match", "obesity")
    assert "there is no vocabulary" in match(tmp_path / "none")
    assert "unknown source of the vocabulary 'NCI'" in match(stores / "umls", "--sources", "NCI")
    assert "unknown semantic type 'T999'" in match(stores / "umls", "--types", "T999")
    other = Path(shutil.copytree(stores / "umls", tmp_path / "other"))
    header = other / "vocabulary.json"
    header.write_text(header.read_text().replace('"store_version": ', '"store_version": 9'))
    assert "build it again" in match(other)
    broken = Path(shutil.copytree(stores / "umls", tmp_path / "broken"))
    trie = next(broken.glob("*.marisa"))
    data = bytearray(trie.read_bytes())
    data[len(data) // 2] ^= 1
    trie.write_bytes(data)
    said = fails("info", "--vocabulary", str(broken), "--verify")
    assert trie.name in said
    assert "checksum" in said
    cut = Path(shutil.copytree(broken, tmp_path / "cut"))
    (cut / trie.name).write_bytes(data[:-8])
    assert f"{len(data) - 8} bytes in place of {len(data)}" in match(cut)

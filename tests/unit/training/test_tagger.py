"""Training is repeatable; what is trained can be loaded and measured; the shipped pipeline."""

import json
from pathlib import Path

import pytest
import spacy
from places import SHARED_DATA
from typer.testing import CliRunner

from citespan.cli.text_models import tagger as app
from citespan.pipelines.errors import InputError
from citespan.pipelines.text.spacy_pipelines import SHIPPED, SHIPPED_FOLDER, load_pipeline
from citespan.pipelines.training.gold_parses import find_conllu
from citespan.pipelines.training.tagger import (
    load_shipped_configuration,
    read_configuration,
    train_tagger,
)
from citespan.pipelines.training.tagger_figures import evaluate_tagger

CRAFT = SHARED_DATA / "craft" / "dev" / "conllu"

WORDS = {
    "The": ("DET", "DT"),
    "old": ("ADJ", "JJ"),
    "mice": ("NOUN", "NNS"),
    "cells": ("NOUN", "NNS"),
    "ate": ("VERB", "VBD"),
    "lost": ("VERB", "VBD"),
    "corn": ("NOUN", "NN"),
    "weight": ("NOUN", "NN"),
}


def sentence(subject: str, verb: str, thing: str) -> str:
    """A tree for "The old SUBJECT VERB THING."."""
    rows = [
        ("The", 3, "det"),
        ("old", 3, "amod"),
        (subject, 4, "nsubj"),
        (verb, 0, "root"),
        (thing, 4, "dobj"),
    ]
    lines = [
        f"{number}\t{word}\t_\t{WORDS[word][0]}\t{WORDS[word][1]}\t_\t{head}\t{label}\t_\t"
        + ("SpaceAfter=No" if number == len(rows) else "_")
        for number, (word, head, label) in enumerate(rows, start=1)
    ]
    return "\n".join([*lines, "6\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_"]) + "\n\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conllu")
    text = "".join(
        "# newpar\n" + sentence(subject, verb, thing) + sentence(subject, "ate", "corn")
        for subject in ("mice", "cells")
        for verb in ("ate", "lost")
        for thing in ("corn", "weight")
    )
    for name in ("a", "b", "c"):
        (folder / f"{name}.conllu").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def configuration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped configuration made small."""
    config = load_shipped_configuration()
    tok2vec = config["components"]["tok2vec"]["model"]
    tok2vec["embed"]["rows"] = [100, 100, 100, 100]
    tok2vec["encode"].update(width=16, depth=1)
    config["components"]["parser"]["min_action_freq"] = 1
    config["training"].update(max_steps=40, eval_frequency=20)
    config["training"]["optimizer"]["learn_rate"].update(warmup_steps=2, initial_rate=0.02)
    config["training"]["batcher"]["size"] = 50
    file = tmp_path_factory.mktemp("config") / "small.cfg"
    config.to_disk(file)
    return file


@pytest.fixture(scope="module")
def trained(
    files: Path, configuration: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, object]]:
    """A folder with a small pipeline, and what the command said of it."""
    to = tmp_path_factory.mktemp("trained") / "one"
    arguments = ["--out", str(to), "--config", str(configuration), "--held-out", "1", "--json"]
    result = CliRunner().invoke(app, ["train", str(files), *arguments])
    assert result.exit_code == 0, result.output
    return to, json.loads(result.stdout)


def test_the_command_trains(trained: tuple[Path, dict[str, object]]) -> None:
    folder, report = trained
    assert (report["files"], report["held_out"]) == (2, ["c.conllu"])
    assert report["held_out_tags"] == 1
    assert report["held_out_las"] == 1
    doc = spacy.load(folder)("The old cells lost weight. The old mice ate corn.")
    assert [chunk.text for chunk in doc.noun_chunks] == [
        "The old cells",
        "weight",
        "The old mice",
        "corn",
    ]
    assert [token.pos_ for token in doc][:6] == ["DET", "ADJ", "NOUN", "VERB", "NOUN", "PUNCT"]


def test_no_path_and_no_training_text_is_saved(
    trained: tuple[Path, dict[str, object]], files: Path
) -> None:
    folder, _ = trained
    for file in folder.rglob("*"):
        if file.is_file():
            assert str(files).encode() not in file.read_bytes(), file.name
            assert b"corn" not in file.read_bytes(), file.name


def test_the_same_files_give_the_same_weights(
    trained: tuple[Path, dict[str, object]], files: Path, configuration: Path, tmp_path: Path
) -> None:
    folder, _ = trained
    *training, held_out = find_conllu([files])
    config = read_configuration(configuration)
    train_tagger(training, [held_out], config, tmp_path / "again")
    for name in ("tok2vec/model", "tagger/model", "parser/model", "tokenizer"):
        assert (folder / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name


def test_scores_from_raw_text_and_gold_tokens(
    trained: tuple[Path, dict[str, object]], tmp_path: Path
) -> None:
    folder, _ = trained
    file = tmp_path / "gold.conllu"
    rows = sentence("mice", "ate", "corn")
    file.write_text(rows, encoding="utf-8")
    right = evaluate_tagger(load_pipeline(str(folder)), [file])
    assert (right.files, right.paragraphs, right.words) == (1, 1, 6)
    assert right.raw_text == right.gold_tokens
    assert (right.raw_text.tags, right.raw_text.las, right.raw_text.noun_phrases) == (1, 1, 1)
    assert right.bytes == sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())

    joined = rows.replace("5\tcorn\t_\tNOUN", "5\tmaize-corn\t_\tNOUN").replace("old", "new")
    file.write_text(joined.replace("\tJJ\t", "\tNN\t"), encoding="utf-8")
    wrong = evaluate_tagger(load_pipeline(str(folder)), [file])
    assert wrong.gold_tokens.tokens == 1
    assert wrong.gold_tokens.tags == pytest.approx(5 / 6)
    assert wrong.raw_text.tokens < 1
    assert wrong.raw_text.las < wrong.gold_tokens.las


def test_what_cannot_be_used_is_said(files: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no spaCy pipeline of that name"):
        load_pipeline("en_core_no_such")
    (tmp_path / "meta.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError):
        load_pipeline(str(tmp_path))
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match="no tagger and no parser"):
        evaluate_tagger(load_pipeline(str(tmp_path / "blank")), find_conllu([files]))
    broken = tmp_path / "broken.cfg"
    broken.write_text("[nlp\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"broken\.cfg"):
        read_configuration(broken)
    with pytest.raises(InputError, match="can't be read"):
        read_configuration(tmp_path / "gone.cfg")
    for arguments, complaint in (
        (["--held-out", "3"], "none are left to train on"),
        (["--held-out", "1", "--out", str(tmp_path)], "is there already"),
    ):
        result = CliRunner().invoke(
            app, ["train", str(files), "--out", str(tmp_path / "new"), *arguments]
        )
        assert complaint in str(result.exception)


def test_the_shipped_pipeline(recwarn: pytest.WarningsRecorder) -> None:
    nlp = load_pipeline(SHIPPED)
    assert not recwarn.list
    assert nlp.pipe_names == ["tok2vec", "tagger", "attribute_ruler", "parser"]
    assert not any(nlp.config["paths"].values())
    size = sum(file.stat().st_size for file in SHIPPED_FOLDER.rglob("*") if file.is_file())
    assert size <= 12_000_000


@pytest.mark.skipif(not CRAFT.is_dir(), reason="../shared/data is not here")
def test_the_shipped_pipeline_on_craft(tmp_path: Path) -> None:
    for file in sorted(CRAFT.iterdir())[:2]:
        (tmp_path / file.name).symlink_to(file)
    result = CliRunner().invoke(app, ["evaluate", str(tmp_path), "--json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert (report["files"], report["pipeline"]) == (2, "citespan")
    for name in ("raw_text", "gold_tokens", "gold_sentences"):
        assert report[name]["tags"] >= 0.96
        assert report[name]["las"] >= 0.85
        assert report[name]["noun_phrases"] >= 0.90

"""Train a zone model, measure it, and write its folder with a card in Markdown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from citespan.pipelines.answers.abstract_files import GatheredAbstracts
from citespan.pipelines.answers.zones import model as zone_model
from citespan.pipelines.answers.zones.configuration import Configuration
from citespan.pipelines.answers.zones.model import count_sentences, make_examples, train
from citespan.pipelines.counts import format_count
from citespan.pipelines.training.zone_figures import (
    FOLDS,
    analyse_split_and_joined,
    cross_validate,
)


def train_and_write(
    gathered: GatheredAbstracts,
    configuration: Configuration,
    to: Path,
    paths: Sequence[str],
    about: str = "",
    measure: bool = True,
    advance: Callable[[int], None] = lambda _: None,
) -> dict[str, Any]:
    """Train on the abstracts with labels and write the model's folder.

    Args:
        paths: the files that were read, for the card.
        about: a description of the data, for the card.
        measure: whether to cross-validate for the card, which takes about as long as the training
            for each fold.
        advance: called with 1 after each training.

    Returns:
        What the card contains: counts of abstracts and sentences used and left out, and the
        figures of the cross-validation.

    Raises:
        InputError: if there is nothing to train on or the folder can't be written.
    """
    data = list(make_examples(gathered.abstracts, configuration))
    crf = train(data, configuration)
    advance(1)
    sentences = count_sentences(data)
    outcomes = [reading.outcome for reading in gathered.rejected]
    left_out = {kind: sentences.pop(kind, 0) for kind in ("mixed", "unmapped")}
    made: dict[str, Any] = {
        "out": str(to),
        "configuration": configuration.name,
        "abstracts": len(data),
        "without_labels": len(gathered.abstracts) - len(data),
        "replaced": gathered.replaced,
        "deleted": gathered.deleted,
        "skipped": outcomes.count("skipped"),
        "quarantined": outcomes.count("quarantined"),
        "sentences": sum(sentences.values()),
        "zones": dict(sorted(sentences.items())),
        "left_out": left_out,
        "bytes": len(crf),
    }
    if measure and len(data) >= FOLDS:
        whole = analyse_split_and_joined(gathered.abstracts, configuration)
        made["figures"] = asdict(cross_validate(whole, configuration, FOLDS, advance))
    zone_model.write_model(to, crf, configuration, format_card(made, configuration, paths, about))
    return made


def format_card(
    made: Mapping[str, Any], configuration: Configuration, paths: Sequence[str], about: str
) -> str:
    """Format what `train_and_write` has counted and measured."""
    settings = configuration.to_json()
    for told in ("name", "description", "features"):
        del settings[told]
    zones = ", ".join(f"{zone} {count:,}" for zone, count in made["zones"].items())
    left_out = ", ".join(
        f"{count:,} in {kind} sections" for kind, count in made["left_out"].items()
    )
    records = ", ".join(
        f"{made[key]:,} {said}"
        for key, said in (
            ("without_labels", "without a section that stands for a zone"),
            ("replaced", "replaced by a later record"),
            ("deleted", "deleted"),
            ("skipped", "skipped"),
            ("quarantined", "that could not be read"),
        )
    )
    rows = [
        ("Task", "the zone of each sentence of an abstract: " + ", ".join(made["zones"])),
        ("Method", "linear-chain CRF (CRFsuite, L-BFGS)"),
        ("Configuration", f"`{configuration.name}`: {configuration.description}"),
        ("Feature groups", ", ".join(configuration.features)),
        ("Settings", ", ".join(f"{name} {value}" for name, value in settings.items())),
        ("Data", about or "not described"),
        (
            "Trained on",
            f"{format_count(made['abstracts'], 'abstract')}, "
            f"{format_count(made['sentences'], 'sentence')}: {zones}",
        ),
        ("Left out, sentences", left_out),
        ("Left out, records", records),
        (
            "File",
            f"`zones.crfsuite`, {format_count(made['bytes'], 'byte')}; `zones.json` holds its "
            "SHA-256",
        ),
    ]
    lines = ["# Zone model", "", "| | |", "| --- | --- |"]
    lines += [f"| {name} | {value} |" for name, value in rows]
    named = " ".join(paths)
    command = f"citespan answers train zones {named} --configuration {configuration.name} --out …"
    lines += ["", "The same abstracts and libraries give the same file, byte for byte:", ""]
    lines += [f"    {command}", "", "## Figures", ""]
    figures = made.get("figures")
    return "\n".join([*lines, *(_format_figures(figures) if figures else ["Not measured."])]) + "\n"


def _format_figures(figures: Mapping[str, Any]) -> list[str]:
    scores, joined, glued = figures["scores"], figures["joined"], figures["glued"]
    sentences = format_count(glued, "sentence")
    lines = [
        "Five-fold cross-validation over these abstracts, with labels hidden from the model that",
        "was trained on the other four folds. `F1, joined` is of the same sentences with the",
        f"sections joined to one text before it is split; {sentences} of that",
        f"text {'reaches' if glued == 1 else 'reach'} over the end of a section.",
        "",
        "| zone | precision | recall | F1 | F1, joined | sentences |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    both = [(zone, score, joined["zones"][zone]) for zone, score in scores["zones"].items()]
    for name, score, other in [*both, ("weighted", scores["overall"], joined["overall"])]:
        values = (score["precision"], score["recall"], score["f1"], other["f1"])
        cells = " | ".join(f"{value:.3f}" for value in values)
        lines.append(f"| {name} | {cells} | {score['sentences']} |")
    return [
        *lines,
        "",
        f"Sentences right: {scores['sentence_accuracy']:.4f}; abstracts right in every sentence: "
        f"{scores['abstract_accuracy']:.3f} of {scores['abstracts']}.",
    ]

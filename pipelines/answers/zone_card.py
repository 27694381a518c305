"""The card of a zone model, in Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

from citespan.pipelines.answers.zone_configuration import Configuration


def card(
    made: Mapping[str, Any], configuration: Configuration, paths: Sequence[str], about: str
) -> str:
    """What `zone_making.make_zone_model` has counted and measured, to be read by people."""
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
            f"{made['abstracts']:,} abstracts, {made['sentences']:,} sentences: {zones}",
        ),
        ("Left out, sentences", left_out),
        ("Left out, records", records),
        ("File", f"`zones.crfsuite`, {made['bytes']:,} bytes; `zones.json` holds its SHA-256"),
    ]
    lines = ["# Zone model", "", "| | |", "| --- | --- |"]
    lines += [f"| {name} | {value} |" for name, value in rows]
    named = " ".join(paths)
    command = f"citespan answers train zones {named} --configuration {configuration.name} --out …"
    lines += ["", "The same abstracts and libraries give the same file, byte for byte:", ""]
    lines += [f"    {command}", "", "## Figures", ""]
    figures = made.get("figures")
    return "\n".join([*lines, *(_figures(figures) if figures else ["Not measured."])]) + "\n"


def _figures(figures: Mapping[str, Any]) -> list[str]:
    scores, joined = figures["scores"], figures["joined"]
    lines = [
        "Five-fold cross-validation over these abstracts, with labels hidden from the model that",
        "was trained on the other four folds. `F1, joined` is of the same sentences with the",
        f"sections joined to one text before it is split; {figures['glued']} sentences of that",
        "text reach over the end of a section.",
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

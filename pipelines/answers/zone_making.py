"""A zone model from files to folder: trained, measured, written with its card."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from citespan.pipelines.answers import zone_model
from citespan.pipelines.answers.abstract_files import Gathered
from citespan.pipelines.answers.zone_card import card
from citespan.pipelines.answers.zone_configuration import Configuration
from citespan.pipelines.answers.zone_evaluation import FOLDS, analysed, cross_validation
from citespan.pipelines.answers.zone_training import examples, sentence_counts, train


def make_zone_model(
    gathered: Gathered,
    configuration: Configuration,
    to: Path,
    paths: Sequence[str],
    about: str = "",
    measure: bool = True,
    advance: Callable[[int], None] = lambda _: None,
) -> dict[str, Any]:
    """Train on the abstracts with labels and write the model's folder.

    Args:
        paths: what was read, for the card.
        about: what the data is, for the card.
        measure: whether to cross-validate for the card, which takes about as long again for
            each fold.
        advance: called with 1 after each training.

    Returns:
        What the card says: counts of abstracts read, used and left out, of sentences used and
        left out, and the figures.

    Raises:
        InputError: if there is nothing to train on or the folder can't be written.
    """
    data = list(examples(gathered.abstracts, configuration))
    crf = train(data, configuration)
    advance(1)
    sentences = sentence_counts(data)
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
        whole = analysed(gathered.abstracts, configuration)
        made["figures"] = asdict(cross_validation(whole, configuration, FOLDS, advance))
    zone_model.write(to, crf, configuration, card(made, configuration, paths, about))
    return made

"""Run folders of made outcomes, written as `citespan evaluate run` writes them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.provenance import resolve_configuration
from citespan.pipelines.evaluation.results import Results
from citespan.pipelines.evaluation.scores import score_systems
from citespan.pipelines.evaluation.specification import Experiment, SearchSystem
from citespan.pipelines.reformulation.options import Options


def write_run(
    folder: Path,
    outcomes: Mapping[str, Sequence[Outcome]],
    *,
    collection: str = "made:set",
    path: str = "made:/set",
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    columns: tuple[str, ...] = ("f1", "rouge_l"),
    description: str = "",
) -> Path:
    """Write a run of systems, the first being the baseline.

    Args:
        settings: those of a system that are not the defaults.
    """
    baseline = next(iter(outcomes))
    systems = tuple(
        SearchSystem(name=name, **{"model": "vsm", "reformulation": "baseline"} | dict(own))
        for name, own in ((one, (settings or {}).get(one, {})) for one in outcomes)
    )
    experiment = Experiment("made", description, baseline, systems, columns)
    Results(
        experiment=experiment,
        collection=collection,
        collection_path=path,
        records=len(outcomes[baseline]),
        records_used=len(outcomes[baseline]),
        citances=len(outcomes[baseline]),
        rejected=(),
        remarks=(),
        without_terms={},
        shortened={},
        queries_changed={},
        scores=score_systems(outcomes, baseline, measures, resamples=20),
        published_shown=False,
        published_caveat=None,
        configuration=resolve_configuration(experiment, Options(), None),
        versions={"citespan": "0"},
        run_folder=folder,
    ).write(outcomes)
    return folder

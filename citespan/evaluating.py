"""Running experiments from Python."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch

from citespan.arguments import check_arguments
from citespan.library import use_client
from citespan.pipelines.evaluation.experiment import RunSettings, run
from citespan.pipelines.evaluation.read_collection import make_absolute, read_collection
from citespan.pipelines.evaluation.results import Results
from citespan.pipelines.evaluation.shipped import find_experiment, sample
from citespan.pipelines.evaluation.specification import (
    Experiment,
    SearchSystem,
    YardstickSystem,
    make_experiment,
    read_experiment,
)
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.training.ranker_fitting import train_on_folds

_DEFAULT_OPTIONS = Options()


@check_arguments
def evaluate(
    experiment: str | Path,
    collection: str | None = None,
    *,
    folder: str | Path | None = None,
    layout: str | None = None,
    options: Options = _DEFAULT_OPTIONS,
    client: Elasticsearch | None = None,
) -> Results:
    """Run an experiment: index its collection, search every citance, measure, write the files.

    The collection has indices of its own, which later experiments use again.

    Args:
        experiment: a YAML file, or the name of one that ships with citespan, such as "models".
        collection: FORMAT:PATH, such as "tac2014:data"; None for the shipped sample.
        folder: for the TREC run and qrels files and the results; None for `runs/NAME-TIME`.
        layout: how articles are indexed; None for what the experiment's systems need.
        options: of the reformulations of all systems, but for what a system sets itself.

    Returns:
        The measures of every system, with intervals and tests; `to_json()` has them as numbers.

    Raises:
        InputError: if the experiment, the collection or the folder can't be used.
        CitespanError: from indexing and searching.
    """
    specification = read_experiment(find_experiment(str(experiment)))
    return _run(specification, collection, folder, layout, options, client)


@check_arguments
def compare(
    systems: Sequence[Mapping[str, Any] | SearchSystem | YardstickSystem],
    collection: str | None = None,
    *,
    baseline: str | None = None,
    measures: Sequence[str] = (),
    name: str = "comparison",
    seed: int = 0,
    folder: str | Path | None = None,
    layout: str | None = None,
    options: Options = _DEFAULT_OPTIONS,
    client: Elasticsearch | None = None,
) -> Results:
    """Compare systems on a collection, as `evaluate` does those of a YAML file.

    Args:
        systems: mappings with the keys that a system has in such a file, all of which have
            defaults: `{"model": "bm25"}`, `{"reformulation": "np+umls-expand"}`,
            `{"ranker": "evidence"}` or `{"yardstick": "sentence-bm25"}`. A system is called after
            these unless it has a `name`; `ranker` may also be a ranker.
        collection: FORMAT:PATH, such as "tac2014:data"; None for the shipped sample.
        baseline: the name of the system that the others are tested against; None for the first.
        measures: those of the table; none for the usual ones. All are in what is returned.
        name: of the comparison.
        seed: of the bootstrap and of the randomisation tests.
        folder, layout, options: as of `evaluate`.

    Returns:
        The measures of every system, as of `evaluate`.

    Raises:
        InputError: if a system, the collection or the folder can't be used.
        CitespanError: from indexing and searching.
    """
    keys = {"columns": list(measures)} if measures else {}
    specification = make_experiment(systems, baseline, name=name, seed=seed, **keys)
    return _run(specification, collection, folder, layout, options, client)


def _run(
    specification: Experiment,
    collection: str | None,
    folder: str | Path | None,
    layout: str | None,
    options: Options,
    client: Elasticsearch | None,
) -> Results:
    source = collection or f"tac2014:{sample('tac2014')}"
    time = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    target = Path(folder or Path("runs") / f"{specification.name}-{time}")
    return run(
        use_client(client),
        specification,
        read_collection(source),
        make_absolute(source),
        RunSettings(target, options, layout),
        train_on_folds,
    )

"""Where figures come from: every setting of every system, and the versions of all that is used."""

import platform
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from elasticsearch import Elasticsearch

from citespan.pipelines.evaluation.specification import Experiment, SearchSystem
from citespan.pipelines.ranking.ranker import NONE, OUT_OF_FOLD, find_ranker
from citespan.pipelines.reformulation.options import Options

LIBRARIES: Final = ("citespan", "elasticsearch", "lightgbm", "nltk", "numpy", "scipy", "spacy")


def resolve_configuration(
    experiment: Experiment, options: Options, layout: str | None
) -> dict[str, Any]:
    """Return all that decides what an experiment does, defaults included, as JSON has it.

    Args:
        options: those given for the systems of the experiment.
        layout: as given for the run; None for what the systems need.
    """
    return {
        "seed": experiment.seed,
        "layout": layout,
        "baseline": experiment.baseline,
        "systems": {
            system.name: {
                name: value
                for name, value in _resolve(system, options).items()
                if name not in ("name", "system_options")
            }
            for system in experiment.systems
        },
    }


def list_versions(client: Elasticsearch, experiment: Experiment) -> dict[str, str]:
    """Return the versions of the server, of Python, of libraries, and of the rankers used."""
    return {
        "server": str(client.info()["version"]["number"]),
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
        **{f"ranker {name}": _ranker_version(name) for name in _list_rankers(experiment)},
    }


def _resolve(system: Any, options: Options) -> Mapping[str, Any]:
    settings = asdict(system)
    if isinstance(system, SearchSystem):
        settings["options"] = asdict(system.options(options))
    resolved: dict[str, Any] = _make_plain(settings)
    return resolved


def _make_plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, Mapping):
        return {name: _make_plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_make_plain(one) for one in value]
    return str(value) if isinstance(value, Path) else value


def _list_rankers(experiment: Experiment) -> list[str]:
    used = {one.ranker for one in experiment.systems if isinstance(one, SearchSystem)}
    return sorted(used - {NONE, OUT_OF_FOLD})


def _ranker_version(name: str) -> str:
    ranker = find_ranker(name)
    assert ranker is not None
    return ranker.version

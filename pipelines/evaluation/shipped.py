"""What ships with citespan, found by name from anywhere: experiments, and the sample."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from citespan.pipelines.errors import UnknownNameError
from citespan.pipelines.yaml_file import read_yaml

_FOLDER = "experiments"


@dataclass(frozen=True, slots=True)
class ShippedExperiment:
    """An experiment file of ours.

    Attributes:
        command: what runs it, by its name.
    """

    name: str
    description: str
    command: str


def find_experiment(name: str) -> Path:
    """Return the file that a path names, or that ships under a name.

    Args:
        name: a path, or the name of a shipped experiment: "models", "models.yml" and, as it is in
            a checkout, "experiments/models.yml". A file that exists comes first.

    Raises:
        UnknownNameError: for a mere name that no shipped experiment has.
    """
    path = Path(name)
    if path.is_file():
        return path
    shipped = _list_files()
    if path.parent.name in ("", _FOLDER) and len(path.parts) <= 2 and path.stem in shipped:
        return shipped[path.stem]
    if path.name == name and not path.suffix and not path.exists():
        raise UnknownNameError("experiment", name, list(shipped))
    return path


def list_experiments() -> list[ShippedExperiment]:
    """Return the shipped experiments by name."""
    found = []
    for name, path in _list_files().items():
        content = read_yaml(path)
        assert isinstance(content, Mapping)
        group = "evaluate" if "systems" in content else "answers evaluate"
        command = f"citespan {group} run {name}"
        found.append(ShippedExperiment(name, str(content.get("description", "")), command))
    return found


def _list_files() -> dict[str, Path]:
    folder = Path(str(files("citespan.experiments")))
    return {path.stem: path for path in sorted(folder.glob("*.yml"))}


_SAMPLES = ("jats", "tac2014", "manuscript")


def sample(name: str) -> Path:
    """Return the folder of the sample called `name`: articles in "jats", annotated topics in
    "tac2014", and a "manuscript" that cites the articles.

    Raises:
        UnknownNameError: if there is none.
    """
    if name not in _SAMPLES:
        raise UnknownNameError("sample", name, list(_SAMPLES))
    return Path(str(files("citespan.pipelines.corpus"))) / "sample" / name

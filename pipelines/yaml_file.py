"""Reading a YAML file that a user wrote, within bounds."""

from collections.abc import Iterator
from pathlib import Path

import yaml

from citespan.pipelines.errors import InputError

_MOST_BYTES = 200_000
_DEEPEST = 50
_MOST_NODES = 20_000


def read_yaml(path: Path) -> object:
    """Return what a YAML file holds: mappings, lists, texts, numbers.

    Raises:
        InputError: naming the file, the line and the remedy, if it can't be read, isn't YAML, or
            is larger, nested deeper, or by its aliases longer than any file of ours needs to be.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise InputError(f"{path}: larger than {_MOST_BYTES // 1000} kB; shorten it")
        text = data.decode()
        _check_bounds(path, yaml.parse(text, Loader=yaml.SafeLoader))
        return yaml.safe_load(text)
    except OSError as error:
        raise InputError(f"{path}: can't be read ({error.strerror}); check the path") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date that is none
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        raise InputError(f"{path}{line}: {problem}; correct the YAML") from error


def _check_bounds(path: Path, events: Iterator[yaml.Event]) -> None:
    """Count the values of a file with every alias written out, without writing them out."""
    sizes: dict[str | None, int] = {}
    open_nodes: list[tuple[str | None, int]] = []  # anchor, and the count when it began
    nodes = 0
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            nodes += sizes.get(event.anchor, 0)
        elif isinstance(event, yaml.ScalarEvent):
            sizes[event.anchor] = 1
            nodes += 1
        elif isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append((event.anchor, nodes))
            sizes[event.anchor] = _MOST_NODES  # an alias inside of its own anchor has no end
            nodes += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_nodes.pop()
            sizes[anchor] = nodes - before
        if nodes > _MOST_NODES or len(open_nodes) > _DEEPEST:
            line = event.start_mark.line + 1 if event.start_mark else "?"
            raise InputError(
                f"{path}:{line}: more than {_MOST_NODES:,} values, aliases written out, or nested "
                f"deeper than {_DEEPEST}; make it shorter or flatter"
            )

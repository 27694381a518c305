"""How templates become HTML: whatever a text says, it is text and never mark-up."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

ASSETS = Path(__file__).parent / "assets"


def make_environment(*folders: Path) -> Environment:
    """Return what renders the templates of some folders, escaping all that is not theirs."""
    return Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

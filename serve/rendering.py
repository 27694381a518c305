"""How templates become HTML: whatever a text says, it is text and never mark-up."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

ASSETS = Path(__file__).parent / "assets"


def make_environment(*folders: Path) -> Environment:
    """Return what renders the templates of some folders, escaping all that is not theirs."""
    environment = Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["sentence"] = make_sentence
    return environment


def make_sentence(message: str) -> str:
    """Return a message as a sentence. What begins with a name, as of a file, keeps it as it is."""
    first = message.split(maxsplit=1)[0] if message.strip() else ""
    begun = message[0].upper() + message[1:] if first.isalpha() else message
    return begun if begun.endswith((".", "?", "!")) else f"{begun}."

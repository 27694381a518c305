"""Tables of deploy/sizing.md, between comments that name the command that makes them."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "deploy" / "sizing.md"


def write_table(command: str, table: str) -> None:
    """Write a table into the page, in place of the one that its command made before.

    Raises:
        SystemExit: if the page has no place for it.
    """
    text = PAGE.read_text(encoding="utf-8")
    place = re.compile(rf"(<!-- python -m {command} -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)
    if not place.search(text):
        raise SystemExit(f"{PAGE}: lacks <!-- python -m {command} --> and <!-- end --> behind it")
    PAGE.write_text(place.sub(lambda found: f"{found[1]}{table}{found[2]}", text), encoding="utf-8")

"""One HTML file that needs no network.

The page has one style and one script, which the content-security policy names by their hashes;
whatever else is in it is text, or an image that is part of the page. So nothing that an article
says can run or load anything.
"""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from citespan.pipelines.ranking.evidence import ABSTRACT_MEANS, DIFFERS_MEANS, FOUND_MEANS
from citespan.pipelines.store.abstracts import is_abstract

ASSETS = Path(__file__).parents[1] / "assets"


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
    environment.globals["found_means"] = FOUND_MEANS
    environment.globals["abstract_means"] = ABSTRACT_MEANS
    environment.globals["is_abstract"] = is_abstract
    environment.globals["differs_means"] = DIFFERS_MEANS
    return environment


def make_sentence(message: str) -> str:
    """Return a message as a sentence. What begins with a name, as of a file, keeps it as it is."""
    first = message.split(maxsplit=1)[0] if message.strip() else ""
    begun = message[0].upper() + message[1:] if first.isalpha() else message
    return begun if begun.endswith((".", "?", "!")) else f"{begun}."


_FOLDER = Path(__file__).parent


def make_page(
    folder: Path,
    *,
    scripts: Sequence[str] = ("report.js",),
    images: bool = False,
    forms: bool = False,
    **values: Any,
) -> str:
    """Return the page that `report.html` of a folder describes, with `report.css` and scripts.

    Args:
        folder: of these; the template extends `page.html`, the style follows `page.css`.
        scripts: names of files that are one script together.
        images: whether the page has images, each in a data: address.
        forms: whether the page may send forms to the site that it is a page of.
        values: that the template names; texts among them are escaped.
    """
    styles = (ASSETS / "colours.css", _FOLDER / "page.css", folder / "report.css")
    style = "".join(map(_read, styles))
    script = "".join(_read(folder / name) for name in scripts)
    target = "'self'" if forms else "'none'"
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        f"base-uri 'none'; form-action {target}; connect-src {target}; "
        "require-trusted-types-for 'script'; trusted-types" + ("; img-src data:" if images else "")
    )
    template = make_environment(folder, _FOLDER).get_template("report.html")
    return template.render(
        policy=policy,
        forms=forms,
        style=Markup(style),  # noqa: S704  own files
        script=Markup(script),  # noqa: S704
        **values,
    )


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"

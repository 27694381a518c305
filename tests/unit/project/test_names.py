"""Variables have the names of what they are, and none is called `one`, `what` or `which`."""

import ast
from collections.abc import Iterator

import jinja2
import pytest

from tests.support.places import ROOT

FOLDERS = (
    *("benchmarks", "citespan", "cli", "deploy", "es_mappings", "pipelines", "serve", "studies"),
    "tests",
)
CODE = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.py"))]
TEMPLATES = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.html"))]


def list_variables(code: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each variable, parameter and captured pattern."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name
            case ast.ExceptHandler(name=str(name)):
                yield node.lineno, name


def list_template_variables(template: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of what a template sets, loops over or takes."""
    for node in jinja2.Environment().parse(template).find_all(jinja2.nodes.Name):
        if node.ctx in ("store", "param"):
            yield node.lineno, node.name


def is_nameless(name: str) -> bool:
    """Whether a name does not say of what."""
    return name.strip("_") in ("one", "what", "which") or name.startswith("one_")


def test_no_variable_is_without_a_name() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{line}: {name}"
        for files, list_names in ((CODE, list_variables), (TEMPLATES, list_template_variables))
        for file in files
        for line, name in list_names(file.read_text(encoding="utf-8"))
        if is_nameless(name)
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "one = 1",
        "what = 1",
        "def show(_what): pass",
        "class Row:\n    which: str",
        "for number, one in found: pass",
        "[one for one in found]",
        "sorted(found, key=lambda one: one.start)",
        "def find(one_article): pass",
        "with open(path) as one: pass",
        "match found:\n    case [one, *_]: pass",
    ],
)
def test_each_way_to_name_a_variable_is_found(code: str) -> None:
    assert any(is_nameless(name) for _, name in list_variables(code))


@pytest.mark.parametrize(
    "template",
    [
        "{% for one in found %}{% endfor %}",
        "{% set one = 1 %}",
        "{% macro show(one) %}{% endmacro %}",
    ],
)
def test_each_way_in_a_template_is_found(template: str) -> None:
    assert any(is_nameless(name) for _, name in list_template_variables(template))

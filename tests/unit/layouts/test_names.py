"""No file outside the layouts' own names a layout: others ask the registry."""

import ast
import re
from collections.abc import Iterator

import pytest

from citespan.pipelines.store.layout import layouts
from tests.support.places import ROOT

_OWN = ("pipelines/layouts/", *(f"es_mappings/{name}.py" for name in layouts.names()))
_FILES = [
    path
    for folder in ("citespan", "cli", "deploy", "es_mappings", "experiments", "pipelines", "serve")
    for file in sorted((ROOT / folder).rglob("*.py"))
    if not (path := file.relative_to(ROOT).as_posix()).startswith(_OWN)
]
_NAMES = "|".join(layouts.names())
_PROSE = re.compile(rf"layouts?(?: |=|/| `)(?:{_NAMES})\b|citespan-(?:{_NAMES})\b")
_MODULE = re.compile(rf"citespan\.(?:es_mappings|pipelines\.layouts)\.(?:{_NAMES})\b")


def find_names(source: str) -> list[str]:
    """Return what names a layout in Python code: prose and names of indices, imports of its
    modules, and a text that is its name where a value is set, compared, passed by keyword, returned
    or looked up. Keys of JSON, headings of tables and fields of documents are no such values."""
    tree = ast.parse(source)
    values = [value for node in ast.walk(tree) for value in _list_values(node)]
    texts = [node.value for node in values if isinstance(node, ast.Constant)]
    return [
        *_PROSE.findall(" ".join(source.split())),
        *filter(_MODULE.match, (name for node in ast.walk(tree) for name in _list_imports(node))),
        *(text for text in texts if text in layouts.names()),
    ]


def _list_values(node: ast.AST) -> Iterator[ast.AST | None]:
    match node:
        case ast.Assign(value=value) | ast.AnnAssign(value=value) | ast.Return(value=value):
            yield value
        case ast.keyword(value=value) | ast.MatchValue(value=value):
            yield value
        case ast.IfExp(body=chosen, orelse=other):
            yield from (chosen, other)
        case ast.Compare(left=left, comparators=others):
            yield from (left, *others)
        case ast.arguments(defaults=defaults, kw_defaults=keyword_defaults):
            yield from (*defaults, *keyword_defaults)
        case ast.Dict(values=values):
            yield from values
        case ast.Subscript(value=ast.Name(id="layouts"), slice=key):
            yield key


def _list_imports(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)


def test_only_its_own_files_name_a_layout() -> None:
    found = {path: find_names((ROOT / path).read_text(encoding="utf-8")) for path in _FILES}
    assert len(found) > 300
    assert not {path: names for path, names in found.items() if names}


@pytest.mark.parametrize(
    "source",
    [
        '_LAYOUT = "sentences"',
        'def index(layout: str = "spans"): ...',
        'found = entry.layout == "sentences"',
        'index(layout="sentences")',
        'layouts["spans"]',
        'kinds = {"layout": "spans"}',
        'f"use the layout {1} or the layout sentences"',
        '"""In the\n    layout `spans`, the server scores."""',
        'client.count(index="citespan-spans-*")',
        "from citespan.es_mappings import spans",
        "from citespan.pipelines.layouts.sentences.write import assign_index",
    ],
)
def test_names_are_found(source: str) -> None:
    assert find_names(source)


@pytest.mark.parametrize(
    "source",
    [
        'print({"sentences": 3})',
        'table("article", "sentences")',
        'document.get("sentences", ())',
        '"each of the spans that the layout has"',
    ],
)
def test_counts_of_sentences_and_spans_are_no_names(source: str) -> None:
    assert not find_names(source)

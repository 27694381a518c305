"""Every pattern of the source, found by reading it, so that none escapes."""

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGES = ("pipelines", "es_mappings", "serve", "deploy", "cli")
_MADE_BY = frozenset(
    ("compile", "search", "match", "fullmatch", "split", "sub", "subn", "findall", "finditer")
)
_AT_ONE_PLACE = frozenset(("match", "fullmatch"))
_ANYWHERE = _MADE_BY - _AT_ONE_PLACE - {"compile"}


@dataclass(frozen=True)
class Found:
    """A pattern, where it is, and the methods that the source calls of it."""

    where: str
    compiled: re.Pattern[Any]
    methods: frozenset[str]


@dataclass(frozen=True)
class Unknown:
    """A call that makes a pattern of what is only known when it runs."""

    where: str
    argument: str


@cache
def find_all() -> tuple[tuple[Found, ...], tuple[Unknown, ...]]:
    """Return all patterns of the source, and the calls of which they can't be told."""
    found: dict[tuple[str, str | bytes, int], Found] = {}
    unknown: list[Unknown] = []
    for file in _find_files():
        name = ".".join(("citespan", *file.relative_to(ROOT).with_suffix("").parts))
        module = importlib.import_module(name.removesuffix(".__init__"))
        tree = ast.parse(file.read_text(encoding="utf-8"))
        used = _methods(tree)
        uses_strings = "compile_once" in file.read_text(encoding="utf-8")
        strings = _names_in_functions(tree) if uses_strings else set()
        for variable, pattern in _in_variables(vars(module), strings):
            where = f"{name.removeprefix('citespan.')}.{variable}"
            methods = frozenset(used.get(variable, ())) & _MADE_BY or _ANYWHERE
            found.setdefault((name, pattern.pattern, pattern.flags), Found(where, pattern, methods))
        for call, method in _calls_in_functions(tree):
            where = f"{name.removeprefix('citespan.')}:{call.lineno}"
            try:
                arguments = [_evaluate(call.args[0], module)]
                arguments += [_evaluate(flag, module) for flag in _flags(call)]
                pattern = re.compile(*arguments)
            except NameError:
                if not uses_strings:
                    unknown.append(Unknown(where, ast.unparse(call.args[0])))
                continue
            methods = _ANYWHERE if method not in _AT_ONE_PLACE else frozenset((method,))
            found.setdefault((name, pattern.pattern, pattern.flags), Found(where, pattern, methods))
    return tuple(found.values()), tuple(unknown)


def _find_files() -> list[Path]:
    """Return the modules of the source but those that run when they are imported."""
    files = (file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    return sorted(file for file in files if file.name != "__main__.py")


def _methods(tree: ast.AST) -> dict[str, set[str]]:
    """Which methods of each variable a module mentions; none of one that it passes on or keeps in
    a collection."""
    used: dict[str, set[str]] = defaultdict(set)
    passed: set[str] = set()
    held: set[int] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        value = node.value
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "compile_once":
            value = value.args[0]
        if isinstance(value, ast.Name):
            used[value.id].add(node.attr)
            held.add(id(value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in held:
            passed.add(node.id)
    return {name: methods for name, methods in used.items() if name not in passed}


def _in_variables(
    members: dict[str, Any], strings: Container[str]
) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield the patterns of a module's variables, of collections and classes in them.

    Args:
        strings: variables whose strings are patterns, if they can be.
    """
    for variable, value in list(members.items()):
        if variable.startswith("__"):
            continue
        within = [value]
        while within:
            inner = within.pop()
            if isinstance(inner, re.Pattern):
                yield variable, inner
            elif isinstance(inner, str) and variable in strings:
                try:
                    yield variable, re.compile(inner)
                except re.error:
                    continue
            elif isinstance(inner, list | tuple | set | frozenset):
                within += inner
            elif isinstance(inner, dict):
                within += inner.values()
            elif isinstance(inner, type) and inner.__module__ == members["__name__"]:
                within += [part for part in vars(inner).values() if isinstance(part, re.Pattern)]


def _names_in_functions(tree: ast.AST) -> set[str]:
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {n.id for function in functions for n in ast.walk(function) if isinstance(n, ast.Name)}


def _calls_in_functions(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.Lambda):
            continue
        for node in ast.walk(function):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = node.func
            if isinstance(called, ast.Name) and called.id == "compile_once":
                yield node, "search"
            elif (
                isinstance(called, ast.Attribute)
                and isinstance(called.value, ast.Name)
                and called.value.id == "re"
                and called.attr in _MADE_BY
            ):
                yield node, called.attr


def _flags(call: ast.Call) -> list[ast.expr]:
    named = [keyword.value for keyword in call.keywords if keyword.arg == "flags"]
    placed = [argument for argument in call.args[1:] if "re." in ast.unparse(argument)]
    return named or placed[-1:]


def _evaluate(expression: ast.expr, module: Any) -> Any:
    code = compile(ast.Expression(expression), module.__file__, "eval")
    return eval(code, vars(module))  # the project's own source

"""The docs name all that there is, and nothing that there is not."""

import importlib
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from places import ROOT

import citespan
from citespan.cli.app import app
from citespan.cli.commands import walk
from citespan.deploy.doctor.installation import REGISTRIES
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.registry import Registry

REFERENCE = ROOT / "docs" / "reference.md"
DOCS = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "deploy").glob("*.md")),
]
TEXTS = {file: file.read_text(encoding="utf-8") for file in DOCS}
ALL = "\n".join(TEXTS.values())
README = ROOT / "README.md"
TASKS = ROOT / "docs" / "tasks"

COMMANDS = dict(walk(typer.main.get_group(app)))
OWN = ("cli", "deploy", "es_mappings", "experiments", "pipelines", "serve")
VARIABLE = re.compile(r"\b(?:CITESPAN_[A-Z_]*[A-Z]|ES_HOME|(?:ES_)?JAVA_HOME|ES_JAVA_OPTS)\b")
_STATUSES = (
    r"(?:sys\.exit|typer\.Exit)\((\d+)",
    r"\b(?:STATUS|_OUT_OF_REACH|_UNREACHABLE|exit_status) = (\d+)",
    r"_fail\(.*, (\d+)\)",
)


def import_all() -> None:
    """Import every module, so that every class and registry exists."""
    for module in pkgutil.walk_packages(citespan.__path__, "citespan."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def registries() -> list[Registry[Any]]:
    import_all()
    modules = [module for name, module in sys.modules.items() if name.startswith("citespan.")]
    found = (value for module in modules for value in vars(module).values())
    return list({value.group: value for value in found if isinstance(value, Registry)}.values())


def sources() -> Iterator[tuple[Path, str]]:
    for folder in OWN:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in (".py", ".yml") and file.is_file():
                yield file, file.read_text(encoding="utf-8")


def options(command: object) -> set[str]:
    return {
        flag
        for parameter in getattr(command, "params", ())
        if parameter.param_type_name == "option"
        for flag in (*parameter.opts, *parameter.secondary_opts)
    }


def test_the_reference_is_what_its_command_prints() -> None:
    # in a process of its own: rankers of other tests would be listed too
    command = [sys.executable, "-m", "citespan.cli.reference"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert REFERENCE.read_text(encoding="utf-8") == printed, (
        "run: python -m citespan.cli.reference > docs/reference.md"
    )


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_every_command_and_option_is_in_the_reference(names: tuple[str, ...]) -> None:
    if hasattr(COMMANDS[names], "commands"):
        return
    start = rf"### citespan {' '.join(names)}(?: [^\n]*)?\n"
    section = re.search(start + r"(.*?)(?=\n##|\Z)", TEXTS[REFERENCE], re.DOTALL)
    assert section is not None
    assert {flag for flag in options(COMMANDS[names]) if f"`{flag}`" not in section[1]} == set()


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_every_command_is_shown_in_the_page_of_a_task(names: tuple[str, ...]) -> None:
    shown = re.compile(rf"\b{' '.join(names)}\b")
    assert any(shown.search(text) for file, text in TEXTS.items() if file.parent == TASKS)


def test_the_readme_is_short_and_leads_to_every_task() -> None:
    assert TEXTS[README].count("\n") <= 220
    tasks = {f"docs/tasks/{file.name}" for file in TASKS.glob("*.md")}
    assert tasks <= set(re.findall(r"\]\(([^)#]+)\)", TEXTS[README]))


def test_every_registry_with_all_its_names_is_in_the_reference() -> None:
    text = TEXTS[REFERENCE]
    assert {registry.group for registry in registries()} == {
        registry.group for registry in REGISTRIES
    }
    for registry in registries():
        assert f"`{registry.group}`" in text
        section = text.partition(f"`{registry.group}`")[2].partition("\n### ")[0]
        built_in = {
            thing.name for thing in registry if type(thing).__module__.startswith("citespan")
        }
        missing = {name for name in built_in if f"| `{name}` |" not in section}
        assert missing == set(), registry.kind


def test_every_entry_point_group_in_the_docs_exists() -> None:
    groups = {registry.group for registry in registries()}
    contributing = TEXTS[ROOT / "CONTRIBUTING.md"]
    named = re.findall(r'entry-points\."([^"]+)"', contributing)
    named += re.findall(r"^\| `(citespan\.\w+)` \|", contributing, re.MULTILINE)
    assert named
    assert set(named) <= groups


def test_the_docs_have_every_exit_status_and_no_other() -> None:
    import_all()
    code = "\n".join(text for file, text in sources() if file.suffix == ".py")
    stated = {int(status) for pattern in _STATUSES for status in re.findall(pattern, code)}
    stated |= {error.exit_status for error in [CitespanError, *_descendants(CitespanError)]}
    page = TEXTS[TASKS / "exit-status.md"]
    assert {int(status) for status in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)} == stated


def _descendants(cls: type[CitespanError]) -> Iterator[type[CitespanError]]:
    for error in cls.__subclasses__():
        yield error
        yield from _descendants(error)


def test_the_docs_have_every_environment_variable_and_no_other() -> None:
    read = {name for _, text in sources() for name in VARIABLE.findall(text)}
    page = TEXTS[TASKS / "use-your-own-server.md"]
    table = [line for line in page.splitlines() if line.startswith("| `")]
    stated = {name for line in table for name in VARIABLE.findall(line.split("|")[1])}
    assert stated == read


@pytest.mark.parametrize("file", DOCS, ids=lambda file: file.name)
def test_every_option_in_the_docs_exists(file: Path) -> None:
    known = {flag for command in COMMANDS.values() for flag in options(command)}
    known |= {"--help", "--help-all", "--version", "--debug"}
    text = re.sub(r"```.*?```", "", TEXTS[file], flags=re.DOTALL)  # examples are run
    named = set(re.findall(r"`(--[a-z-]+)", text))
    assert named - known <= _OPTIONS_OF_OTHERS.get(file.name, set())


_OPTIONS_OF_OTHERS = {"operations.md": {"--connect-to"}}


@pytest.mark.parametrize("file", DOCS, ids=lambda file: file.name)
def test_every_command_named_within_the_docs_text_exists(file: Path) -> None:
    text = re.sub(r"```.*?```", "", TEXTS[file], flags=re.DOTALL)
    for words in re.findall(r"`citespan ([a-z][^`\n]*)`", text):
        names: tuple[str, ...] = ()
        for word in words.split():
            if (*names, word) not in COMMANDS:
                break
            names = (*names, word)
        assert names, words
        used = set(re.findall(r"(?<!\S)--[a-z-]+", words))
        assert used <= options(COMMANDS[names]) | {"--help"}, words


@pytest.mark.parametrize("file", DOCS, ids=lambda file: file.name)
def test_every_link_leads_somewhere(file: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXTS[file]):
        if "://" not in target:
            assert (file.parent / target).exists(), target


@pytest.mark.parametrize("file", DOCS, ids=lambda file: file.name)
def test_every_path_in_the_docs_exists(file: Path) -> None:
    """Words in backticks with a slash, below a folder of the project, or with the ending of a
    source file; a `*` is a pattern."""
    folders = {file.name for file in ROOT.iterdir() if file.is_dir()} - {"build", "runs"}
    shown = [ROOT / name for name in folders if not name.startswith(".")]
    text = re.sub(r"```.*?```", "", TEXTS[file], flags=re.DOTALL)
    for path in re.findall(r"`([\w./*~-]+)`", text):
        if path.partition("/")[0] in folders and "/" in path:
            assert list(ROOT.glob(path.rstrip("/"))), path
        elif path.endswith((".py", ".yml", ".console")) and path.islower():
            within = (folder.glob(f"**/{path}") for folder in shown)
            assert (ROOT / path).exists() or any(map(any, within)), path


def test_every_class_in_the_architecture_is_where_it_says() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"\*\*(\w+)\*\* \(`([\w/.]+)`", text)
    assert len(named) >= 8
    for name, path in named:
        code = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^(?:class {name}|def {name.lower()})\b", code, re.MULTILINE), name


def test_the_architecture_is_one_page() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 90
    assert all(len(line) <= 120 for line in text.splitlines())


def test_every_test_file_named_in_the_docs_exists() -> None:
    for path in re.findall(r"`(tests/[\w/]+\.py)", ALL):
        assert (ROOT / path).is_file(), path

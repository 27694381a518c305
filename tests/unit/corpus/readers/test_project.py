"""A manuscript and its files in a .zip file."""

import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from citespan.pipelines.citations.manuscript import read_citations
from citespan.pipelines.corpus import zip_file
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.readers.latex import LatexReader
from citespan.pipelines.corpus.readers.project import ProjectReader
from citespan.pipelines.errors import InputError

MAIN = r"\documentclass{article}\begin{document}\input{parts/one}\bibliography{refs}\end{document}"
PART = "The cell cycle stops \\cite{roe}. More is known \\cite{gone}."
BIB = "@article{roe, title={The p53 response}, author={Roe, J.}, year={2010}, journal={Nature}}"
PROJECT = {"main.tex": MAIN, "parts/one.tex": PART, "refs.bib": BIB}


def pack(folder: Path, members: dict[str, str]) -> Path:
    file = folder / "project.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file


@pytest.mark.parametrize("inside", ["", "thesis/", "thesis\\"])
def test_project_is_read_with_its_parts_and_bibliography(tmp_path: Path, inside: str) -> None:
    file = pack(tmp_path, {f"{inside}{name}": text for name, text in PROJECT.items()})
    found = read_citations(file)
    assert (found.article.id, found.article.source) == ("project", str(file))
    assert [c.reference.key if c.reference else "" for c in found.citations] == ["roe", ""]


def test_main_is_taken_of_several_with_a_class(tmp_path: Path) -> None:
    letter = "\\documentclass{letter}\\begin{document}Dear editor\\end{document}"
    found = read_citations(pack(tmp_path, PROJECT | {"letter.tex": letter}))
    assert found.article.text.startswith("The cell cycle stops")


def test_problems_name_the_project(tmp_path: Path) -> None:
    file = pack(tmp_path, {name: text for name, text in PROJECT.items() if name != "refs.bib"})
    problems = read_citations(file).problems
    assert problems == ("refs.bib, which main.tex names, is missing",)


def test_nothing_is_unpacked_outside_or_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked = set[str]()

    def read(_: LatexReader, file: Path, source: str) -> Iterator[Article]:
        for path in tmp_path.rglob("*"):
            folder, *rest = path.relative_to(tmp_path).parts
            unpacked.add("/".join(rest) or folder)
        unpacked.discard(file.parent.name)
        yield Article("main", "", "Read.", source)

    monkeypatch.setattr(LatexReader, "read_file", read)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    strange = [
        "../out.tex",
        "..\\out.bib",
        "/tmp/beside.bib",
        ".git/x.bib",
        "__MACOSX/._main.tex",
        "a.png",
    ]
    file = pack(tmp_path, PROJECT | dict.fromkeys(strange, MAIN))
    assert [type(reading) for reading in ProjectReader().read(file)] == [Article]
    assert unpacked == {"project.zip", "parts", *PROJECT}
    assert [path.name for path in tmp_path.iterdir()] == ["project.zip"]


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"refs.bib": BIB}, "no manuscript in it"),
        ({"a.md": "One", "b.md": "Two"}, "several manuscripts: a.md, b.md; leave the others out"),
        ({"main.tex": MAIN, "main.tex/x.bib": BIB}, "'main.tex/x.bib' can't be unpacked"),
        ({f"{n}.bib": "" for n in range(2_001)}, "2,001 files to read in it"),
    ],
)
def test_what_is_no_project_is_refused(
    tmp_path: Path, members: dict[str, str], reason: str
) -> None:
    file = pack(tmp_path, members)
    with pytest.raises(InputError, match=reason) as error:
        read_citations(file)
    assert str(error.value).startswith(f"{file}: ")


def test_damaged_and_large_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = pack(tmp_path, PROJECT | {"more.bib": " " * 5_000})
    monkeypatch.setattr(zip_file, "MAX_BYTES", 4_000)
    with pytest.raises(InputError, match="when unpacked; split it"):
        read_citations(file)
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(InputError, match="broken or cut off; pack it again"):
        read_citations(file)

"""Manuscripts in LaTeX and Markdown: text, citation commands, and their BibTeX files."""

import shutil
from pathlib import Path

import pytest
from places import TEST_DATA

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.reader import readers, recognise

MANUSCRIPTS = {"latex": "made.tex", "markdown": "made.md"}
EXPECTED = {
    "latex": [
        "Growth of made yeast",
        "Made yeast grows.",
        "Yeast grows on sugar [1], whereas bread does not [2, 3]. It rises to 50% in ovens. See "
        "Figure .",
        "As [1] saw.",
        "Bread is eaten [4].",
        "Growth as in [2].",
    ],
    "markdown": [
        "Growth of made yeast",
        "Made yeast grows.",
        "Yeast grows on sugar [1], whereas bread does not [2, 3]. It costs 3 EUR; write to "
        "a@b.example.",
        "[1] saw it in ovens.",
        "snake_case stays, bold does not.",
        "Bread is eaten [4].",
    ],
}


def read(name: str, file: Path) -> Article:
    (article,) = readers[name].read(file)
    assert isinstance(article, Article)
    return article


def copy(name: str, folder: Path) -> Path:
    """The manuscript beside its bibliography."""
    shutil.copy(TEST_DATA / "bibliographies" / "made.bib", folder)
    return Path(shutil.copy(TEST_DATA / "readers" / name / MANUSCRIPTS[name], folder))


@pytest.mark.parametrize("name", MANUSCRIPTS)
def test_the_text_of_a_manuscript(name: str, tmp_path: Path) -> None:
    article = read(name, copy(name, tmp_path))
    assert recognise(tmp_path) is recognise(tmp_path / MANUSCRIPTS[name]) is readers[name]
    assert article.text.split("\n\n") == EXPECTED[name]
    assert article.title == "Growth of made yeast"
    kinds = [section.kind for section in article.sections]
    assert kinds[:3] == ["title", "abstract", "body"]
    assert "Introduction / Bread" in [section.title for section in article.sections]


def test_a_readme_beside_articles_is_no_manuscript(tmp_path: Path) -> None:
    shutil.copy(TEST_DATA / "readers/jats/PMC0000001.nxml", tmp_path)
    (tmp_path / "README.md").write_text("# About")
    assert recognise(tmp_path) is readers["jats"]


@pytest.mark.parametrize("name", MANUSCRIPTS)
def test_citations_name_the_entries_of_the_bibliography(name: str, tmp_path: Path) -> None:
    article = read(name, copy(name, tmp_path))
    shown = [(article.text[x.start : x.end], *x.names) for x in article.links]
    assert shown[:5] == [
        ("1", "ito2001"),
        ("2", "bread"),
        ("3", "ry2003"),
        ("1", "ito2001"),
        ("4", "missing"),
    ]
    listed = article.reference_list
    assert [(reference.key, reference.label) for reference in listed.references] == [
        ("ito2001", "1"),
        ("bread", "2"),
        ("ry2003", "3"),
        ("never", ""),
    ]
    assert listed.problems == ()


@pytest.mark.parametrize("name", MANUSCRIPTS)
def test_a_bibliography_that_is_not_there_is_reported(name: str, tmp_path: Path) -> None:
    file = Path(shutil.copy(TEST_DATA / "readers" / name / MANUSCRIPTS[name], tmp_path))
    listed = read(name, file).reference_list
    assert listed.references == ()
    (problem,) = listed.problems
    assert "made" in problem
    assert problem.endswith("is missing")


@pytest.mark.parametrize("where", ["/etc/passwd", "../outside", "link"])
def test_no_file_outside_of_the_folder_is_read(where: str, tmp_path: Path) -> None:
    folder = tmp_path / "manuscript"
    folder.mkdir()
    (tmp_path / "outside.bib").write_text("@misc{secret, title={Secret}}")
    (folder / "link.bib").symlink_to(tmp_path / "outside.bib")
    (folder / "a.tex").write_text(
        f"\\begin{{document}}Text.\\bibliography{{{where}}}\\end{{document}}"
    )
    listed = read("latex", folder / "a.tex").reference_list
    assert listed.references == ()
    assert "not in the manuscript's folder" in listed.problems[0]


def test_a_list_in_latex_itself(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(
        "Yeast \\cite{b}.\n\n\\begin{thebibliography}{9}\n"
        "\\bibitem[Ito(2001)]{a} K. Ito. \\emph{Sugar feeds yeast}. J. Yeast, 2001.\n"
        "\\bibitem{b} Od, A. (1999). The book of \\'etudes and bread. Press.\n"
        "\\end{thebibliography}\n"
    )
    article = read("latex", tmp_path / "a.tex")
    assert article.text == "Yeast [1]."
    first, second = article.references
    assert (first.key, first.text) == ("a", "K. Ito. Sugar feeds yeast. J. Yeast, 2001.")
    assert (second.label, second.publication.title) == ("1", "The book of études and bread")


def test_a_list_in_markdown_itself(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# T\n\nYeast [1].\n\n## References\n\n1. Ito K. Sugar.\n2. Ry B. Bread.\n"
    )
    article = read("markdown", tmp_path / "a.md")
    assert article.text == "T\n\nYeast [1]."
    assert [reference.label for reference in article.references] == ["1", "2"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tex", "\\begin{figure}" * 3_000 + "\\footnote{" * 3_000 + "\\cite{a" * 3_000),
        ("a.tex", "{" * 100_000 + "\\section{" * 3_000),
        ("a.md", "[@" * 20_000 + "[@a; " * 20_000 + "![" * 20_000 + "*" * 50_000),
        ("a.md", "---\na: [" + "[" * 3_000 + "\n---\ntext"),
        ("a.md", "---\na: &a [*a]\nbibliography: *a\n---\ntext"),
    ],
)
def test_hostile_manuscripts_are_read_in_time(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    [_read] = recognise(tmp_path / name).read(tmp_path / name)

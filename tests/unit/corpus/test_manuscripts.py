"""Manuscripts in LaTeX and Markdown: text, citation commands, and their BibTeX files."""

import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from places import TEST_DATA

from citespan.pipelines.citing.citations import find_citations
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.reader import readers, recognise
from citespan.pipelines.text.splitter import DEFAULT, splitters

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


def test_what_is_no_name_of_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"---\nbibliography: {'a' * 300}\n---\nBread [@rye].\n")
    [problem] = read("markdown", tmp_path / "a.md").reference_list.problems
    assert problem.startswith(str(tmp_path / "a.md"))
    assert problem.endswith("which is no name of a file")


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


ENTRY = "Ito J, Ry B. Sugar feeds yeast for long. J Yeast. 2001;1:1."
TYPED = f"""\\section*{{References}}
\\addcontentsline{{toc}}{{section}}{{References}}

\\begin{{enumerate}}
\\item {ENTRY}
\\item Od A. The book of bread and more. Bread. 1999;3:4.
\\end{{enumerate}}
"""
PANDOC = f"""\\hypertarget{{references}}{{%
\\section*{{References}}\\label{{references}}}}

\\hypertarget{{refs}}{{}}
\\begin{{CSLReferences}}{{0}}{{0}}
\\leavevmode\\vadjust pre{{\\hypertarget{{ref-ito}}{{}}}}%
\\CSLLeftMargin{{1. }}
\\CSLRightInline{{{ENTRY}}}

\\leavevmode\\vadjust pre{{\\hypertarget{{ref-od}}{{}}}}%
\\CSLLeftMargin{{2. }}
\\CSLRightInline{{Od A. The book of bread and more. Bread. 1999;3:4.}}

\\end{{CSLReferences}}
"""


@pytest.mark.parametrize("listed", [TYPED, PANDOC])
def test_a_section_of_references_in_latex_is_the_list_where_there_is_no_other(
    listed: str, tmp_path: Path
) -> None:
    body = "\\section{Start} Yeast grows {[}1{]}. Bread rises {[}2{]}.\n\n"
    written = f"\\title{{T}}\\begin{{document}}{body}{listed}\\end{{document}}"
    article = read("latex", write(tmp_path, main=written))
    assert article.text == "T\n\nYeast grows [1]. Bread rises [2]."
    first, second = article.references
    assert first.publication.title == "Sugar feeds yeast for long"
    assert second.publication.authors == ("Od, A.",)
    markers = find_citations(article, splitters[DEFAULT]).markers
    assert [marker.keys for marker in markers] == [("1",), ("2",)]


def test_citations_and_entries_that_pandoc_has_made(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(
        "\\newcommand{\\citeproctext}{}\n\\newcommand{\\citeproc}[2]{\\begingroup#2\\endgroup}\n"
        "\\begin{document}Yeast grows (\\citeproc{ref-ito}{Ito and Ry 2001}).\n\n"
        "\\section{References}\n\\begin{CSLReferences}{1}{0}\n"
        f"\\bibitem[\\citeproctext]{{ref-ito}}\n{ENTRY}\n\\end{{CSLReferences}}\\end{{document}}"
    )
    article = read("latex", tmp_path / "a.tex")
    assert [link.names for link in article.links] == [("ref-ito",)]
    [entry] = article.references
    assert (entry.names, entry.publication.year) == (("ref-ito",), 2001)
    assert "Ito" not in article.text


def test_a_list_in_markdown_itself(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# T\n\nYeast [1].\n\n## References\n\n1. Ito K. Sugar.\n2. Ry B. Bread.\n"
    )
    article = read("markdown", tmp_path / "a.md")
    assert article.text == "T\n\nYeast [1]."
    assert [reference.label for reference in article.references] == ["1", "2"]


TABLES = {
    "latex": "\\title{T}\\begin{document}Yeast \\cite{ito2001}.\n\n\\begin{tabular}{l}"
    "a \\cite{ry2003}\\end{tabular}\\bibliography{made}\\end{document}",
    "markdown": "---\ntitle: T\nbibliography: made.bib\n---\nYeast [@ito2001].\n\n| [@ry2003] |\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_what_a_table_cites_is_cited(name: str, tmp_path: Path) -> None:
    file = copy(name, tmp_path)
    file.write_text(TABLES[name])
    article = read(name, file)
    assert [link.names for link in article.links] == [("ito2001",)]
    assert article.links_elsewhere == (("ry2003",),)


NOTES = """\
[^1]: Ito K, Ry B. Sugar feeds yeast in warm ovens. J Bread. 2001;3:1-9.
[^ry]: Ry, B. (2004). Bread rises
    where it is *warm*. Journal of Bread, 4, 11-19.
[^2]: The ovens were ours.
"""


@pytest.mark.parametrize("heading", ["", "## References\n\n"])
def test_notes_in_markdown_are_the_references_where_there_is_no_list(
    heading: str, tmp_path: Path
) -> None:
    text = "# T\n\nYeast likes sugar[^1]. Bread rises.[^ry][^1] So it was[^2].\n\n"
    (tmp_path / "a.md").write_text(f"{text}{heading}{NOTES}")
    article = read("markdown", tmp_path / "a.md")
    assert article.text == "T\n\nYeast likes sugar[1]. Bread rises.[2][1] So it was[3]."
    assert [link.names for link in article.links] == [("^1",), ("^ry",), ("^1",), ("^2",)]
    assert [
        (reference.key, reference.label, reference.publication.title)
        for reference in article.references
    ] == [
        ("^1", "1", "Sugar feeds yeast in warm ovens"),
        ("^ry", "2", "Bread rises where it is warm"),
        ("^2", "3", ""),
    ]


@pytest.mark.parametrize(
    ("cited", "listed"), [("[1]", "## References\n\n1. Ito K. Sugar.\n"), ("[@doi:10.1000/a]", "")]
)
def test_notes_in_markdown_are_text_beside_other_citations(
    cited: str, listed: str, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text(f"# T\n\nYeast {cited}[^1].\n\n{NOTES}\n{listed}")
    article = read("markdown", tmp_path / "a.md")
    assert article.text.startswith("T\n\nYeast [1].\n\nIto K, Ry B. Sugar")
    assert [reference.label for reference in article.references] == ["1"]


def test_inline_notes_in_markdown_stand_behind_their_paragraph(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# T\n\nBread^[Rye [so @pmid:12, p. 3], not *wheat*.] rises [@pmid:34].^[7]^ It is old.\n"
    )
    article = read("markdown", tmp_path / "a.md")
    assert article.text.split("\n\n")[1:] == [
        "Bread rises [1].[7] It is old.",
        "Rye [2], not wheat.",
    ]
    assert [link.names for link in article.links] == [("pmid:34",), ("pmid:12",)]


def test_a_list_that_pandoc_has_made_in_markdown_is_one_of_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# T\n\nBread rises^1,\\ 2^. Ovens warm [@fig:1] it (1--3).\n\n"
        "# References {#references .unnumbered}\n\n::: {#refs .references .csl-bib-body}\n"
        "::: {#ref-a .csl-entry}\n[1. ]{.csl-left-margin}[[Ito]{.smallcaps} J, [Ry]{.smallcaps} B. "
        "Sugar [fine] feeds yeast. J Bread 2001;3:1.]{.csl-right-inline}\n:::\n\n"
        "::: {#ref-b .csl-entry}\n[2. ]{.csl-left-margin}[Od K. Bread rises where it is warm. J "
        "Bread 2004;4:11.]{.csl-right-inline}\n:::\n:::\n"
    )
    article = read("markdown", tmp_path / "a.md")
    assert "Bread rises¹,²." in article.text
    assert "it (1–3)" in article.text
    assert [reference.text for reference in article.references] == [
        "1. Ito J, Ry B. Sugar [fine] feeds yeast. J Bread 2001;3:1.",
        "2. Od K. Bread rises where it is warm. J Bread 2004;4:11.",
    ]


def test_what_latex_does_not_print_is_no_text(tmp_path: Path) -> None:
    article = read(
        "latex",
        write(
            tmp_path,
            main="\\newcommand{\\px}{p53\\xspace}\\begin{document}The \\px acts (\\citeyear{a}).\n"
            "\\iffalse Old \\cite{b}. \\fi It \\added{does \\cite{c}}"
            "\\deleted{did \\cite{d}}.\n\\todo[inline]{Cite \\cite{e}} \\iffalse\\end{document}",
        ),
    )
    assert article.text == "The p53 acts ([1]). It does [2]."
    assert article.links_elsewhere == ()


@pytest.mark.parametrize("name", ["a.tex", "a.md"])
def test_parts_of_an_abstract_are_abstract(name: str, tmp_path: Path) -> None:
    parts = ("Abstract", "Methods", "Introduction")
    marks = ("\\section{{{}}}", "\\subsection{{{}}}") if name == "a.tex" else ("# {}", "## {}")
    levels = (marks[0], marks[1], marks[0])
    written = "\n\n".join(
        f"{level.format(part)}\n\nIn {part}." for level, part in zip(levels, parts, strict=True)
    )
    (tmp_path / name).write_text(f"---\ntitle: T\n---\n{written}" if name == "a.md" else written)
    article = read("latex" if name == "a.tex" else "markdown", tmp_path / name)
    shown = [(section.title, section.kind) for section in article.sections if section.title]
    assert shown == [
        ("Abstract", "abstract"),
        ("Abstract / Methods", "abstract"),
        ("Introduction", "body"),
    ]


def test_keys_that_are_identifiers_need_no_bibliography(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# T\n\nYeast [@doi:10.1000/Sugar; @pmid:12] and @PMCID:PMC34 in {@fig:a} [@sec-one].\n\n"
        "Bread [@tag:rye; @10.1000/kept] is @old.\n\n"
        "[@tag:rye]: url:https://doi.org/10.1000/s(1)2\n[@other]: arxiv:1\n"
    )
    article = read("markdown", tmp_path / "a.md")
    assert (
        article.text == "T\n\nYeast [1, 2] and [3] in {@fig:a} [@sec-one].\n\nBread [4, 5] is [6]."
    )
    assert [
        (reference.key, reference.label, *reference.publication.identifiers)
        for reference in article.references
    ] == [
        ("doi:10.1000/Sugar", "1", "doi:10.1000/sugar"),
        ("pmid:12", "2", "pmid:12"),
        ("PMCID:PMC34", "3", "pmcid:PMC34"),
        ("tag:rye", "4", "doi:10.1000/s(1)2"),
        ("10.1000/kept", "5", "doi:10.1000/kept"),
    ]


def test_a_quarto_project_names_the_bibliography(tmp_path: Path) -> None:
    (tmp_path / "a.qmd").write_text("Bread [@fig-leaf; @eq-1] is old [@rye].")
    (tmp_path / "_quarto.yml").write_text("project:\n  type: book\nbibliography: refs.bib\n")
    (tmp_path / "refs.bib").write_text("@misc{rye, title={R}}\n@misc{fig-leaf, title={F}}")
    article = read("markdown", tmp_path / "a.qmd")
    assert article.text == "Bread [1] is old [2]."
    assert [(each.key, each.label) for each in article.references] == [
        ("rye", "2"),
        ("fig-leaf", "1"),
    ]
    (tmp_path / "_quarto.yml").write_bytes(b"bibliography: \xff\n")
    [problem] = read("markdown", tmp_path / "a.qmd").reference_list.problems
    assert problem.startswith("_quarto.yml: ")


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


def test_what_markdown_raises_lowers_and_writes_as_formula(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# Bread\n\nAnn Ry<sup>1, 2</sup>\n\n^1^Breadtown.\n\nYeast<sup>1, 3</sup> and^2^ "
        "10^6^ times H~2~O; 5&nbsp;mg of $\\alpha$-rye costs $4 or $5.[^n]\n\n[^n]: A note^4^\n\n"
        "::: {.box}\nIt ends.\n:::\n"
    )
    assert read("markdown", tmp_path / "a.md").text.split("\n\n") == [
        "Bread",
        "Yeast¹,³ and² 10⁶ times H2O; 5 mg of α-rye costs $4 or $5.",
        "A note⁴",
        "It ends.",
    ]


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.tex").write_text(text)
    return folder / "main.tex"


def test_latex_in_several_files_with_macros_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    main = write(
        tmp_path,
        main="\\documentclass{article}\\newcommand{\\dough}{sour \\rye}\\def\\rye{rye}\n"
        "\\title{On \\dough{}}\\begin{document}\\author{Ito\\inst{1}}\\input{parts/first} It rises,"
        " \\textcolor{red}{red} \\autocites[see][]{ito}{ry}.\n\n\\include{own} It ends.\n\n"
        "\\begin{thebibliography}{1}\\bibitem[{Ito et~al.(2001{\\natexlab{a}})Ito, Ry}]{ito}"
        " K. Ito and B. Ry. Sugar feeds yeast for long. \\emph{J Yeast}, 2001."
        "\\end{thebibliography}\\end{document}",
        own="\\documentclass{subfiles}\\begin{document}Bread \\cite{ry} too.\\end{document} Not.",
    )
    write(tmp_path / "parts", first="The \\dough{} grows. % \\input{never}\n\\input{parts/second}")
    write(tmp_path / "parts", second="So does 5\\,mg.")
    article = read("latex", main)
    assert article.text.split("\n\n") == [
        "On sour rye",
        "The sour rye grows. So does 5 mg. It rises, red [1, 2].",
        "Bread [2] too. It ends.",
    ]
    [listed] = article.references
    assert (listed.key, listed.label, listed.publication.title, listed.publication.year) == (
        "ito", "1", "Sugar feeds yeast for long", 2001,
    )  # fmt: skip
    assert article.reference_list.problems == ()
    [part] = readers["latex"].read(tmp_path / "parts" / "first.tex")
    assert isinstance(part, Rejected)
    assert part.reason == "a part of main.tex, which includes it; name that"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("main", "main is included by itself, or too deep; it is left out"),
        ("missing", "missing.tex, which main.tex names, is missing"),
        ("../main", "names ../main.tex, which is not in the manuscript's folder"),
        ("/etc/passwd", "which is not in the manuscript's folder"),
    ],
)
def test_what_latex_cannot_include_is_said_once(name: str, problem: str, tmp_path: Path) -> None:
    main = write(tmp_path, main=f"\\documentclass{{a}} A b. \\input{{{name}}} C. \\input{{{name}}}")
    article = read("latex", main)
    assert article.text == "A b. C."
    [said] = article.reference_list.problems
    assert said.endswith(problem)


def test_files_that_double_are_bounded(tmp_path: Path) -> None:
    for name, below in pairwise("abcdefg"):
        (tmp_path / f"{name}.tex").write_text(f"\\input{{{below}}} " * 40)
    (tmp_path / "g.tex").write_text("")
    main = write(tmp_path, main="\\documentclass{a} A b. \\input{a} C.")
    problems = read("latex", main).reference_list.problems
    assert {problem.partition(" ")[2] for problem in problems} == {
        "makes it larger than 20 MB; it is left out"
    }


def test_macros_that_double_are_bounded(tmp_path: Path) -> None:
    chain = [rf"\def\{a}{{" + rf"\{b} " * 90 + "}" for a, b in pairwise("abcdefg")]
    written = r"\documentclass{a}" + "".join(chain) + r"\def\g{go }" + r"\a " * 1000
    assert len(read("latex", write(tmp_path, main=f"{written} A b.")).text) < 2_000_000


TEMPLATES = {
    "PLOS": (
        "\\begin{document}\n\\begin{flushleft}\n{\\Large\n\\textbf\\newline{Bread in the dark}\n}\n"
        "\\newline\n\\\\\nKim Ito\\textsuperscript{1*}\n\\\\ \\bigskip\n\\textbf{1} Made\n"
        "\\end{flushleft}\n\\section*{Abstract}\nYeast grows.\n\\newgeometry{top=1in,left=1in}\n"
        "\\section*{Introduction}\nIt eats sugar \\cite{ito}.\n"
    ),
    "Springer": (
        "\\begin{document}\\title[Bread]{Bread in the dark}\n"
        "\\author*[1]{\\fnm{Kim} \\sur{Ito}}\\email{i@made.example}\\equalcont{Both did.}\n"
        "\\affil*[1]{\\orgdiv{Department}, \\orgname{Made Institute}}\n\\abstract{Yeast grows.}\n"
        "\\keywords{bread}\\maketitle\n\\section{Introduction}It eats sugar \\cite{ito}.\n"
    ),
    "Elsevier": (
        "\\def\\font{\\fontsize{8}{11}}\\begin{document}\\firstpage{1}\\begin{frontmatter}\n"
        "\\dochead{Research}\\title{Bread in the dark\\tnoteref{t}}\\tnotetext[t]{It is a note.}\n"
        "\\author[a]{Kim Ito\\corref{c}}\\ead{i@made}\\affiliation[a]{organization={Made}}\n"
        "\\begin{abstract}\\font Yeast grows.\\end{abstract}\\begin{keyword}a\\end{keyword}\n"
        "\\end{frontmatter}\\section{Introduction}It eats sugar \\cite{ito}.\n"
    ),
    "MDPI": (
        "\\Title{Bread in the dark}\\Author{Kim Ito $^{1,}$*}\\AuthorNames{Kim Ito}\n"
        "\\address{$^{1}$ Made Institute}\\corres{i@made.example}\\abstract{Yeast grows.}\n"
        "\\keyword{bread}\n\\begin{document}\\section{Introduction}It eats sugar \\cite{ito}.\n"
        "\\reftitle{References}\n"
    ),
}


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_front_of_the_templates_of_publishers(template: str, tmp_path: Path) -> None:
    written = f"\\documentclass{{a}}\n{TEMPLATES[template]}\\end{{document}}"
    article = read("latex", write(tmp_path, main=written))
    assert article.text == "Bread in the dark\n\nYeast grows.\n\nIt eats sugar [1]."
    assert [(section.kind, section.title) for section in article.sections] == [
        ("title", ""),
        ("abstract", "Abstract"),
        ("body", "Introduction"),
    ]


def test_nothing_but_the_front_is_taken_for_it(tmp_path: Path) -> None:
    box = "\\begin{center}{\\Large\\textbf{A box}} It is text.\\end{center}"
    written = f"\\begin{{document}}\\section{{One}} A b.\n\n{box}\\end{{document}}"
    assert read("latex", write(tmp_path, main=written)).text == "A b.\n\nA box It is text."
    written = "\\abstract{Bread.}\\abstract{Brot.}\\begin{document}It is rye.\\end{document}"
    assert read("latex", write(tmp_path, main=written)).text.split("\n\n") == [
        "Bread.",
        "Brot.",
        "It is rye.",
    ]


def test_blocks_of_a_list_say_what_the_authors_are(tmp_path: Path) -> None:
    items = (
        ("Kim-Ann Ito.", "How bread is kept.", "Made Press, Oslo, 2003."),
        ("Bo~Ry et~al.", "Bread\n  of {Old} bakers.", "{\\em Journal of Bread}, 3:1--5, May 2004."),
        ("K.~Ito and B.~Ry, {\\em A history of bread}.", "Made Press, 2005."),
    )
    listed = "\n\n".join(
        f"\\bibitem{{k{number}}}\n" + "\n\\newblock ".join(blocks)
        for number, blocks in enumerate(items)
    )
    written = (
        f"A \\cite{{k0}}.\n\\begin{{thebibliography}}{{3}}\n{listed}\n\\end{{thebibliography}}"
    )
    found = [
        (reference.publication.authors, reference.publication.title, reference.publication.year)
        for reference in read("latex", write(tmp_path, main=written)).references
    ]
    assert found == [
        (("Ito, Kim-Ann",), "How bread is kept", 2003),
        (("Ry, Bo",), "Bread of Old bakers", 2004),
        (("Ito, K.", "Ry, B."), "A history of bread", 2005),
    ]


def test_the_list_that_bibtex_has_made_stands_in_for_missing_files(tmp_path: Path) -> None:
    main = write(tmp_path, main="\\documentclass{a} A \\cite{ry}.\n\\bibliography{refs}")
    (tmp_path / "main.bbl").write_text(
        "\\begin{thebibliography}{1}\\providecommand{\\doi}[1]{x}\n"
        "\\bibitem [{\\citenamefont {Ry}\\ \\emph {et~al.}(2003)}]{ry}%\n \\bibfield {author} "
        "{\\bibinfo {author} {\\bibnamefont {B.}~Ry}, }\\enquote {How bread is kept}, "
        "\\href {\\doibase 10.1000/kept} {(\\bibinfo {year} {2003})}\\BibitemShut {NoStop}%\n"
        "\\end{thebibliography}"
    )
    article = read("latex", main)
    [listed] = article.references
    assert article.reference_list.problems == ("refs.bib, which main.tex names, is missing",)
    assert listed.publication.doi == "10.1000/kept"
    assert listed.text == "B. Ry, How bread is kept, (2003) doi:10.1000/kept"
    (tmp_path / "main.bbl").write_text(
        "\\entry{ry}{article}{}{}\n\\field{title}{How {Bread} is kept}\n\\endentry\n"
    )
    [listed] = read("latex", main).references
    assert listed.publication.title == "How Bread is kept"
    (tmp_path / "refs.bib").write_text("@article{ry, title={Bread}}")
    [listed] = read("latex", main).references
    assert listed.publication.title == "Bread"

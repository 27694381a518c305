"""The lines of citations in the files that readers have made texts of."""

import random
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from citespan.pipelines.citations.manuscript import read_citations
from citespan.pipelines.citing.source_lines import SourceLines
from citespan.pipelines.corpus.readers.latex import read_source
from citespan.pipelines.evaluation.shipped import sample

BIB = "".join(f"@article{{{key}, title = {{Work {key}}}}}\n" for key in ("ito", "ry_b:2", "od"))


def find_markers(file: Path, written: str, bib: str = BIB) -> list[int | None]:
    """The line of each citation of a manuscript."""
    file.write_text(written, encoding="utf-8")
    file.with_name("m.bib").write_text(bib, encoding="utf-8")
    found = read_citations(file)
    lines = SourceLines(written, found.article.text)
    return [lines.find_marker(citation) for citation in found.citations]


def lines_of(written: str, *marks: str) -> list[int]:
    """The lines on which some texts begin, each looked for behind the one before."""
    place, lines = 0, []
    for mark in marks:
        place = written.index(mark, place) + 1
        lines.append(written.count("\n", 0, place) + 1)
    return lines


MARKDOWN = """---
title: Yeast
bibliography: m.bib
---

<!-- Yeast grows on sugar [@od],

nobody knows why. -->
# Introduction

Yeast *grows* on **sugar** and on
[bread](https://example.org/a-long/address) in the dark
[@ito; @ry_b:2], which is
known. It rises
[@od].

| table | of | cells |
| --- | --- | --- |

```
Yeast grows on sugar [@od].
```

- Yeast grows on sugar [@od].
- Yeast grows on sugar [@ito].

Yeast grows on sugar [@ry_b:2].
"""


def test_markdown_by_the_lines_of_the_keys(tmp_path: Path) -> None:
    written = MARKDOWN
    body = written.index("# Introduction")
    before = written.count("\n", 0, body)
    tail = written[written.index("- Yeast") :]
    found = find_markers(tmp_path / "m.md", written)
    assert found[:3] == [before + line for line in lines_of(written[body:], "@ito", "@ry_b", "@od")]
    ahead = written.count("\n") - tail.count("\n")
    assert found[3:] == [ahead + line for line in lines_of(tail, "@od", "@ito", "@ry_b")]


LATEX = r"""\documentclass{article}
\title{Yeast and what it grows on}
\begin{document}
\maketitle
% Yeast grows on sugar \cite{od}
\begin{abstract}
Sugar is \emph{sweet}, as everybody
knows~\citep[see][p.~3]{ito}.
\end{abstract}
\section{Results}
Yeast grows on \textbf{sugar}\footnote{Sugar of beets, not of cane, as
others say \cite{od}.} in
the dark % of the night
and in the light of day~\cite{ito,
  ry_b:2}.
\begin{figure}
\caption{Yeast cells that grow on bread, seen by a microscope
\cite{ry_b:2}.}
\end{figure}

Nobody has asked why it does so \cite{od}.
\bibliography{m}
\end{document}
"""


def test_latex_with_notes_and_captions_that_stand_elsewhere(tmp_path: Path) -> None:
    found = find_markers(tmp_path / "m.tex", LATEX)
    first = lines_of(
        LATEX, r"]{ito", r"\cite{od}.} in", "cite{ito,", "ry_b:2}.", "cite{ry_b", "od}."
    )
    abstract, note, ito, ry, caption, last = first
    assert sorted(found) == sorted([abstract, note, ito, ry, caption, last])
    assert found[0] == abstract


def test_what_latex_includes_has_no_line_and_what_follows_has_its_own(tmp_path: Path) -> None:
    written = "\\input{part}\nYeast \\input{part}\nrises \\cite{od}.\n\n\\bibliography{m}\n"
    (tmp_path / "part.tex").write_text("Bread is eaten\nin the dark \\cite{ito}.\n")
    (tmp_path / "m.bib").write_text(BIB)
    (tmp_path / "m.tex").write_text(written)
    found = read_citations(tmp_path / "m.tex")
    lines = SourceLines(read_source(tmp_path / "m.tex"), found.article.text)
    assert [lines.find_marker(citation) for citation in found.citations] == [None, None, 3]
    assert lines.find(0, len(found.article.text)) is None


def test_plain_text_by_the_marker_itself(tmp_path: Path) -> None:
    written = (
        "Yeast grows on sugar [1]. It grows\non bread [2] as well.\n\nIt\nrises (Ry, 2002).\n\n"
        "References\n\n1. Ito K. Sugar. 2001.\n2. Ry B. Bread. 2002.\n"
    )
    assert find_markers(tmp_path / "m.txt", written)[:2] == [1, 2]


def test_an_article_in_xml() -> None:
    file = sample("jats") / "p53-dna-damage.xml"
    written = file.read_text(encoding="utf-8")
    found = read_citations(file)
    lines = SourceLines(written, found.article.text)
    marked = [number for number, line in enumerate(written.split("\n"), 1) if "<xref" in line]
    for citation in found.citations:
        assert lines.find_marker(citation) in marked


def test_a_text_that_is_not_in_the_file_has_no_lines(tmp_path: Path) -> None:
    file = tmp_path / "m.md"
    file.write_text("Yeast grows on sugar [1].\n\n# References\n\n1. Ito K. Sugar. 2001.\n")
    found = read_citations(file)
    lines = SourceLines("Whales sing below.\n", found.article.text)
    assert [lines.find_marker(citation) for citation in found.citations] == [None]
    assert lines.find(0, 10) is None
    assert SourceLines("", "").find(0, 0) is None


WORDS = "yeast grows on sugar bread rises cells dark light day of the in and".split()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 40), st.integers(1, 12))
def test_each_citation_has_the_line_of_its_key(seed: int, sentences: int, width: int) -> None:
    """Of a manuscript of few words, in which every citation has a key of its own."""
    from citespan.pipelines.citing.citations import find_citations
    from citespan.pipelines.corpus.article import Article, Link
    from citespan.pipelines.corpus.references import Reference, ReferenceList
    from citespan.pipelines.text.splitter import splitters

    chance = random.Random(seed)
    written, text, links = "", "", []
    for number in range(sentences):
        words = [f"w{number}", *(chance.choice(WORDS) for _ in range(chance.randint(3, 12)))]
        for at, word in enumerate(words):
            gap = "\n" if at % width == width - 1 else " "
            written += chance.choice((f"*{word}*", word)) + gap
            text += word + " "
        start = len(text)
        text += f"[{number + 1}]. "
        links.append(Link(start, start + len(f"[{number + 1}]"), (f"key{number}",)))
        written += f"[@key{number}]." + chance.choice(" \n")
        if chance.random() < 0.3:
            text = text.rstrip() + "\n\n"
            written += "\n\n"
    references = tuple(Reference(f"key{n}", (f"key{n}",), str(n + 1), "") for n in range(sentences))
    article = Article(
        "m", "", text.rstrip(), "m.md", links=tuple(links), reference_list=ReferenceList(references)
    )
    lines = SourceLines(written, article.text)
    for citation in find_citations(article, splitters["punkt"]).citations:
        assert citation.reference is not None
        place = written.index(f"@{citation.reference.key}]")
        assert lines.find_marker(citation) == written.count("\n", 0, place) + 1


def test_the_time_grows_with_the_length_of_the_file() -> None:
    text = "\n\n".join("a a a a a a a a [1]. " * 200 for _ in range(50))
    lines = SourceLines(text.replace("a a", "a\na"), text)
    assert lines.find(0, 200) is None or lines.find(0, 200)

"""The .bbl files that biber writes: fields, names, and entries that are broken."""

import pytest
from growth.clock import find_growth
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.corpus.bibliographies import biblatex
from citespan.pipelines.corpus.bibliographies.biblatex import parse_bbl
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import ReferenceList

MADE = r"""% $ biblatex auxiliary file $
% $ biblatex bbl format version 3.3 $
\begingroup
\makeatletter
\refsection{0}
  \datalist[entry]{nty/global//global/global/global}
    \entry{ito2001}{article}{}{}
      \name{author}{3}{}{%
        {{un=0,uniquepart=base,hash=aa11}{%
           family={Ito},
           familyi={I\bibinitperiod},
           given={Kim\bibnamedelima B.},
           giveni={K\bibinitperiod\bibinitdelim B\bibinitperiod}}}%
        {{un=0,hash=bb22}{%
           family={Ry},
           given={Bo},
           prefix={van},
           prefixi={v\bibinitperiod}}}%
        {{hash=cc33}{%
           family={{The {Yeast} Group and Friends}}}}%
      }
      \strng{namehash}{dd44}
      \field{sortinit}{I}
      \field{labelnamesource}{author}
      \field{journaltitle}{Journal of \emph{Yeast}}
      \field{title}{{G}rowth of {\O}stergaard's \'{e}tude}
      \field{year}{2001}
      \field{pages}{1\bibrangedash 5}
      \range{pages}{5}
      \verb{doi}
      \verb 10.1000/a_b%3C1
      \endverb
      \verb{eprint}
      \verb 1234
      \endverb
      \field{eprinttype}{pubmed}
    \endentry
    \entry{bread}{book}{}{}
      \list{publisher}{1}{%
        {Made Press}%
      }
      \field{title}{Bread}
      \field{year}{1999}
    \endentry
  \enddatalist
  \datalist[entry]{none/global//global/global/global}
    \entry{bread}{book}{}{}
      \field{title}{Bread}
    \endentry
  \enddatalist
\endrefsection
\endinput
"""


def test_entries() -> None:
    found = ReferenceList.of(parse_bbl(MADE, "main.bbl"))
    assert found.problems == ()
    ito, bread = found.references
    assert (ito.key, ito.names) == ("ito2001", ("ito2001",))
    assert ito.publication == Publication(
        authors=("Ito, Kim B.", "van Ry, Bo", "The Yeast Group and Friends"),
        title="Growth of Østergaard's étude",
        year=2001,
        journal="Journal of Yeast",
        pmid="1234",
        doi="10.1000/a_b<1",
    )
    assert bread.publication == Publication((), "Bread", 1999, "Made Press")


def test_a_broken_entry_is_reported_and_the_rest_is_read() -> None:
    broken = MADE.replace("{Bo}", "{Bo", 1)
    found = ReferenceList.of(parse_bbl(broken, "main.bbl"))
    assert [reference.key for reference in found.references] == ["bread"]
    assert found.problems == ("main.bbl: entry 'ito2001' has unbalanced braces; it is left out",)
    assert not list(parse_bbl("\\begin{thebibliography}{1}\\bibitem{a} A.", "main.bbl"))


def test_the_rest_of_too_many_entries_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(biblatex, "MOST_ENTRIES", 1)
    found = ReferenceList.of(parse_bbl(MADE, "main.bbl"))
    assert [reference.key for reference in found.references] == ["ito2001"]
    assert found.problems == ("main.bbl: more than 1 entries; the rest is left out",)


PIECES = [
    *("\\entry{a}{b}", "\\endentry", "\\name{author}{1}{}{", "\\field{title}{", "{", "}", "%\n"),
    *("family={", "given={x}", "\\list{a}{1}{", "\\verb{doi}\n\\verb ", "x", "\n", "\\", "\\{"),
]


@given(st.lists(st.sampled_from(PIECES)))
def test_nothing_raises(parts: list[str]) -> None:
    found = ReferenceList.of(parse_bbl("".join(parts), "main.bbl"))
    assert all("\n" not in problem for problem in found.problems)


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("before", ["", "\\entry{a}{b}", "\\entry{a}{b}\\name{author}{1}{}{{{"])
def test_it_takes_time_linear_in_the_file(before: str, piece: str) -> None:
    def read(text: str) -> None:
        list(parse_bbl(text, "main.bbl"))

    assert not find_growth(read, lambda size: before + piece * size, 100_000, 30)


def test_it_takes_time_linear_in_the_entries() -> None:
    numbered = "\\entry{a%d}{b}\\field{title}{"

    def read(text: str) -> None:
        list(parse_bbl(text, "main.bbl"))

    assert not find_growth(
        read, lambda size: "".join(numbered % n for n in range(size)), 20_000, 30
    )

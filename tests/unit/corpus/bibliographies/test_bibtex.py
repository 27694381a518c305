"""BibTeX: fields, names, LaTeX, and entries that are broken."""

import pytest
from growth.clock import find_growth
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.corpus.bibliographies.bibtex import parse_bibtex
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import ReferenceList

MADE = r"""
% a remark: @article{no, title = {No}
@string{jy = "Journal of " # {Yeast}}
@comment{@article{hidden, title={Hidden}}}
@Article{ito2001,
  author = {Ito, Kim B. and Bo van Ry and {The {Yeast} Group and Friends} and others},
  title = "{G}rowth of \emph{S. cerevisiae} \& {\O}stergaard's \'{e}tude",
  journal = jy, year = 2001, volume = 1,
  doi = {https://doi.org/10.1000/A\_b}, pmid = {12}, pmcid = {PMC34},
}
@book(bread, editor={Od, A}, title={Bread}, date = {1999-02-03}, publisher = {Made Press},
  eprint = {77}, eprinttype = {PubMed})
@misc{kept, title={Kept}, eprint = {2101.00001}, archivePrefix = {arXiv}}
"""


def test_entries() -> None:
    found = ReferenceList.of(parse_bibtex(MADE, "made.bib"))
    ito, bread, kept = found.references
    assert (ito.key, ito.names) == ("ito2001", ("ito2001",))
    assert ito.publication == Publication(
        authors=("Ito, Kim B.", "van Ry, Bo", "The Yeast Group and Friends"),
        title="Growth of S. cerevisiae & Østergaard's étude",
        year=2001,
        journal="Journal of Yeast",
        pmid="12",
        pmcid="PMC34",
        doi="10.1000/a_b",
    )
    assert bread.publication == Publication(("Od, A",), "Bread", 1999, "Made Press", pmid="77")
    assert kept.publication == Publication(title="Kept")


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ("@article{bad, title = {No {end}, year = 2000}", "'bad' does not end; a brace"),
        ('@article{bad, title = "No end, year = 2000}', "'bad' has unbalanced braces"),
        ("@article{bad, title = {No}, year = 2000", "'bad' does not end; a brace is missing"),
        ("@article{bad, title = {No}}}, year", ""),
        ("@article{bad, title = , year = 2000}", "'bad' has a field without a value"),
        ("@article{bad, title {No}}", "'bad' has a field that is not NAME = {VALUE}"),
        ("@article{, title = {No}}", "@article has no key"),
    ],
)
def test_a_broken_entry_is_reported_and_the_rest_is_read(broken: str, problem: str) -> None:
    found = ReferenceList.of(
        parse_bibtex(f"@misc{{a, title={{A}}}}\n{broken}\n@misc{{b, title={{B}}}}\n", "x.bib")
    )
    assert [reference.key for reference in found.references if reference.key != "bad"] == ["a", "b"]
    if problem:
        (said,) = found.problems
        assert said.startswith("x.bib:2: ")
        assert problem in said
        assert "bad" not in [reference.key for reference in found.references]


@given(st.lists(st.sampled_from(["@a", "{", "}", "(", '"', "=", ",", "x", "#", "\\", "\n", " "])))
def test_nothing_raises_and_every_key_is_unique(parts: list[str]) -> None:
    found = ReferenceList.of(parse_bibtex("".join(parts), "x.bib"))
    keys = [reference.key for reference in found.references]
    assert len(set(keys)) == len(keys)
    assert all("\n" not in problem for problem in found.problems)


@pytest.mark.parametrize(
    ("before", "piece"), [("", "@a{x, t={"), ("", "{"), ("@a{x, t=", "{"), ("", "@")]
)
def test_it_takes_time_linear_in_the_file(before: str, piece: str) -> None:
    assert not find_growth(
        lambda text: ReferenceList.of(parse_bibtex(text, "x.bib")),
        lambda size: before + piece * size,
        100_000,
        30,
    )

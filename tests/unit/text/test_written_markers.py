"""Markers in texts without mark-up, and the reference list below them."""

from pathlib import Path

import pytest
from growth.clock import find_growth
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.citing.citations import find_citations
from citespan.pipelines.citing.marker_patterns import remove_markers
from citespan.pipelines.citing.written_markers import find_written_markers
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.readers.text import TextReader
from citespan.pipelines.corpus.reference_section import find_reference_section, split_entries
from citespan.pipelines.corpus.reference_text import read_entries, read_entry
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.text.splitter import splitters

LISTED = read_entries(
    [
        "[1] Ito K, Ry B. Sugar feeds yeast for long. J Yeast 2001; 1:1-2. doi:10.1000/sugar",
        "[2] Ry B, Ito K. Ovens of the world and what they bake. Bread 2003; 3:4. PMID: 12345",
        "[3] van Od A. The book of bread and more. Made Press 1999.",
        "[4] Ry B. More of the ovens of the world. Bread 2003; 5:6.",
    ]
).references
UNLABELLED = tuple(Reference(r.key, r.names, "", r.text, r.publication) for r in LISTED)


def markers(text: str, references: tuple[Reference, ...] = LISTED) -> list[tuple[str, str, str]]:
    return [
        (text[marker.start : marker.end], " ".join(marker.keys), " ".join(marker.unknown))
        for marker in find_written_markers(text, references, len(text))
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yeast grows [1].", [("[1]", "1", "")]),
        ("Yeast grows [1]–[3], [4] and [2]-[4].",
         [("[1]–[3], [4]", "1 2 3 4", ""), ("[2]-[4]", "2 3 4", "")]),
        ("Yeast grows [1, 3–4] in 12 (2) trials of 30 years (18–40).", [("[1, 3–4]", "1 3 4", "")]),
        ("Yeast (1,2) grew in 30 years (18–40), F(1, 4) = 3, at [4]-yeast; Zed (2003) did (3).",
         [("(1,2)", "1 2", ""), ("(3)", "3", "")]),
        ("Yeast (1,2) grew in 3 (2–4) ovens (3).", [("(1,2)", "1 2", ""), ("(3)", "3", "")]),
        ("Yeast (2) may (1) rise, or (2) it falls; (3) or not (4).",
         [("(2)", "2", ""), ("(4)", "4", "")]),
        ("Yeast grows (3) from never (1) to very often (4), as some (2) say (4).",
         [("(3)", "3", ""), ("(2)", "2", ""), ("(4)", "4", "")]),
        ("Yeast grows, (1) and rises. (2) Bread too, (4) or (3).",
         [("(1)", "1", ""), ("(2)", "2", ""), ("(4)", "4", ""), ("(3)", "3", "")]),
        ("Ito et al. (2001), Od (1999) and Ry and Ito (2003) saw 12 (3) of (Zed 2003).",
         [("Ito et al. (2001)", "1", ""), ("Od (1999)", "3", ""), ("Ry and Ito (2003)", "2", ""),
          ("(Zed 2003)", "", "zed 2003")]),
        ("It grew in 1998¹, 10⁶ times, in stage 4²⁻³ (reference 4/SC).",
         [("¹", "1", ""), ("²⁻³", "2 3", "")]),
        ("Yeast grows in cells.1,3 Then it ends.", [("1,3", "1 3", "")]),
        ("Yeast grows in cells¹⁻³ too.", [("¹⁻³", "1 2 3", "")]),
        ("As Ito et al. (2001) [1] say, Od (1999) [2] too, and [3, 4].",
         [("[1]", "1", ""), ("Od (1999)", "3", ""), ("[2]", "2", ""), ("[3, 4]", "3 4", "")]),
        ("Yeast grows [1, Theorem 2], rises [2, pp. 3–4; 4] and [3, n = 4] stops.",
         [("[1, Theorem 2]", "1", ""), ("[2, pp. 3–4; 4]", "2 4", "")]),
        ("Yeast grows [7].", [("[7]", "", "7")]),
        ("As Ito et al. (2001) say.", [("Ito et al. (2001)", "1", "")]),
        ("It grows (see Ito, 2001; Od 1999).", [("(see Ito, 2001; Od 1999)", "1 3", "")]),
        ("It grows (Fig. 1; Ito 2001).", [("Ito 2001", "1", "")]),
        ("It grows (Ry 2003).", [("(Ry 2003)", "4", "")]),
        ("It grows (Ry 2003a, b).", [("(Ry 2003a, b)", "2 4", "")]),
        ("It grows (Ry and Ito 2003) too (Ry et al. 2003).",
         [("(Ry and Ito 2003)", "2", ""), ("(Ry et al. 2003)", "2", "")]),
        ("It grows (Zed 2003).", [("(Zed 2003)", "", "zed 2003")]),
        ("p53 (n = 12), H2O2, Figure 3 and 10 mg in 2003.", []),
    ],
)  # fmt: skip
def test_what_is_a_marker_and_what_it_names(
    text: str, expected: list[tuple[str, str, str]]
) -> None:
    assert markers(text) == expected


def test_where_numbers_cite_joint_names_that_are_not_listed_are_told() -> None:
    text = "Yeast grows [1, 2], rises [3] (Helsinki 2000), and Zed and Od (2003) [4] saw it."
    assert [shown for shown, _, _ in markers(text)] == ["[1, 2]", "[3]", "Zed and Od (2003)", "[4]"]


def test_many_names_are_kept_though_some_are_not_listed() -> None:
    unknown = [f"Zed {year}" for year in range(1990, 2003)]
    text = f"It grows (Ito 2001; Od 1999; Ry 2003a, b; {'; '.join(unknown)})."
    [(_, keys, lost)] = markers(text)
    assert keys == "1 3 2 4"
    assert lost == " ".join(unknown).lower()


def test_numbers_in_a_list_without_labels() -> None:
    assert markers("It grows [2] in (3) cells.1", UNLABELLED) == [("[2]", "2", "")]


def test_labels_that_bibtex_makes_are_markers_and_numbers_beside_them_are_not() -> None:
    references = read_entries(
        split_entries(
            "[IRO+01] Ken Ito, Bob Ry, and Cy van Od. Sugar feeds yeast. J Yeast, 1:1–2, 2001.\n"
            "[Ry03] Bob Ry. Ovens of the world. Bread, 3:4, 2003.\n"
            "[RI03a] Bob Ry and Ken Ito. More ovens of the world. Bread, 5:6, 2003.\n"
        )
    ).references
    assert [reference.label for reference in references] == ["IRO+01", "Ry03", "RI03a"]
    text = (
        "It grows [IRO+01, Ry03] in [0, 1] or [12] (2) days [RI03a, Lemma 4; Ry03]. Ito et al. "
        "[IRO⁺01] add [Ca2+] and [sic]; Zed [Zed99] does not."
    )
    assert markers(text, references) == [
        ("[IRO+01, Ry03]", "1 2", ""),
        ("[RI03a, Lemma 4; Ry03]", "3 2", ""),
        ("[IRO⁺01]", "1", ""),
        ("[Zed99]", "", "Zed99"),
    ]


@pytest.mark.parametrize("text", ["It grows [4–2].", "It grows [4-2]."])
def test_a_range_that_does_not_ascend(text: str) -> None:
    (found,) = find_written_markers(text, LISTED, len(text))
    assert found.problem == 'the range "4–2" does not ascend'
    assert found.keys == ("4", "2")


def test_surnames_in_capitals_with_semicolons_have_one_year() -> None:
    listed = read_entries(
        [
            f"{names}. Yeast feeds on sugar. Bread, v. 5, n. 1, p. 1-9, {year}."
            for names, year in (("ROE, J.; DOE, A.", 2001), ("DOE, A.", 2001), ("POE, B.", 2003))
        ]
    )
    text = "It grows (ROE; DOE, 2001), falls (DOE, 2001; POE, 2003), says Roe e Doe (2001)."
    assert [shown for shown, _, _ in markers(text, listed.references)] == [
        "(ROE; DOE, 2001)",
        "(DOE, 2001; POE, 2003)",
        "Roe e Doe (2001)",
    ]
    assert [keys for _, keys, _ in markers(text, listed.references)] == ["1", "2 3", "1"]


def test_wide_brackets_and_marks_are_as_the_usual_ones() -> None:
    text = "It grows［1，2］, falls【2】 (see Ref. [1]) and rises [1] – [2]."
    assert [(shown, keys) for shown, keys, _ in markers(text, LISTED[:2])] == [
        ("［1，2］", "1 2"),
        ("【2】", "2"),
        ("Ref. [1]", "1"),
        ("[1] – [2]", "1 2"),
    ]
    assert remove_markers("It grows（Roe and Doe，2001）in ovens.") == "It grows in ovens."


def test_a_genitive_and_a_short_name_belong_to_the_names() -> None:
    entries = ("Roe, J. (2001). Yeast feeds on sugar.", "World Bread Union (2003). Bread.")
    listed = read_entries([f"{entry[:-1]} in cold ovens. Bread, 5, 1." for entry in entries])
    text = "Roe's (2001) yeast grows (World Bread Union [WBU], 2003)."
    assert markers(text, listed.references) == [
        ("Roe's (2001)", "1", ""),
        ("(World Bread Union [WBU], 2003)", "2", ""),
    ]


def test_others_are_named_in_other_languages() -> None:
    entries = ("Roe, J., Doe, A. u. a. (2001): Yeast feeds on sugar.", "Doe, A. (2001): Bread.")
    listed = read_entries([f"{entry[:-1]} in cold ovens, in: Bread 5, S. 1." for entry in entries])
    text = "It grows (Roe u. a. 2001), falls (Doe 2001), says Roe a kol. (2001)."
    assert [keys for _, keys, _ in markers(text, listed.references)] == ["1", "2", "1"]


def test_a_surname_of_two_words_is_known_by_its_last() -> None:
    listed = read_entries(
        [f"{name} and K Ito. Sugar feeds yeast, 5:1, 2016." for name in ("R Od Ry", "B Zed")]
    )
    text = "It grows (Od Ry and Ito, 2016; Zed and Ito, 2016)."
    assert markers(text, listed.references) == [
        ("(Od Ry and Ito, 2016; Zed and Ito, 2016)", "1 2", "")
    ]


def test_a_year_without_a_name_cites_nothing() -> None:
    listed = [Reference(str(n), publication=Publication(year=2001)) for n in (1, 2)]
    text = "It grew in ovens (2001) and (see 2001; J. Ito, 2001)."
    assert markers(text, listed) == [("(see 2001; J. Ito, 2001)", "", "ito 2001")]


def test_one_of_several_is_never_guessed() -> None:
    text = "It grows (Ry et al., 2003)."
    listed = read_entries([f"Ry B, et al. {title} J Bread 2003; 1:2." for title in ("A.", "B.")])
    (found,) = find_written_markers(text, listed.references, len(text))
    assert found.problem == "2 references are ry 2003; none is chosen"


def read(tmp_path: Path, text: str) -> Article:
    (tmp_path / "a.txt").write_text(text)
    (article,) = TextReader().read(tmp_path / "a.txt")
    assert isinstance(article, Article)
    return article


def test_a_manuscript_in_plain_text(tmp_path: Path) -> None:
    listed = "\n".join(reference.text for reference in LISTED)
    article = read(tmp_path, f"A title\n\nYeast grows [1]. So it is.\n\nReferences\n\n{listed}\n")
    found = find_citations(article, splitters["punkt"])
    assert [
        (citation.id, citation.reference and citation.reference.key) for citation in found.citations
    ] == [("1.1.1", "1")]
    assert [reference.key for reference in found.uncited] == ["2", "3", "4"]


@pytest.mark.parametrize("text", ["A title\n\nYeast grows [1].", "Yeast grows.\n\nReferences\n"])
def test_marks_without_a_list_and_a_list_without_marks(text: str, tmp_path: Path) -> None:
    found = find_citations(read(tmp_path, text), splitters["punkt"])
    assert found.references == ()
    assert all(citation.reference is None for citation in found.citations)


@pytest.mark.parametrize(
    ("listed", "entries"),
    [
        ("[1] One.\n[2] Two\n goes on.", ["[1] One.", "[2] Two goes on."]),
        ("1. One.\n2. Two.", ["1. One.", "2. Two."]),
        ("Ito K. One.\n\nRy B.\nTwo.", ["Ito K. One.", "Ry B. Two."]),
        ("Ito K. One.\nRy B. Two.", ["Ito K. One.", "Ry B. Two."]),
        ("", []),
    ],
)
def test_entries_of_a_list(listed: str, entries: list[str]) -> None:
    assert split_entries(listed) == entries


@pytest.mark.parametrize(
    "heading",
    [
        *("References", "REFERENCES:", "## Bibliography", "7. Literature cited", "Works Cited"),
        *(
            "References and Notes",
            "Reference List",
            "Selected references",
            "Literatur",
            "Références",
        ),
        *("Referências bibliográficas", "Cited literature", "Bibliografía"),
    ],
)
def test_the_list_is_found_by_its_heading(heading: str) -> None:
    text = f"References\n\nText.\n\n{heading}\n\n[1] One.\n\nAppendix A\n\nMore."
    found = find_reference_section(text)
    assert found is not None
    assert text[found[1] : found[2]].strip() == "[1] One."


@pytest.mark.parametrize(
    ("entry", "publication"),
    [
        (
            "12. Ito K, van Ry BA, et al. Sugar feeds yeast for long. J Yeast. 2001;1:1-9. "
            "doi: 10.1000/x(1)2. PMCID: PMC99",
            Publication(
                authors=("Ito, K", "van Ry, BA"),
                title="Sugar feeds yeast for long",
                year=2001,
                journal="J Yeast",
                pmcid="PMC99",
                doi="10.1000/x(1)2",
            ),
        ),
        (
            "Ito, K., & Ry, B. A. (2001). Sugar feeds yeast for long. Journal of Yeast, 1, 1-9.",
            Publication(
                authors=("Ito, K.", "Ry, B. A."),
                title="Sugar feeds yeast for long",
                year=2001,
                journal="Journal of Yeast",
            ),
        ),
        (
            "ITO, Ken; RY, Bo. Sugar feeds yeast for long. Journal of Yeast, v. 1, p. 2, 2001.",
            Publication(
                authors=("ITO, Ken", "RY, Bo"),
                title="Sugar feeds yeast for long",
                year=2001,
                journal="Journal of Yeast",
            ),
        ),
        (
            "World Bread Organization. Sugar feeds yeast for long. Breadtown: Bread; 2001.",
            Publication(
                authors=("World Bread Organization",),
                title="Sugar feeds yeast for long",
                year=2001,
                journal="Breadtown: Bread",
            ),
        ),
        ("https://example.org/2020/page", Publication()),
    ],
)  # fmt: skip
def test_an_entry_that_is_text(entry: str, publication: Publication) -> None:
    assert read_entry(entry) == publication


PIECES = st.lists(
    st.sampled_from(
        ["[1", "]", "(", ")", "Ito ", "et al. ", "2001", ", ", "–", "3", "cells", ".", "\n"]
    )
)


@given(PIECES)
def test_markers_are_in_order_without_overlap(pieces: list[str]) -> None:
    text = "".join(pieces)
    last = 0
    for marker in find_written_markers(text, LISTED, len(text)):
        assert last <= marker.start < marker.end <= len(text)
        assert marker.keys or marker.unknown
        assert len(set(marker.keys)) == len(marker.keys)
        last = marker.end


@pytest.mark.parametrize("piece", ["[1] (Ito 2001) ", "(" * 10, "Ito Ito ", "[1–9],"])
def test_it_takes_time_linear_in_the_text(piece: str) -> None:
    def read(text: str) -> None:
        list(find_written_markers(text, LISTED, len(text)))
        read_entry(text)

    assert not find_growth(read, lambda size: piece * size, 20_000, 60)


def test_names_in_markers_are_those_of_the_list_whatever_their_particles_and_words() -> None:
    listed = read_entries(
        [
            "Al-Ito, Jane and Ann Ry. 2001a. Sugar feeds yeast for long. J Yeast 1:1.",
            "Al-Ito, Jane and Ann Ry. 2001b. Ovens of the world and more. Bread 3:4.",
            "Della Od, Jo. 1999. The book of bread and more. Made Press.",
            "World Bread Organization. 2010. Bread in the world. Rome.",
            "Garcia Roe, M. (2004). Bread of the south and its bakers. J Bread, 1, 2.",
        ]
    ).references
    text = (
        "Similarly, Al-Ito and Ry (2001a; 2001b) say so, and so do others (Della Od, 1999; World "
        "Bread Organization, 2010; Garcia Roe, 2004)."
    )
    found = markers(text, listed)
    assert [unknown for _, _, unknown in found] == ["", ""]
    assert [keys for _, keys, _ in found] == ["1 2", "3 4 5"]


@pytest.mark.parametrize(
    ("text", "marker", "keys"),
    [
        ("As the World Bread Organization (2010) says.", "World Bread Organization (2010)", "1"),
        ("As WBO (2010) says.", "WBO (2010)", "1"),
        ("It grows (WBO, 2010).", "(WBO, 2010)", "1"),
        ("As Bread Organization (2010) says.", "Organization (2010)", ""),
        (
            "As Institutes for Bread and Health (2004) say.",
            "Institutes for Bread and Health (2004)",
            "2",
        ),
    ],
)
def test_groups_are_named_in_sentences_and_by_acronyms(text: str, marker: str, keys: str) -> None:
    listed = read_entries(
        [
            "World Bread Organization. 2010. Bread in the world. Rome.",
            "Institutes for Bread and Health. (2004). Bread of the south and its bakers. Rome.",
        ]
    ).references
    assert [(found, key) for found, key, _ in markers(text, listed)] == [(marker, keys)]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("It grows (J. Ito et al. 2001; B. Ry 2003).", "1 3"),
        ("It grows (K. Ito et al. 2001, 2005).", "2 6"),
        ("It grows (J Ito et al., 2001).", "1"),
        ("It grows (Ito, Abe, et al., 2001).", "1"),
        ("It grows (Ry 2003; Ry et al. 2003).", "3 5"),
        ("It grows (Abe et al. 2010; Abe 2010).", "7 8"),
        ("It grows (van der Od et al. 1999).", "4"),
    ],
)
def test_initials_and_further_names_tell_entries_of_one_name_and_year(text: str, keys: str) -> None:
    listed = read_entries(
        [
            "Ito, J., Abe, L., & Ry, B. (2001). Sugar feeds yeast for long. J Yeast, 1, 1.",
            "Ito, K., Od, A., & Ry, B. (2001). Ovens of the world and more. Bread, 3, 4.",
            "Ry, B. (2003). Bread of the south and its bakers. Rome.",
            "Od, JA van der, and B Ry. 1999. “The book of bread and more.” J Bread.",
            "Ry, B., Od, A., & Ito, K. (2003). Ovens of the north and its people. Bread, 3, 4.",
            "Ito, K., Od, A., & Ry, B. (2005). Ovens of the south and more. Bread, 3, 4.",
            "Abe L, et al. 2010. Ovens of the east and its bakers. Bread 3:4.",
            "Abe L. 2010. Ovens of the west and its bakers. Bread 3:4.",
        ]
    ).references
    assert [found for _, found, _ in markers(text, listed)] == [keys]


def test_a_letter_behind_the_year_is_that_of_the_entry_whatever_their_order() -> None:
    listed = read_entries(
        [
            "Ito, J., 2001b. Sugar feeds yeast for long. J Yeast 1:1.",
            "Ito, J., 2001a. Ovens of the world and more. Bread 3:4.",
            "CDC, 2004. Bread of the south and its bakers. Rome.",
            "Reyes del Od, M., Ito, J., 2005. Bread of the south and its people. Bread 3:4.",
        ]
    ).references
    text = "It is (Ito, 2001a) so (Ito 2001b, CDC 2004) and (Reyes del Od et al. 2005)."
    assert [keys for _, keys, _ in markers(text, listed)] == ["2", "1 3", "4"]


def test_names_are_found_in_entries_whose_authors_are_not_read() -> None:
    listed = read_entries(
        [
            "Ito Jane Lin, Abe Kim. Sugar feeds yeast for long [M]. 2001",
            "van Ry, . 2004. Ovens of the world and more",
            "Od! The book of bread and more. Made Press 1999",
        ]
    ).references
    text = "It rises (Ito et al., 2001; van Ry, 2004), says Od (1999), but not Abe (2001)."
    found = markers(text, listed)
    assert [keys for _, keys, _ in found] == ["1 2", "3", ""]


@pytest.mark.parametrize("raised", ["^(1,2)", "^(1, 2)", "^(1-2)", "⁽¹,²⁾", "¹,²"])
def test_numbers_above_the_line_may_be_written_with_a_caret_or_in_brackets(raised: str) -> None:
    listed = read_entries(["1. Ito J. Sugar feeds yeast. 2001.", "2. Ry B. Ovens of it. 2004."])
    text = f"It rises{raised}. It is 10^(2) times warmer."
    assert [keys for _, keys, _ in markers(text, listed.references)] == ["1 2"]
    assert remove_markers(text) == "It rises. It is 10^(2) times warmer."

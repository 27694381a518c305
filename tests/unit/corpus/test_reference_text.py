"""Entries of reference lists that are text alone."""

import pytest

from citespan.pipelines.corpus.reference_text import read_entry

SPECIES = (
    *("A. thaliana", "Ae. aegypti", "An. gambiae", "B. subtilis", "C. difficile", "C. elegans"),
    *("D. melanogaster", "E. coli", "H. influenzae", "H. pylori", "K. pneumoniae"),
    *("M. tuberculosis", "P. falciparum", "S. aureus", "S. cerevisiae", "V. cholerae"),
)


@pytest.mark.parametrize("species", SPECIES)
@pytest.mark.parametrize(
    ("entry", "title"),
    [
        (
            "1. Ito K, Abe J. Prevalence of a mutation of {} in old patients. J Bact. 2012;1:2.",
            "Prevalence of a mutation of {} in old patients",
        ),
        (
            "Ito, K., & Abe, J. (2012). Rare strains of {} in children. Journal of Children, 1, 2.",
            "Rare strains of {} in children",
        ),
        (
            "Ito K, Abe J. Growth on plates of a mutant ({}-like) is slow. J Bact 2010;1:2.",
            "Growth on plates of a mutant ({}-like) is slow",
        ),
    ],
)
def test_the_full_stop_of_an_abbreviated_genus_ends_no_title(
    species: str, entry: str, title: str
) -> None:
    assert read_entry(entry.format(species)).title == title.format(species)


@pytest.mark.parametrize(
    "title",
    [
        "Treatment of H. Pylori in old patients",
        "Yeast vs. bacteria in cold bread",
        "A version of the St. George questionnaire for bakers",
        "Sleep of bakers among U.S. adults in towns",
        "Growth of Candida spp. in cold bread",
        "Effects of Bifidobacterium animalis subsp. lactis on bakers",
        "The concerted action No. 11 on flour",
        "Bread and its bakers: I. The making of dough",
        "Bread and its bakers, IV. Ovens",
    ],
)
def test_an_abbreviation_or_the_number_of_a_part_ends_no_title(title: str) -> None:
    assert read_entry(f"Ito K, Abe J. {title}. J Bread. 2012;1:2.").title == title
    assert read_entry(f"Ito, K., & Abe, J. (2012). {title}. Journal of Bread, 1.").title == title


@pytest.mark.parametrize(
    ("entry", "title", "journal"),
    [
        (
            "Ito K. Vaccines for hepatitis B. Vaccine. 2010;1:2.",
            "Vaccines for hepatitis B",
            "Vaccine",
        ),
        ("Ito K. The effects of vitamin C. eLife. 2019;1:2.", "The effects of vitamin C", ""),
    ],
)
def test_a_capital_may_end_a_title(entry: str, title: str, journal: str) -> None:
    found = read_entry(entry)
    assert found.title == title
    assert found.journal == journal


@pytest.mark.parametrize("joined", [" & ", ", & ", ", and ", "; ", ", "])
def test_a_long_list_of_authors_is_read(joined: str) -> None:
    names = joined.join(f"Ito {chr(65 + n % 26)}" for n in range(60))
    found = read_entry(f"{names}. A title of some words. J Bact. 2010;1:2.")
    assert len(found.authors) == 60
    assert found.title == "A title of some words"

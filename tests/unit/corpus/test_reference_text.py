"""Entries of reference lists that are text alone."""

import pytest
from growth.clock import find_growth

from citespan.pipelines.corpus.reference_section import follows_references
from citespan.pipelines.corpus.reference_text import read_entries, read_entry

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
        "Sleep of bakers: a review for the U.S. Preventive Services Task Force",
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


def test_a_title_may_have_brackets_and_a_doi_a_slash_before_a_name() -> None:
    found = read_entry(
        "Ito K. Dough [in vitro] rises [J] in the dark. J Bact. 2010. doi:10.1000/Ry, Ann."
    )
    assert found.title == "Dough [in vitro] rises [J] in the dark"
    assert found.doi == "10.1000/ry"


@pytest.mark.parametrize("joined", [" & ", ", & ", ", and ", "; ", ", "])
def test_a_long_list_of_authors_is_read(joined: str) -> None:
    names = joined.join(f"Ito {chr(65 + n % 26)}" for n in range(60))
    found = read_entry(f"{names}. A title of some words. J Bact. 2010;1:2.")
    assert len(found.authors) == 60
    assert found.title == "A title of some words"


TITLE = "Rising of dough in cold ovens"
TWO = ("Ito, Jane A.", "de la Cruz, Ann")


@pytest.mark.parametrize(
    ("entry", "authors"),
    [
        (f"Ito, J. & Abe, K. {TITLE}. J Bread 52, 1–5 (2015).", ("Ito, J.", "Abe, K.")),
        (f"Ito J, Abe K. {TITLE}. J Bread (2015) 52:1-5.", ("Ito, J", "Abe, K.")),
        (f"Ito, J. and Abe, K., 2015. {TITLE}. J Bread, 52(3), pp.1-5.", ("Ito, J.", "Abe, K.")),
        (f"Ito, J., K. Abe, 2015. {TITLE}. J Bread, 52.", ("Ito, J.", "Abe, K.")),
        (f"Van der Ito J, Abe K. {TITLE}. J Bread 2015;52:1.", ("Van der Ito, J", "Abe, K.")),
        (f"Jane A. Ito and Ann de la Cruz. 2015. {TITLE}. J Bread, 52.", TWO),
        (f"Jane A. Ito and Ann de la Cruz. 2015a. {TITLE}. J Bread, 52.", TWO),
        (f"Jane A. Ito, and Ann B. Abe. {TITLE}. J Bread, 2015.", ("Ito, Jane A.", "Abe, Ann B.")),
        (f"Ito, Jane A., and Ann de la Cruz. 2015. “{TITLE}.” J Bread 52 (3): 1–5.", TWO),
        (f'Ito, Jane A., and Ann de la Cruz. "{TITLE}." J Bread, vol. 5, 2015.', TWO),
        (f"Ito, Jane A.; de la Cruz, Ann (2015): {TITLE}. Berlin.", TWO),
        (f"[3] J. A. Ito and K. Abe, “{TITLE},” J Bread, 2015.", ("Ito, J. A.", "Abe, K.")),
        (
            f"Van Ito-Abe, Carol and Jo Roe. 2015. {TITLE}. J Bread.",
            ("Van Ito-Abe, Carol", "Roe, Jo"),
        ),
        (
            f"Della Ito, Jo, Ann Della Ito. 2015. {TITLE}. J Bread.",
            ("Della Ito, Jo", "Della Ito, Ann"),
        ),
        (f"Ito, Jane, et al. 2015. {TITLE}. J Bread.", ("Ito, Jane",)),
        (f"Jane Ito, editor. 2015. {TITLE}. Oven Press.", ("Ito, Jane",)),
        (f"World Bread Organization. 2015. {TITLE}. Rome.", ("World Bread Organization",)),
        (
            f"Institute for Bread and Health (2015). {TITLE}. Rome.",
            ("Institute for Bread and Health",),
        ),
        (f"Breadco. 2015. {TITLE}. Rome.", ("Breadco",)),
        (f"ITO, Jane a Ann ABE, 2015. {TITLE}. J Bread. 5(3).", ("ITO, Jane", "ABE, Ann")),
        (
            f"DE ITO, Jane A., Ann LA CRUZ et Jo ABE. {TITLE}. J Bread. 2015. Vol. 5, p. 1.",
            ("DE ITO, Jane A.", "LA CRUZ, Ann", "ABE, Jo"),
        ),
        (
            f"Ito, Jane/van Abe, Jo (2015): {TITLE}, in: J Bread, S. 1.",
            ("Ito, Jane", "van Abe, Jo"),
        ),
        (f"Ito, Jane/Abe, Jo: {TITLE}. In: J Bread 5 (2015), S. 1.", ("Ito, Jane", "Abe, Jo")),
        (f"Ito Abe, Jane Ann Lin; Abe, Jo (2015): {TITLE}.", ("Ito Abe, Jane Ann Lin", "Abe, Jo")),
        (f"Ito, J., Abe, K. u. a. (2015): {TITLE}, in: J Bread 5, S. 1.", ("Ito, J.", "Abe, K.")),
        (f"ITO, J. a kol. {TITLE}. J Bread. 2015, roč. 5, s. 1.", ("ITO, J.",)),
        (f"Ito J. i in., {TITLE}, „J Bread” 2015, nr 5, s. 1.", ("Ito, J.",)),
        (f"Ito, J. ve Abe, K. (2015). {TITLE}. J Bread, 5, 1.", ("Ito, J.", "Abe, K.")),
        (f"Ito J, Abe K. {TITLE}[J]. J Bread, 2015, 5(3): 1-5.", ("Ito, J", "Abe, K.")),
        (
            f"Ito J, Abe K. {TITLE} [Internet]. J Bread. 2015 [cited 2016 May 1];5:1.",
            ("Ito, J", "Abe, K."),
        ),
        (f"Ito, J., & Abe, K. (2015, May 3). {TITLE}. J Bread, 5, 1.", ("Ito, J.", "Abe, K.")),
        (f"Ito AB 3rd, Abe K Jr. {TITLE}. J Bread 2015;5:1.", ("Ito, AB", "Abe, K")),
        (f"Ito J, Abe K, editors. {TITLE}. Rome: Oven Press; 2015.", ("Ito, J", "Abe, K")),
        (f"Ito J. & Abe K., 2015. — {TITLE}. J Bread 5: 1.", ("Ito, J.", "Abe, K.")),
        (f"Ito J, Abe K 2015 {TITLE}. J Bread 5: 1–5.", ("Ito, J", "Abe, K")),
        (f"Ito, Jane A., and Ann de la Cruz 2015 {TITLE}. J Bread 5: 1–5.", TWO),
        (f"Ito, J.; Abe, K.; et al. {TITLE}. Bread 2015, 5, 1.", ("Ito, J.", "Abe, K.")),
        (f"J. Ito, K. Abe, {TITLE}, J. Bread. 52 (2015) 1–5.", ("Ito, J.", "Abe, K.")),
        (f"J. Ito, K. Abe, {TITLE}, Bread (Rome) 52(3) (2015) 1–5.", ("Ito, J.", "Abe, K.")),
        (f"Ito, J. and Abe, K.: {TITLE}, J. Bread, 52, 1–5, 2015.", ("Ito, J.", "Abe, K.")),
        (
            f"Ito, J. and Abe, K.: {TITLE}, The journal of bread, 5, 1, 2015.",
            ("Ito, J.", "Abe, K."),
        ),
        (f"J. Ito, K. Abe, {TITLE}, Bread (Rome, N.Y.) 52 (2015) 1–5.", ("Ito, J.", "Abe, K.")),
        (
            f"J. Ito, K. Abe, {TITLE}, Review of bread in ovens 5 (2015) 1–5.",
            ("Ito, J.", "Abe, K."),
        ),
        (f"J. Ito, K. Abe, {TITLE}. Bread 52, 1–5 (2015).", ("Ito, J.", "Abe, K.")),
        (f"JA Ito, K Abe. {TITLE}. J Bread. 2015;52:1.", ("Ito, JA", "Abe, K")),
        (f"Ito, JA van der, and K Abe. 2015. “{TITLE}.” J Bread.", ("Ito, JA", "Abe, K")),
        (f"J-A Ito, K Abe. {TITLE}. J Bread. 2015;52:1.", ("Ito, J-A", "Abe, K")),
        (f"J. Ito, “{TITLE}”, Bread 52, 1 (2015)", ("Ito, J.",)),
        (f"J. Ito, ‘{TITLE}’, Bread 52, 1 (2015)", ("Ito, J.",)),
        (f"J. Ito & K. Abe – “{TITLE}”, Bread 52 (2015), p. 1–5.", ("Ito, J.", "Abe, K.")),
        (f"Ito, J ; Abe, K: {TITLE}. In: Bread 52 (2015), S. 1–5", ("Ito, J", "Abe, K")),
        (f"Ito J, Abe K. {TITLE} // J Bread. 2015. 52. 1–5.", ("Ito, J", "Abe, K.")),
        (
            f"[Ito and Abe, 2015] Ito, J. and Abe, K. (2015). {TITLE}. J Bread.",
            ("Ito, J.", "Abe, K."),
        ),
        (
            f"[Ito and Abe(2015)Ito, Abe] J. Ito and K. Abe. {TITLE}. J Bread, 2015.",
            ("Ito, J.", "Abe, K."),
        ),
        (
            f"Ito, J. and Abe, K. (2015) ‘{TITLE}’, J Bread, vol. 5, pp. 1–9.",
            ("Ito, J.", "Abe, K."),
        ),
        (f"Ito, J. y Abe, K.B. ‘‘{TITLE}’’, J Bread, vol. 5, 2015.", ("Ito, J.", "Abe, K.B.")),
        (
            f"Ito, J., K. Abe et A. Ry. 2015. « {TITLE} », Pain, 5.",
            ("Ito, J.", "Abe, K.", "Ry, A."),
        ),
        (f"Ito, J., and Abe, K. [2015]. {TITLE}. J Bread, 5.", ("Ito, J.", "Abe, K.")),
        (
            f"Ito, J. and Abe, K. (2015) {TITLE}, Pain in Practice, 4: 28–37.",
            ("Ito, J.", "Abe, K."),
        ),
        (f"Ito A-KB, Abe K. {TITLE}. J Bread. 2015;52:1.", ("Ito, A-KB", "Abe, K.")),
        (f"LIN LL, ABE K. {TITLE}. J Bread. 2015;52:1.", ("LIN, LL", "ABE, K.")),
        (f"van ’t Ito-Abe J, Ry B. {TITLE}. J Bread. 2015;5:1.", ("van ’t Ito-Abe, J", "Ry, B.")),
        (
            f"Ito J de J, Abe NA de A, Ry B. {TITLE}. Bread. 2015;5:1.",
            ("Ito, J", "Abe, NA", "Ry, B."),
        ),
        (
            f"BEEK, A.J. VAN DER; ITO, J.H. {TITLE}. J Bread, v. 5, 2015.",
            ("BEEK, A.J.", "ITO, J.H."),
        ),
        (f"Ito–Abe F, Ry B. {TITLE}. J Bread 2015;5:1.", ("Ito–Abe, F", "Ry, B.")),
        (
            f"Ito,J., Abe,K.R. and Ry,B. (2015) {TITLE}. Bread, 5, R1.",
            ("Ito, J.", "Abe, K.R.", "Ry, B."),
        ),
        (f"Ito (J.), Abe (K. R.), « {TITLE} », J Bread, 2015.", ("Ito, J.", "Abe, K. R.")),
        (
            f"Ito, J., Abe, K., … Ry, B. (2015). {TITLE}. Bread, 5, 1.",
            ("Ito, J.", "Abe, K.", "Ry, B."),
        ),
        (
            f"Ito, Jane, Abe, Kim, … Ry, Bo (2015): {TITLE}. Bread. 5:1.",
            ("Ito, Jane", "Abe, Kim", "Ry, Bo"),
        ),
        (f"Ito, J. – Abe, K. et al.: {TITLE}. J Bread, 5, 2015, 1–5.", ("Ito, J.", "Abe, K.")),
        (f"J. Ito / K. Abe, {TITLE}. J Bread 5, 2015, 1–5.", ("Ito, J.", "Abe, K.")),
        (
            f"Ito, Jane ; Abe, Kim ; et al.: {TITLE}. In: J Bread vol. 5 (2015)",
            ("Ito, Jane", "Abe, Kim"),
        ),
        (f"ITO, JANELLE et al. 2015. {TITLE}. J Bread 5: 1.", ("ITO, JANELLE",)),
        (f"ITO, Jane et al. - {TITLE}. J Bread. 5 (2015) 28.", ("ITO, Jane",)),
        (
            f"Jane Ito, Kim Abe, Bo Ry. {TITLE}. J Bread. 2015;5:1.",
            ("Ito, Jane", "Abe, Kim", "Ry, Bo"),
        ),
        (f"Jane Ito and Kim Abe, ‘{TITLE}’, J Bread 5 (2015), 1–5.", ("Ito, Jane", "Abe, Kim")),
        (f"Jane Ito et al., ‘{TITLE}’, J Bread 5 (2015), 1–5.", ("Ito, Jane",)),
        (
            f"CRUZ, Ana de; ITO, Maria da Ry. {TITLE}. Bread, v. 5, 2015.",
            ("CRUZ, Ana de", "ITO, Maria da Ry"),
        ),
        (f"Ito, Jane/Abe, Kim: »{TITLE}«, in: J Bread 5 (2015), S. 1.", ("Ito, Jane", "Abe, Kim")),
        (f"Ito, Jane, Abe, Kim (2015): „{TITLE}“ J Bread. 5.", ("Ito, Jane", "Abe, Kim")),
        (f"Ito et al. 2015 : J. ITO, K. ABE, {TITLE}, Bread 5 (2015) 1.", ("ITO, J.", "ABE, K.")),
        (f"Ito J., Abe K. 2015 : {TITLE}, J Bread, 5, p. 28.", ("Ito, J.", "Abe, K.")),
        (f"Ito, J., Abe, K., 2015, {TITLE}: J Bread, v. 5, p. 21.", ("Ito, J.", "Abe, K.")),
        (f"Ito J & Abe K 2015, {TITLE}, J Bread, vol. 5, p. 66.", ("Ito, J", "Abe, K")),
        (f"Ito J. & al. {TITLE} in: J Bread 5, 2015, p. 23.", ("Ito, J.",)),
        (f"Ito J, Abe K. (2015), {TITLE}.- J Bread 5: 19.", ("Ito, J", "Abe, K.")),
        (f"Ito, J. och Abe, K. m.fl. (2015). {TITLE}. J Bread, 5, 1.", ("Ito, J.", "Abe, K.")),
        (f"World Bread Organization, “{TITLE},” vol. 5, 2015.", ("World Bread Organization",)),
        (f"World Bread Organization: {TITLE}, Bread, 5, 1, 2015.", ("World Bread Organization",)),
    ],
)
def test_names_and_years_are_read_in_the_styles_of_common_lists(
    entry: str, authors: tuple[str, ...]
) -> None:
    found = read_entry(entry)
    assert found.authors == authors
    assert found.title == TITLE
    assert found.year == 2015


@pytest.mark.parametrize(
    "entry",
    [
        "K Ito and B Abe. Dough in ovens from 2002 to 2010. Bread (Rome: 1992), 20:1–9, 2015.",
        "K. Ito and B. Abe. Dough in ovens since 2002. Bread, 2:1–9, March 2015. doi: 10.1000/x.",
        "Ito K, Abe B. Dough in ovens from 2002 to 2010. J Bread. 2015;20:1-9. Epub 2014 Dec 3.",
        "Ito, K., & Abe, B. (2015). Dough in ovens since 2002. Rome. Retrieved June 3, 2017",
        "Ito K, Abe B. Dough in ovens since 2002. Rome, 2015. Accessed June 3, 2017.",
    ],
)
def test_the_year_is_looked_for_outside_of_the_title(entry: str) -> None:
    assert read_entry(entry).year == 2015


def test_a_single_name_is_the_author_where_the_list_writes_names_first() -> None:
    alone = f"Jane A. Ito. {TITLE}. J Bread, 2015."
    joint = f"Jane Ito and Ann Abe. {TITLE}. J Bread, 2015."
    [first, *_] = read_entries([alone, joint, joint]).references
    assert (first.publication.authors, first.publication.title) == (("Ito, Jane A.",), TITLE)
    vancouver = read_entries(["Ito J. Bread. The dough of old bakers. J Bread. 2015;1:2."] * 3)
    assert vancouver.references[0].publication.authors == ("Ito, J.",)


@pytest.mark.parametrize(
    ("entry", "title"),
    [
        (
            "Does dough rise? A trial among old bakers. J Bread. ",
            "Does dough rise? A trial among old bakers",
        ),
        (
            "Dough of the world. What bakers know of it. J Bread. ",
            "Dough of the world. What bakers know of it",
        ),
        ("Does dough rise? A Review. J Bread. ", "Does dough rise? A Review"),
        ("Does all dough rise? an old trial. J Bread. ", "Does all dough rise? an old trial"),
        ("Why does all this dough rise? Bread Sci. ", "Why does all this dough rise?"),
        ("Dough of the whole world. Journal of bread research. ", "Dough of the whole world"),
        (
            "Dough of the whole world. In Proceedings of the third meeting. Rome, ",
            "Dough of the whole world",
        ),
    ],
)
def test_a_title_of_two_sentences_is_read_whole(entry: str, title: str) -> None:
    assert read_entry(f"Ito J, Abe K. {entry}2015;52:1-5.").title == title
    assert read_entry(f"Ito, J., & Abe, K. (2015). {entry}52, 1-5.").title == title


@pytest.mark.parametrize(
    ("entry", "title"),
    [
        ("Ito, J.; Abe, L. A Trial of Dough. Bread 2015, 5.", "A Trial of Dough"),
        ("Ito J, Abe L. Über den Teig der Bäcker. Brot. 2015;5:1.", "Über den Teig der Bäcker"),
        ("Ito J. The “old dough” of bakers. Bread. 2015;5:1.", "The “old dough” of bakers"),
        ("Ito J. 2015 Guidelines for bakers. Bread. 2015;5:1.", "2015 Guidelines for bakers"),
        ("Ito J. “Dough of the bakers” Bread. 2015;5:1.", "Dough of the bakers"),
        ("J. Ito, “Old dough,” Bread, vol. 5, 2015.", "Old dough"),
        (
            "J. Ito, “The “old dough”: A history of ovens,” Bread, 2015.",
            "The “old dough”: A history of ovens",
        ),
        (
            "Ito, J. & Abe, K. Dough of Old Bakers After Rye. J Bread 5, 1–9 (2015).",
            "Dough of Old Bakers After Rye",
        ),
        (
            "Ito, J. et al. What Is Good Dough After Rye?. Bread Sci 5, 1–9 (2015).",
            "What Is Good Dough After Rye?",
        ),
        ("Ito, J.; Abe, K. Dough of Rye, Old Ovens. Bread 2015, 5, 1.", "Dough of Rye, Old Ovens"),
        (
            "Ito, J. (2015) ‘Old bakers’ dough and children’s bread’, Pain, 5.",
            "Old bakers’ dough and children’s bread",
        ),
        ("Ito J. ‘Old dough’ For Bakers. Pain. 2015;5:1.", "‘Old dough’ For Bakers"),
        ("Ito J. ‘Old dough’: what bakers say. Pain. 2015;5:1.", "‘Old dough’: what bakers say"),
        ("J Ito and K Abe, A New Dough of rye, J Bread 5 (2015), 1–9.", "A New Dough of rye"),
        ("J. Ito, K. Abe, A New Dough of Rye, J Bread 5 (2015) 1–9.", "A New Dough of Rye"),
        ("Ito J, Abe K. mRNA of dough in ovens. Bread. 2015;5:1.", "mRNA of dough in ovens"),
        ("Ito J, Abe K. Dough in Rome, Italy 2015. Bread. 2015;5:1.", "Dough in Rome, Italy 2015"),
        ("Ito J. Dough of the bakers: Part 2. J Bread. 2015;5:1.", "Dough of the bakers: Part 2"),
        (
            "Ito J. Does dough rise? The Rome data. Bread. 2015;5:75.",
            "Does dough rise? The Rome data",
        ),
        (
            "Ito J. Dough of bakers in the United States (U.S.) of today. Bread. 2015;5:1.",
            "Dough of bakers in the United States (U.S.) of today",
        ),
        ("Ito J. Does dough of rye rise? The Lancet. 2015;5:1.", "Does dough of rye rise?"),
    ],
)
def test_a_title_is_whole_whatever_its_first_word_and_its_commas(entry: str, title: str) -> None:
    assert read_entry(entry).title == title


@pytest.mark.parametrize(
    ("entry", "authors", "title"),
    [
        (
            "The dough of old bakers: a survey. J Bread. 2015;5:1-9.",
            (),
            "The dough of old bakers: a survey",
        ),
        ("FDA. Dough in old ovens. Rome. 2015.", ("FDA",), "Dough in old ovens"),
        ("Ito-B Ab, Abe, X. Of the old dough. J Bread. 2015;5:1-9.", (), ""),
        ("J. Ito and K. Abe, Bread Sci. 5, 28 (2015).", ("Ito, J.", "Abe, K."), ""),
    ],
)
def test_an_entry_may_lack_authors_or_a_title(
    entry: str, authors: tuple[str, ...], title: str
) -> None:
    found = read_entry(entry)
    assert (found.authors, found.title) == (authors, title)


def test_a_dash_stands_for_the_authors_of_the_entry_before() -> None:
    entries = [f"Ito, Jane, and Ann Abe. 2014. “{TITLE}.” J Bread 5."]
    entries += [f"{dash}. 2015a. “{TITLE}.” J Bread 6." for dash in ("———", "---", "_____")]
    for found in read_entries(entries).references:
        assert found.publication.authors == ("Ito, Jane", "Abe, Ann")
        assert found.publication.title == TITLE
    assert read_entry(f"———. 2015. {TITLE}.").authors == ()


def test_a_title_in_quotation_marks_ends_with_them() -> None:
    entry = "Ito, Jane. 2015. “Dough. A history of “bread” and ovens.” J Bread 52: 1–5."
    assert read_entry(entry).title == "Dough. A history of “bread” and ovens"


@pytest.mark.parametrize("names", ["Ab Cd, ", "Ab Cd and ", "Ab, Cd, ", "A. B. ", "de la ", "Ab-"])
def test_names_without_end_are_read_in_linear_time(names: str) -> None:
    assert not find_growth(read_entry, lambda size: names * size, 20_000, 60)
    assert not find_growth(read_entries, lambda size: [names * 600] * size, 400, 60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, True) for text in ("Figure legends", "Supplementary material:", "TABLES")),
        *((text, True) for text in ("Fig. 2 Ovens", "Table S1. Ovens of the world.")),
        *((text, False) for text in ("Tables of ovens. Bread Press, 2001.", "Figures R. Ovens.")),
        ("Funding bakers pays. J Bread 2001;3:1.", False),
    ],
)
def test_what_follows_a_list_is_no_entry(text: str, expected: bool) -> None:
    assert follows_references(text) is expected


@pytest.mark.parametrize(
    "label", ["12.", "12)", "(12)", "[12]", "[12].", "12-", "12 .", "12. -", "¹²", "12"]
)
def test_the_label_of_an_entry_is_its_number(label: str) -> None:
    for name in ("Ito J", "van Ito J", "Özil J"):
        (reference,) = read_entries(
            [f"{label} {name}, Abe K. {TITLE}. Bread. 2015;5:1."]
        ).references
        assert reference.label == "12"
        assert reference.publication.title == TITLE

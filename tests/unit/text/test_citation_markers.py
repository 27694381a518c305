"""What is removed from a citance as a citation marker, and what is not."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.citing.marker_patterns import remove_markers


@pytest.mark.parametrize(
    ("citance", "left"),
    [
        ("Growth stops [12].", "Growth stops."),
        ("Growth stops [3,4–7] here", "Growth stops here"),
        ("Growth stops [3], [4] here", "Growth stops here"),
        ("Growth stops [1-3, 5 and 9].", "Growth stops."),
        ("Growth stops[12].", "Growth stops."),
        ("Growth [Smi01], [OSL+07; GB99a] and [OSL⁺07] stops.", "Growth, and stops."),
        ("Growth [CD34] of [Ca2+] stops.", "Growth [CD34] of [Ca2+] stops."),
        ("Growth (1–3) stops (12).", "Growth stops."),
        ("Growth (ref. 12) stops (refs 1,2).", "Growth stops."),
        ("Growth (reviewed in ref. 3) stops (see 4, 5)", "Growth stops"),
        ("As in ref. 12 growth stops", "As in growth stops"),
        ("Growth (PMID: 123456) stops", "Growth stops"),
        ("Growth (doi:10.1000/made.up) stops", "Growth stops"),
        ("In tumours12,13 growth", "In tumours growth"),
        ("In growth factors9 and", "In growth factors and"),
        ("In cells,5,6 growth", "In cells, growth"),
        ("It stops in cells.12 Next", "It stops in cells. Next"),
        ("This needs p53.12–14 Next", "This needs p53. Next"),
        ("In tumours¹²,¹³ growth", "In tumours growth"),
        ("It needs p53.¹²⁻¹⁴", "It needs p53."),
        ("Growth (Voorhoeve et al., 2006) stops.", "Growth stops."),
        ("It stops (Okada and Smith 1999; Lee et al., 2001a, b).", "It stops."),
        ("It stops (see Smith, 2001 for review).", "It stops."),
        ("It stops (for a review, see Smith 2001 and references therein).", "It stops."),
        ("It stops (e.g., Smith 2001; but see Lee & Green, 2002).", "It stops."),
        ("It stops (Smith et al. 2006, Lee et al. 2007)", "It stops"),
        ("It stops (Smith et al 2006)", "It stops"),
        ("With Y′(1) and Y″(12) it stops (3)", "With Y′(1) and Y″(12) it stops"),
        ("It stops (Smith , 2006a; Smith et al. , 2007)", "It stops"),
        ("It stops (Smith J, Lee K and Green B 2006)", "It stops"),
        ("It stops (Smith, J., 2006)", "It stops"),
        ("It stops (Smith 2001: 34–36; Lee, 2002, p. 12)", "It stops"),
        ("It stops (Smith, in press; Lee, submitted)", "It stops"),
        ("It stops (World Health Organization, 2001)", "It stops"),
        ("It stops [Smith et al., 2006].", "It stops."),
        ("It stops (García-López and Müller, 2004)", "It stops"),
        ("It stops (O’Connor et al., 2003; D'Souza 1999)", "It stops"),
        ("It stops (von der Malsburg, 1981; Schulte im Walde, 2003)", "It stops"),
        ("It stops (Green and May, 2011; Smith (2001))", "It stops"),
        ("It stops (Brown et al., 1993", "It stops"),
        ("Smith et al. (2006) showed growth", "showed growth"),
        ("Smith et al. [12] showed growth", "showed growth"),
        ("It stops (World Health Organization [WHO], 2001; Smith, 2002)", "It stops"),
        ("It stops (Smith/Lee 2001, S. 12 f.)", "It stops"),
        ("It stops (Smith u. a. 2001; Lee a kol., 2002)", "It stops"),
        ("Smith i in. (2001) showed growth", "showed growth"),
        ("Smith et al.12 showed growth", "showed growth"),
        ("Smith et al. showed growth", "showed growth"),
        ("Smith and colleagues (2006) showed growth", "showed growth"),
        ("Smith, Lee, and Green (2006) showed growth", "showed growth"),
        ("Tillmann and Ney (2003) showed growth", "showed growth"),
        ("von der Malsburg (1981) showed growth", "showed growth"),
        ("Chiang (2005; 2007a, b) showed growth", "showed growth"),
        ("We use O'Brien's (2001) cells", "We use cells"),
        ("In Xenopus, Smith et al. (2006) showed growth", "In Xenopus, showed growth"),
        ("In Xenopus, Smith and Lee (2006) showed growth", "In Xenopus, showed growth"),
        ("It stops (Figure 3; Lee et al., 2001)", "It stops (Figure 3)"),
        ("It stops (p53; Smith 2001; Lee 2003)", "It stops (p53)"),
    ],
)
def test_removed(citance: str, left: str) -> None:
    assert remove_markers(citance) == left


@pytest.mark.parametrize(
    "text",
    [
        "(p53) (n = 12) (Figure 3) (10 mg) (IL-2) (1H) (24h) (data not shown)",
        "p53, IL-2, H2O2, TGF-β1, CO2, Figure 3 and 10-3 M",
        "PU.1, Nkx2.5, claudin5, caspase3, exon2, Figure3, vol.12, Fig.3 and no.3",
        "In 2006 there were 10⁶ cells on 5 mm² of χ² and 10⁻³ M Ca²⁺ and ³H",
        "the interval [0, 1] and (1,000) and [3H]thymidine, [Ca2+] and Mg(2)",
        "between January and March (January 2006)",
        "Smith, Green and Lee thanked no one",
        "mice of 1999 and cells of 2001",
    ],
)
def test_kept(text: str) -> None:
    assert remove_markers(text) == text


@pytest.mark.parametrize("text", ["", " ", "[12]", "(Smith et al., 2006)", " [1] [2]\n"])
def test_nothing_but_markers(text: str) -> None:
    assert remove_markers(text) == ""


@given(st.text())
def test_any_text(text: str) -> None:
    left = remove_markers(text)
    assert left == " ".join(left.split())
    assert len(left) <= len(text)


@given(
    st.lists(
        st.sampled_from(
            ["(", ")", "[", "]", "Smith", " and ", "et al.", "2001", ", ", "; ", "12", "–", "see ",
             "¹²", "p53", "cells", ".", " "]
        ),
        max_size=40,
    ).map("".join)
)  # fmt: skip
def test_marker_like_text(text: str) -> None:
    assert len(remove_markers(text)) <= len(text)


@pytest.mark.parametrize(
    "piece",
    ["(", "[", "[1,", "Smith ", "Smith, ", "Smith and ", "Smith, Lee and ", "(Smith; ", "1,2,",
     "a", "A. ", " ", "O'", "Sm-", "¹,", "van der ", "(see ", "(for a review ", "(Smith 2001, ",
     "Smith et al. 2001, a", "ref ", "abcdef1", "cells.1,"]
)  # fmt: skip
def test_time_is_linear(piece: str) -> None:
    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        start = process_time()
        remove_markers(text)
        return process_time() - start

    seconds(1_000)
    # Twenty times the text would take four hundred times as long were it quadratic.
    assert seconds(200_000) < 60 * max(seconds(10_000), 0.001)

"""LaTeX as plain text: accents, symbols, units and marks."""

import pytest

from citespan.pipelines.corpus.latex_text import remove_latex


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (r"M\"uller", "Müller"),
        (r"{\'E}t\'{e}", "Été"),
        (r"\c{C}a", "Ça"),
        (r"Stra{\ss}e", "Straße"),
        (
            r"5\,mg of $\alpha$-synuclein at \SI{5}{\milli\gram\per\litre}",
            "5 mg of α-synuclein at 5 mg/L",
        ),
        (
            r"$3 \pm 0.4$~kg ($p \leq 0.05$, IC$_{50}$, $10^{6}$)",
            "3 ± 0.4 kg (p ≤ 0.05, IC50, 10^6)",
        ),
        (r"``\emph{so}''---\$5, 5\%, 3--5 and \{a\_b\}", "“so”—$5, 5%, 3–5 and {a_b}"),
        (
            r"10\textsuperscript{6}, 10$^{-5}$, Ca$^{2+}$, \textsuperscript{14}C",
            "10^6, 10^-5, Ca2+, 14C",
        ),
        (r"kg$^{-1}$, $R^2=0.9$ and $3.2 \times 10^{-5}$", "kg-1, R2=0.9 and 3.2 × 10^-5"),
        (r"$\sim$50\,\% of~it, \textasciitilde 5", "~50 % of it, ~ 5"),
        (
            r"\qtyrange{1}{2}{\kg}, \numrange{3}{4}, \SIrange[a=b]{5}{6}{\percent}",
            "1 to 2 kg, 3 to 4, 5 to 6 %",
        ),
        (r"4\penalty0 (2):\penalty0 3", "4(2):3"),
    ],
)
def test_latex_as_plain_text(written: str, plain: str) -> None:
    assert remove_latex(written) == plain

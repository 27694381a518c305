"""Correction for many comparisons.

S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
Statistics 6, 1979: as safe as Bonferroni's, under any dependence of the tests, and never weaker.
"""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Corrected p-values, in the order given: one below .05 may be called significant, with a
    chance of 5% that any such call among them is wrong.

    Those that are None, where a test wasn't defined, stay so and don't count as comparisons.
    """
    places = [place for place, p_value in enumerate(p_values) if p_value is not None]
    places.sort(key=lambda place: p_values[place] or 0.0)
    corrected: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for done, place in enumerate(places):
        largest = max(largest, min(1.0, (len(places) - done) * (p_values[place] or 0.0)))
        corrected[place] = largest
    return corrected

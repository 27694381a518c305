"""Labels and categories as zones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.corpus.abstract import AbstractSection, NlmCategory
from citespan.pipelines.corpus.section_categories import (
    WITHOUT_ZONE,
    ZONES,
    ZONES_OF_CATEGORIES,
    ZONES_OF_LABELS,
    category_of,
    is_known,
    label_zone,
    section_zone,
)

LABELS = [(label, zone) for zone, labels in ZONES_OF_LABELS.items() for label in labels]


@pytest.mark.parametrize(
    ("label", "zone"),
    [
        ("BACKGROUND", "Introduction"),
        ("Aims and objectives:", "Introduction"),
        ("BACKGROUND/AIMS", "Introduction"),
        ("BACKGROUND AND AIM OF THE STUDY", "Introduction"),
        ("SUMMARY OF BACKGROUND DATA", "Introduction"),
        ("Patients & methods", "Methods"),
        ("DESIGN, SETTING, AND PARTICIPANTS", "Methods"),
        ("MAIN OUTCOMES AND MEASURES", "Methods"),
        ("KEY RESULTS", "Results"),
        ("3. Findings", "Results"),
        ("CONCLUSIONS AND RELEVANCE", "Conclusions"),
        ("METHODS AND RESULTS", "mixed"),
        ("Results/Conclusion", "mixed"),
        ("MEASUREMENTS AND MAIN RESULTS", "mixed"),
        ("RESULTS AND PENGUINS", "unmapped"),
        ("PENGUINS", "unmapped"),
        ("MAIN", "unmapped"),
        ("AND", "unmapped"),
        ("", "unmapped"),
    ],
)
def test_labels(label: str, zone: str) -> None:
    assert label_zone(label) == zone


def test_every_label_of_the_table_has_its_zone_however_it_is_written() -> None:
    for label, zone in LABELS:
        plural = f"{label.removesuffix('S')}S"
        for written in (label, label.lower(), f" {label}: ", plural, f"MAIN {label}"):
            assert label_zone(written) == zone, written
        assert is_known(label)


def test_a_label_stands_for_one_zone_or_none() -> None:
    singular = [label.removesuffix("S") for label, _ in LABELS]
    assert len(set(singular)) == len(singular)
    for label in WITHOUT_ZONE:
        assert label_zone(label) == "unmapped"
        assert is_known(label)
    assert not is_known("PENGUINS")


@given(
    st.sampled_from(LABELS), st.sampled_from(LABELS), st.sampled_from([" AND ", "/", ", ", "; "])
)
def test_two_labels_at_once(first: tuple[str, str], other: tuple[str, str], between: str) -> None:
    expected = first[1] if first[1] == other[1] else "mixed"
    assert label_zone(first[0] + between + other[0]) == expected


@given(st.text(max_size=80))
def test_no_label_is_too_strange(label: str) -> None:
    assert label_zone(label) in (*ZONES, "mixed", "unmapped")


@pytest.mark.parametrize(
    ("label", "category", "zone"),
    [
        ("PENGUINS", "BACKGROUND", "Introduction"),
        ("PENGUINS", "OBJECTIVE", "Introduction"),
        ("TRIAL REGISTRATION", "METHODS", "Methods"),
        ("RESULTS", "CONCLUSIONS", "Conclusions"),
        ("METHODS AND RESULTS", "RESULTS", "mixed"),
        ("AIM", "", "Introduction"),
        ("", "", "unmapped"),
    ],
)
def test_the_category_comes_first_but_for_mixed_sections(
    label: str, category: NlmCategory, zone: str
) -> None:
    assert section_zone(AbstractSection(label, 0, 1, "abstract", category)) == zone


def test_categories_as_written() -> None:
    assert all(category_of(category.lower()) == category for category in ZONES_OF_CATEGORIES)
    assert category_of(None) == category_of("UNASSIGNED") == category_of("UNLABELLED") == ""

"""How figures of experiments are named and written in tables."""

from collections.abc import Mapping, Sequence
from typing import Final

from citespan.pipelines.evaluation.significance import Significance

MAIN_MEASURE: Final = "f1"

COLUMNS: Final[Mapping[str, str]] = {
    "recall": "R",
    "precision": "P",
    "f1": "F1",
    "rouge_l": "ROUGE-L",
    "sentence_precision_micro": "sent.\nP",
    "sentence_recall_micro": "sent.\nR",
    "sentence_f1_micro": "sent.\nF1",
    "sentence_f1_macro": "macro\nF1",
    "official_sentence_f1_micro": "official\nF1",
}
"""The measures that people read first, with their headings."""

HEADINGS: Final[Mapping[str, str]] = {
    **COLUMNS,
    "rouge_l_recall": "ROUGE-L\nR",
    "rouge_l_precision": "ROUGE-L\nP",
    "rouge_l": "ROUGE-L\nF1",
    "success_1": "success\nat 1",
    "mrr_10": "MRR",
    "ndcg_10": "nDCG",
}
"""The headings of columns that an experiment chooses; other measures have their names."""


def choose_columns(columns: Sequence[str]) -> dict[str, str]:
    """Return the measures of an experiment's table with their headings, each in one line."""
    headings = {name: HEADINGS.get(name, name) for name in columns} if columns else COLUMNS
    return {name: heading.replace("\n", " ") for name, heading in headings.items()}


def format_value(value: float) -> str:
    """Return a value from 0 to 1 as in .173."""
    return f"{value:.3f}".removeprefix("0")


def format_interval(low: float, high: float) -> str:
    """Return an interval as in .151-.195."""
    return f"{format_value(low)}-{format_value(high)}"


def format_stars(tests: Significance) -> str:
    """Return two stars for p < .01 against the baseline, one for p < .05, by Holm's correction.

    The test is the paired t-test, or for a measure that pools all citances, which has none, the
    randomisation test.
    """
    p_value = tests.p_value_corrected
    if p_value is None:
        p_value = tests.p_randomisation_corrected
    if p_value is None:
        return ""
    return "**" if p_value < 0.01 else "*" if p_value < 0.05 else ""
